//! The small part of YAML that front matter needs. Writes block style, and reads a bounded subset
//! of YAML 1.2.
mod read; // text to values, with their places
mod scalar; // the meaning of plain scalars, and which strings may be written plain
mod write; // values to text
#[cfg(test)]
mod tests;

pub use overt_settings::toml_file::LineColumn;
pub use read::{Extent, MOST_BYTES, MOST_DEPTH, MOST_NAME, Problem, Style, Yaml, read, read_located};
pub use write::{write, write_block, write_text};
