//! Searches contents: lines of open files against a pattern, in bounded memory and time. Opens no
//! files and knows no paths.
mod pattern; // the pattern
mod line; // a line as the client gets it
mod lines; // the lines of one file
mod budget; // the time limit of a search
mod file; // searching one open file
mod gather; // the hits of all files, as far as they fit

pub(crate) use budget::Budget;
pub(crate) use file::{FileSearch, Verdict};
pub(crate) use gather::{Gather, Hits, Room, Stage};
pub(crate) use line::Line;
pub(crate) use pattern::{Pattern, PatternOptions};
