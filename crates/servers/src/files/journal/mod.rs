//! What was there before each change, so that it can be undone. One journal is shared by all file
//! servers of a user: it belongs to the files and not to the roots that they were served under.
//! Paths are text to it.
mod record; // what is said about one change
mod index; // what is in it, as far as this process knows
mod store; // the folder where it is kept
mod room; // how much of it is taken, and what goes
mod gather; // journals of earlier versions, moved into the shared one

pub use gather::gather_journals;
pub(crate) use record::{After, Before, Origin, PutStep, Record, Step, VERSION};
pub(crate) use room::KeepError;
pub(crate) use store::{Blob, Journal};
