//! Reviews: the changes of a call as diffs and as a page, which people can look at for a while. The
//! text that a model reads has none of it (H-03, H-04).
mod trim; // leaves out what two texts share at both ends
mod long_lines; // where long lines differ, and which parts are shown
mod diff; // compares texts by lines and words
mod words; // describes sizes and folders in words
mod unified; // the changes as a unified diff
mod structured; // the changes as JSON
mod escape; // escapes untrusted text for a page
mod rows; // the tables of lines in a page
mod facts; // what a page says about its call
mod page; // the changes as a page
mod rendered; // the changes of one call in every form
mod offload; // compares large texts on separate threads
mod store; // keeps artifacts for a while
mod address; // the addresses of artifacts
mod attach; // adds links to a result
mod serve; // serves artifacts as resources
mod list; // lists artifacts as resources

pub(super) use facts::{Facts, Origin, Status};
pub(super) use rendered::RenderedChanges;
pub use rendered::{ChangedLines, changed_lines, describe_changes};
pub(super) use serve::template;
pub(super) use store::Artifacts;
pub(super) use trim::{differing, parts_that_differ};
