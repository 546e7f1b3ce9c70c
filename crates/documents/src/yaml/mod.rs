//! The little YAML that front matter needs: block style out, a bounded subset of YAML 1.2 in.
mod read; // text to values, with places
mod scalar; // what a plain scalar means, and which strings may be written plain
mod write; // values to text
#[cfg(test)]
mod tests;

pub use read::{MOST_BYTES, MOST_DEPTH, MOST_NAME, Place, Yaml, read};
pub use write::write;
