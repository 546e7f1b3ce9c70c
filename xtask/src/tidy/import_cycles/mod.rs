//! Checks that files of a crate, an example or the page do not import each other in a cycle.

mod graph; // cycles in a graph of imports
mod imports; // the paths that a file names
mod modules; // the files of a crate, and the file behind a path
mod report; // the cycles in every crate, in every example and in the page
mod typescript; // the imports of the TypeScript files

pub(crate) use report::check;
