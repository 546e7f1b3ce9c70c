//! Where tokens are kept between runs. A store holds those of one server.
use std::io;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};
use url::Url;

use super::grant::Grant;

/// Keeps the tokens for one server. The calls are short; they may block.
pub trait TokenStore: Send + Sync {
    fn load(&self) -> Result<Option<Grant>, StoreError>;

    fn save(&self, grant: &Grant) -> Result<(), StoreError>;

    /// Forgets the tokens; says whether there were any.
    fn clear(&self) -> Result<bool, StoreError>;

    /// Keeps other processes from renewing the same tokens, until the guard is dropped. Nothing if
    /// another one is at it now.
    fn try_lock(&self) -> Result<Option<Box<dyn Send>>, StoreError>;

    /// Where they are, for people.
    fn place(&self) -> String;
}

/// The store failed.
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

/// A name for the tokens of a server: the same for every way to write its address, and without what
/// may be secret in it.
pub(super) fn key_of(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    let digest = Sha256::digest(url.as_str().as_bytes());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
