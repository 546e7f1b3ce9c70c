//! What people get to look at: the changes of a call as diffs and as a page, for a while. Nothing
//! of it is in the text that a model reads (H-03, H-04).
mod trim; // what two texts share at both ends is left out
mod long_lines; // where long lines differ, and what of them is shown
mod diff; // the lines that change
mod words; // what is not text, in words
mod unified; // as a unified diff
mod structured; // as JSON
mod escape; // other people's text in a page
mod rows; // the lines of a page
mod facts; // what a page says about its call
mod page; // as a page
mod rendered; // every form of one call's changes
mod offload; // large texts are compared on threads of their own
mod store; // kept for a while, for the session that made the call
mod address; // under which addresses
mod attach; // links to it in a result
mod serve; // read
mod list; // listed

pub(super) use facts::{Facts, Origin, Status};
pub(super) use rendered::RenderedChanges;
pub use rendered::{ChangedLines, changed_lines, describe_changes};
pub(super) use serve::template;
pub(super) use store::Artifacts;
pub(super) use trim::{differing, parts_that_differ};
