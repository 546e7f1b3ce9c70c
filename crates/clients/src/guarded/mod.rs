//! Files that start programs by themselves or permit tools, and how a change of one is judged.
//! Everything here is judged by the path and the content that a change results in.
mod table; // the guarded files and their date
mod names; // path patterns, for file systems with other rules about names too
mod judge; // what a change of a guarded file means

pub use judge::{Content, GuardedFile, Judgement};
pub use names::PathNames;
pub use table::{GUARDED_FROM, GuardedRow, ROWS, Rule};

#[cfg(test)]
mod tests; // each row, and each way around it
