//! Only a person answers questions: on a terminal of their own, or with a passphrase that
//! they set.
mod authorize; // whether this process may answer
mod hidden_line; // what is typed and not shown
mod passphrase; // overt passphrase

pub(super) use authorize::{Answerer, NotAnswerer, PersonProof};
pub(crate) use passphrase::passphrase;
