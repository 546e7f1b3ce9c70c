//! What was there before each change, so that it can be undone. Knows nothing of tools, roots and clients: paths are text to it.
mod record; // what is said about one change
mod store; // the folder where it is kept

pub(crate) use record::{After, Before, Record, Step, VERSION};
pub(crate) use store::{Blob, Journal};
