//! Changes to files and folders. Each change is prepared under a temporary name in the same folder
//! and gets its name in one step, so that a reader sees the old or the new state, never a part.
//!
//! **Invariant:** only `disk` changes anything, always by an open folder and one name in it.
mod disk; // the system calls of a change
#[cfg(test)]
pub(crate) mod fault; // fault injection into these calls
mod claim; // which call may change which path at the moment
mod plan_claim; // claims and memory of a plan in progress
mod temp; // unfinished files, and sweeping them up
pub(crate) mod remove; // removing a folder with everything in it
mod attributes; // modes, extended attributes, access lists
mod copy; // copying a folder with everything in it
mod copy_metadata; // owners, modes, attributes and times of a copy
mod tree; // scanning everything beneath a name
mod old_file; // a file that is to be changed
mod scan; // reading a large file in pieces
mod change_error; // reasons why a change was not or not fully made
mod put; // new content for a file, under a temporary name
mod exchange; // swapping the new content into place
mod put_all; // new content for several files, all or none
mod recover; // taking back what a killed process left half done
mod grow; // creating missing folders
mod whole_entry; // removing, moving, copying and restoring whole entries
mod change; // one change, from its plan to the disk
mod guarded; // changes of files that start programs or permit tools
mod text; // line endings and byte-order marks
mod similar_text; // similar text, apart from whitespace, quotes, case or escapes
mod nearest_match; // the nearest match for a text that was not found
mod edits; // exact replacements
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use super::access::is_ours;
pub(crate) use change::{Act, Job};
pub(crate) use claim::Claims;
pub(crate) use copy::special;
pub(crate) use disk::{CHUNK, Disk, Durability};
pub(crate) use edits::{Bounds, Edit, EditError, EditMismatch, MOST_MATCHES, apply_edits};
pub(crate) use grow::{Grow, NewFile};
pub(crate) use guarded::Judging;
pub(crate) use old_file::{Content, HardLinks, OldFile, SeenContent};
pub(crate) use plan_claim::{PlanClaim, Unplanned};
pub(crate) use put::{Part, Put};
pub(crate) use put_all::PutAll;
pub(crate) use recover::recover;
pub(crate) use scan::{MOST_HELD, ScannedFile, SharedEnds};
pub(crate) use temp::Sweeper;
pub(crate) use text::{Encoding, Endings};
pub(crate) use tree::{Tree, TreePurpose, TreeScan, scan_tree};
pub(crate) use whole_entry::{Copy, Move, Remove, Restore, Retention, is_same_name};
