//! Places outside of the roots, which a person granted. This process can't open them: a worker, a
//! process of its own behind walls of its own, serves them for as long as the grant holds.
mod starter; // the interface of what starts workers
mod places; // which worker serves a call
mod serve; // the side of the worker

pub(crate) use places::Places;
pub use serve::{WorkerError, WorkerOptions, open_worker};
pub use starter::{GrantSource, StartedWorker, WorkerStarter};
