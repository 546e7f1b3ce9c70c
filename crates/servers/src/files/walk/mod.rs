//! Walks trees from handle to handle: each folder is opened by one name in its open parent, and
//! links are never followed on the way. The walk does not know what its visitors search for.
mod batch; // names of an open folder, one buffer at a time
mod rules; // rules of `.gitignore` and similar files
mod counted_folder; // limit on folders that are open at a time
mod queue; // remaining jobs, shared by the threads
mod walk_entry; // one entry, as a visitor sees it
mod link; // links to follow after everything else
mod walk_context; // settings, shared state and totals of a walk
mod worker; // one thread of a walk
mod walker; // everything beneath a folder
mod traverse; // a whole walk, links included
mod smallest; // the smallest items of an unordered stream
mod snapshot; // listings for later pages
mod watch; // progress reports to the client
#[cfg(test)]
mod tests;

pub(crate) use smallest::{PathOrder, Smallest};
pub(crate) use snapshot::{EntryNames, Snapshot, SnapshotKey, Snapshots};
pub(crate) use traverse::walk;
pub(crate) use walk_context::{Walk, WalkTotals};
pub(crate) use walk_entry::{Visitor, WalkEntry, WalkStep};
pub(crate) use watch::{Tally, watch};
