//! Walks over trees by handles: each folder is opened by one name in its open parent, and links are
//! never followed on the way. Does not know what its visitors search for.
mod batch; // names of an open folder, a buffer full at a time
mod rules; // what `.gitignore` and its kin leave out
mod counted_folder; // how many folders are open at a time
mod queue; // what is still to be done, shared by the threads
mod walk_entry; // one entry, as a visitor sees it
mod link; // links that are followed after everything else
mod walk_context; // how one walk is made, what its threads share and count
mod worker; // one thread of a walk
mod walker; // everything beneath a folder
mod traverse; // a walk from its beginning to its end
mod smallest; // the first so many of what comes in any order
mod snapshot; // listings that are paged through
mod watch; // tells a client how far a walk is
#[cfg(test)]
mod tests;

pub(crate) use smallest::{PathOrder, Smallest};
pub(crate) use snapshot::{EntryNames, Snapshot, SnapshotKey, Snapshots};
pub(crate) use traverse::walk;
pub(crate) use walk_context::{Walk, WalkTotals};
pub(crate) use walk_entry::{Visitor, WalkEntry, WalkStep};
pub(crate) use watch::{Tally, watch};
