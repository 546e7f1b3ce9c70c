//! The journal: the content before each change, so that the change can be undone. All file servers
//! of a user share one journal, because it belongs to the files and not to the roots that they were
//! served under. The journal treats paths as plain text.
mod record; // the record of one change
mod index; // which changes there are, as far as this process knows
mod store; // the folder on disk
mod room; // room for new changes, and eviction of old ones

pub(crate) use record::{After, Before, Origin, PutStep, Record, RecordedStep, UNDO_BY_PERSON, VERSION};
pub(crate) use room::KeepError;
pub(crate) use store::{Blob, Journal};
