//! Changes as clients make them, on a temporary tree.
pub(crate) mod stage; // a server over a temporary tree
mod content; // write_file, edit_file, create_directory
mod large; // files that are not held
mod whole; // move_file, copy_file, delete_file
mod undo; // revert_change and the journal
mod irreversible; // what does not fit the journal
mod several; // edits of several files
mod examples; // the examples of every tool
mod etags; // what was read, what is there, and how models write arguments
mod faults; // every system call fails once; the process ends at every one
mod together; // many at once, and somebody else
