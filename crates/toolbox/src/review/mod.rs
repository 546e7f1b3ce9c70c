//! What people get to look at: the changes of a call as diffs and as a page, for a while. Nothing of it is in the text that a
//! model reads (H-03, H-04).
mod trim; // what two texts share at both ends is left out
mod diff; // the lines that change
mod words; // what is not text, in words
mod unified; // as a unified diff
mod structured; // as JSON
mod escape; // other people's text in a page
mod rows; // the tables of a page
mod page; // as a page
mod store; // kept for a while, for whoever made the call
mod aside; // large texts are not compared where others wait
mod drawn; // the changes of a plan, drawn in every form
mod attach; // links to it in a result
mod serve; // read and listed

pub(super) use drawn::Drawn;
pub use drawn::{ChangedLines, changed_lines, describe_changes};
pub(super) use serve::template;
pub(super) use store::Artifacts;
pub(super) use trim::{differing, parts_that_differ};
