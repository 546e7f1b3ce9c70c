//! The head of a Markdown file: where it ends, and what dashdash puts into it.
mod dashdash; // the members that an `ai_help` document has
mod split; // a file in its two parts
#[cfg(test)]
mod tests;

pub use dashdash::{Access, FrontMatter};
pub use split::{SplitText, split};
