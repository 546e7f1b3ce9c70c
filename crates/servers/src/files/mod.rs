//! The file server: shows what it will do, and can undo what it did.
//!
//! **Invariant:** only `access` opens files, and it decides about each one on the open handle.
pub(crate) mod error; // errors of file operations, with their codes
mod file_digest; // digests that identify the content of a file
pub(crate) mod work; // threads for jobs that may wait for a disk
pub(crate) mod access; // access checks, and the only code that opens files
pub mod sandbox; // confinement of the process by the kernel
pub(crate) mod read; // the content of an open file
mod walk; // walking trees from handle to handle
mod search; // searching contents
mod write; // changes: prepared in a temporary file, made in one step
mod journal; // the content before each change
mod undo; // undoing changes
mod settings; // the declared settings
mod tools; // one file for each tool
mod granted; // places outside of the roots, which a person granted
pub(crate) mod watching; // notices of changes in folders
mod resources; // files and folders as resources
mod apps; // pages that clients show beside the tools
mod compat; // the tools under the names of another server
mod options; // start options
mod about; // the description of the server, as it was started
mod server; // the state that the tools share
mod endpoint; // opening the server and building its endpoint
#[cfg(test)]
mod tests; // helpers that tests share

pub use access::OpenError;
pub use compat::Compat;
pub use granted::{GrantSource, StartedWorker, WorkerError, WorkerOptions, WorkerStarter, open_worker};
pub use options::{NAME, OperatorLimits, Options};
pub use sandbox::Sandbox;
pub use server::FileServer;
pub use settings::settings;
pub use tools::TOOL_NAMES;
pub use undo::{Batch, History, PastChange, PlannedUndo, UndoChanges, UndoError, UndoneBatch, UndoneChange};
