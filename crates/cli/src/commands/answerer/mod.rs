//! Ensures that only a person answers questions: on their own terminal, or with a passphrase
//! that they set.
mod authorize; // whether this process may answer
mod hidden_line; // a line that is typed without being shown
mod passphrase; // overt passphrase

pub(super) use authorize::{Answerer, NotAnswerer, PersonProof};
pub(crate) use passphrase::passphrase;
