//! Checks that the files of a crate do not import each other in a cycle.

mod graph; // cycles in a graph of imports
mod imports; // the paths that a file names
mod modules; // the files of a crate, and the file behind a path
mod report; // the cycles in every crate

pub(crate) use report::check;
