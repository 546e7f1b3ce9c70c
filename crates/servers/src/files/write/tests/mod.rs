//! Changes as clients make them, on a temporary tree.
pub(crate) mod stage; // a server over a temporary tree
mod content; // write_file, edit_file, create_directory
mod large; // large files, which are not held in memory
mod whole_entry; // move_file, copy_file, delete_file
mod undo; // revert_change and the journal
mod irreversible; // what does not fit the journal
mod by_person; // what a person undid, and what an undoing is judged as
mod guarded; // files that start programs or permit tools
mod several; // edits of several files
mod examples; // the examples of every tool
mod etags; // etags, and arguments as models write them
mod faults; // every system call fails once, and the process is killed at every one
mod together; // many changes at once, and other programs in between
