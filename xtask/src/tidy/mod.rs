//! The rules that no compiler checks. Each check is a pure function from files to violations.

mod arrows; // which crate may use which
mod circles; // files that import each other
mod code; // Rust source with comments and strings blanked, and its test parts marked
mod commands; // commands and options that documents name
mod docs; // paths that documents name
mod fuzz_targets; // the four parts of a fuzz target
mod packages; // how many packages we build on
mod prose; // the width of prose, and its phrases
mod report; // all checks on this checkout
mod requirements; // ids of requirements, explained and mentioned
mod source; // what every Rust file must be like
mod text; // what every tracked file must be like
mod tree; // the tracked files, and what a violation is

pub(crate) use report::check;
