//! Changes as clients make them, on a temporary tree.
pub(crate) mod stage; // a server over a temporary tree
mod content; // write_file, edit_file, create_directory
mod whole; // move_file, copy_file, delete_file
mod undo; // revert_change and the journal
mod faults; // every system call fails once; the process ends at every one
mod together; // many at once, and somebody else
