//! The file server: shows what it will do, and can undo what it did.
//!
//! **Invariant:** only `access` opens anything, and what it has opened is decided on the handle.
pub(crate) mod error; // how a file operation says no
mod file_digest; // by which the content of a file is recognised later
pub(crate) mod work; // what may wait for a disk, beside everything that may not
pub(crate) mod access; // what may be opened, and the only code that opens
pub mod sandbox; // the second wall, by the kernel
pub(crate) mod read; // what is in an open file
mod walk; // walks over trees by handles
mod search; // searches contents
mod write; // changes: prepared beside their place, made in one step
mod journal; // what was there before each change
mod undo; // takes changes back
mod settings; // what can be set, declared once
mod tools; // one file for each tool
pub(crate) mod watching; // notices what changes in folders
mod resources; // files and folders as resources
mod apps; // pages that clients show beside the tools
mod compat; // the same under the names of another server
mod options; // how the server is started
mod about; // the description of the server, as it was started
mod server; // everything that the tools share
mod endpoint; // opens it, and puts its tools together
#[cfg(test)]
mod tests; // what tests share

pub use access::OpenError;
pub use compat::Compat;
pub use journal::gather_journals;
pub use options::{NAME, OperatorLimits, Options};
pub use sandbox::Sandbox;
pub use server::FileServer;
pub use settings::settings;
pub use tools::TOOL_NAMES;
pub use undo::{Batch, History, PastChange, PlannedUndo, UndoError, UndoneChange};
