//! The file server under the names of another one: the other server's tools, arguments and results,
//! with our implementation, plans, journal and limits behind them. Knows nothing about how files
//! are opened.
mod names; // which server's names to use
mod text_result; // results of the adapters
mod reworded_error; // rewording of errors
mod own_tools; // our tools, by name, for the adapters to call
mod reading; // adapters of reading tools
mod listing; // adapters of listing tools
mod changing; // adapters of changing tools
mod official; // all tools of the official server

pub use names::Compat;
