//! Changes to files and folders. Everything is prepared beside its place and gets its name in one
//! step, so that a reader sees the old or the new, never a part.
//!
//! **Invariant:** only `disk` changes anything, on an open folder and one name in it.
mod disk; // the system calls
#[cfg(test)]
pub(crate) mod fault; // lets the n-th of them fail
mod claim; // who may change what at the moment
mod plan_claim; // claims and room of a plan that is being made
mod temp; // what is not finished, and what is left of it
pub(crate) mod remove; // a folder with everything in it, for good
mod attributes; // modes, labels, access lists
mod copy; // a folder with everything in it, once more
mod copy_metadata; // its owners, modes, attributes and times
mod tree; // everything beneath a name, looked at
mod old_file; // a file that is to be changed
mod scan; // a large one, read in pieces
mod change_error; // why a change was not made, or not wholly
mod put; // new content for a name, written beside it
mod exchange; // gives it the name
mod put_all; // new content for several files, all or none
mod recover; // what a killed process left half done
mod grow; // folders that are not there
mod shift; // whole things that go, come and move
mod change; // one change, from its plan to the disk
mod text; // line endings and byte-order marks
mod folded; // what is alike but for whitespace, quotes, case or escapes
mod near; // what is nearest to a text that was not found
mod edits; // exact replacements
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use super::access::is_ours;
pub(crate) use change::{Act, Job};
pub(crate) use claim::Claims;
pub(crate) use copy::special;
pub(crate) use disk::{CHUNK, Disk, Durability, Overwrite};
pub(crate) use edits::{Bounds, Edit, EditError, EditMismatch, MOST_MATCHES, apply_edits};
pub(crate) use grow::{Grow, NewFile};
pub(crate) use old_file::{Content, HardLinks, OldFile, SeenContent};
pub(crate) use plan_claim::PlanClaim;
pub(crate) use put::{Part, Put};
pub(crate) use put_all::PutAll;
pub(crate) use recover::recover;
pub(crate) use scan::{MOST_HELD, ScannedFile, SharedEnds};
pub(crate) use shift::{Copy, Move, Remove, Restore, Retention, is_same_name};
pub(crate) use temp::Sweeper;
pub(crate) use text::{Encoding, Endings};
pub(crate) use tree::{Tree, TreePurpose, TreeScan, hex_of, look};
