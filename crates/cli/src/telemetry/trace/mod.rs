//! `--trace`: writes the conversation to a file as JSON Lines, without secrets.
mod record; // formats a message as a line
mod file; // the file and the thread that writes it
#[cfg(test)]
mod tests;

pub(crate) use file::{DropCounts, TraceFile};
