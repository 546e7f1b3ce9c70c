//! Searches contents: lines of open files against a pattern, in bounded memory and time. Opens
//! nothing and knows no paths.
mod pattern; // the pattern
mod line; // a line as it is given
mod lines; // the lines of one file that are kept
mod budget; // how long a search may take
mod file; // one open file
mod gather; // what all files give together, as much as fits

pub(crate) use budget::Budget;
pub(crate) use file::{FileSearch, Verdict};
pub(crate) use gather::{Gather, Hits, Room, Stage};
pub(crate) use line::Line;
pub(crate) use pattern::{Pattern, PatternOptions};
