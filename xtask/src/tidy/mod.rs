//! The rules that no compiler checks. Each check is a pure function from files to violations.

mod crate_dependencies; // which crates may use which
mod import_cycles; // import cycles between files
mod code; // Rust source with comments and strings blanked and tests marked
mod commands; // commands and options in documents
mod docs; // paths in documents
mod fuzz_targets; // the four parts of a fuzz target
mod packages; // the number of packages in the lock file
mod prose; // the width of prose, and phrases to avoid
mod report; // all checks on this checkout
mod requirements; // requirement ids, explained and mentioned
mod source; // rules for every Rust file
mod text; // rules for every tracked file
mod tree; // the tracked files, and the type of violations

pub(crate) use report::check;
