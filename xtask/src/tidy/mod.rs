//! The rules that no compiler checks. Each check is a pure function from files to violations.

mod arrows; // which crate may use which
mod code; // Rust source with comments and strings blanked, and its test parts marked
mod docs; // paths that documents name
mod packages; // how many packages we build on
mod report; // all checks on this checkout
mod source; // what every Rust file must be like
mod text; // what every tracked file must be like
mod tree; // the tracked files, and what a violation is

pub(crate) use report::check;
