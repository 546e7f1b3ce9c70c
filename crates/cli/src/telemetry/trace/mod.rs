//! `--trace`: the conversation as JSON Lines in a file, with secrets taken out.
mod record; // a message as a line
mod file; // the file and the thread that writes it
#[cfg(test)]
mod tests;

pub(crate) use file::{DropCounts, TraceFile};
