//! The interface to stores that keep tokens between runs. Each store has the tokens of one server.
use std::io;
use std::path::PathBuf;

use overt_wire::hex::hex;
use sha2::{Digest as _, Sha256};
use url::Url;

use super::issued_tokens::IssuedTokens;

/// Keeps the tokens for one server. Calls may block, but not for long.
pub trait TokenStore: Send + Sync {
    fn load(&self) -> Result<Option<IssuedTokens>, StoreError>;

    fn save(&self, issued: &IssuedTokens) -> Result<(), StoreError>;

    /// Deletes the tokens. Returns whether there were any.
    fn clear(&self) -> Result<bool, StoreError>;

    /// Locks the tokens, so that no other process renews them, until the guard is dropped. Returns
    /// `None` if another process has the lock.
    fn try_lock(&self) -> Result<Option<Box<dyn Send>>, StoreError>;

    /// Returns where the tokens are, for people.
    fn place(&self) -> String;
}

/// Why the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("failed to {what} `{path}`")]
    File { what: &'static str, path: PathBuf, source: io::Error },
    #[error("others can read the tokens in `{path}`: its mode is {mode:03o}, not 600")]
    Open { path: PathBuf, mode: u32 },
    #[error("`{path}` holds no tokens of ours")]
    Content { path: PathBuf },
}

impl StoreError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Open { path, .. } => Some(format!(
                "if nobody else has read it, `chmod 600 {}`; else log out and in again",
                path.display()
            )),
            Self::Content { path } => Some(format!("remove `{}` and log in again", path.display())),
            Self::File { .. } => None,
        }
    }
}

/// Returns a name for the tokens of a server. All spellings of an address have the same name, and
/// the name reveals no secret in the address.
pub(super) fn key_of(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    let digest = Sha256::digest(url.as_str().as_bytes());
    hex(&digest[..16])
}
