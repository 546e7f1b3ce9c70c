//! Passphrases: reading one, and `overt passphrase`.
mod hidden_line; // a line that is typed without being shown
mod read; // reading a passphrase
mod task; // overt passphrase

pub(super) use read::{passphrase_from_stdin, read_passphrase};
pub(crate) use task::passphrase;
