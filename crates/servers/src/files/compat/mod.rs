//! The file server under the names of another one: its tools, arguments and results, with the work,
//! the plans, the journal and the limits of ours behind them. Knows nothing of how files are
//! opened.
mod names; // whose names those are
mod text_result; // what its tools give
mod words; // errors in its words
mod own_tools; // our tools, by name, for its tools to call
mod reading; // its tools that read files
mod listing; // its tools that look around
mod changing; // its tools that change something
mod official; // all of them

pub use names::Compat;
