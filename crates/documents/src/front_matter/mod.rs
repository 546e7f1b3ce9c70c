//! The front matter of a Markdown file: where it ends, and its members in dashdash.
mod dashdash; // the front matter of an `ai_help` document
mod split; // a file split into front matter and body
#[cfg(test)]
mod tests;

pub use dashdash::{Access, FrontMatter};
pub use split::{SplitText, split};
