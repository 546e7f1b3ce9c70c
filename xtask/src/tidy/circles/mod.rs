//! No files of a crate import each other in a circle.

mod graph; // who reaches whom
mod imports; // the paths that a file names
mod modules; // the files of a crate, and the file behind a path
mod report; // the circles of every crate

pub(crate) use report::check;
