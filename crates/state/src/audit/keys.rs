//! The two keys of a deployment: one for digests whose inputs can't be guessed, one to sign
//! checkpoints. They are files of mode 0600 outside the folder of the log, so a process that can
//! write the log can't make signatures.
use std::fmt;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_wire::hex::push_hex;
use ring::hmac::{self, HMAC_SHA256};
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use super::error::AuditError;
use super::files;

pub(super) struct Keys {
    /// The key for digests of names, such as a session's.
    digest: hmac::Key,
    /// The same key, for digests of arguments and results. These can be large, and HMAC-SHA-256 of
    /// a result of 1 MiB takes milliseconds on a processor without SHA instructions.
    content: [u8; 32],
    signing: Ed25519KeyPair,
}

/// The public half of the key that signs checkpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

const DIGEST: &str = "audit-digest.key";
const DIGEST_PREFIX: &str = "hmac-sha256:";
const CONTENT_PREFIX: &str = "blake3-keyed:";
const SIGNING: &str = "audit-signing.key";
const PUBLIC: &str = "ed25519:";

impl Keys {
    /// Reads the keys in the folder, and creates the missing ones.
    pub(super) fn open(folder: &Path) -> Result<Self, AuditError> {
        files::make_dir(folder)?;
        let digest_path = folder.join(DIGEST);
        let fresh = || {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).map_err(|_| AuditError::BadKey(digest_path.clone()))?;
            Ok(bytes.to_vec())
        };
        let digest = read_or_make(&digest_path, fresh)?;
        let digest: [u8; 32] = digest.try_into().map_err(|_| AuditError::BadKey(digest_path.clone()))?;
        let signing_path = folder.join(SIGNING);
        let bad = || AuditError::BadKey(signing_path.clone());
        let fresh = || {
            let pair = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| bad())?;
            Ok(pair.as_ref().to_vec())
        };
        let signing = Ed25519KeyPair::from_pkcs8(&read_or_make(&signing_path, fresh)?).map_err(|_| bad())?;
        Ok(Self { digest: hmac::Key::new(HMAC_SHA256, &digest), content: digest, signing })
    }

    /// Returns `hmac-sha256:…` of a name.
    pub(super) fn digest(&self, name: &str) -> String {
        prefixed_hex(DIGEST_PREFIX, hmac::sign(&self.digest, name.as_bytes()).as_ref())
    }

    /// Returns `blake3-keyed:…` of arguments or a result.
    pub(super) fn content_digest(&self, text: &str) -> String {
        prefixed_hex(CONTENT_PREFIX, blake3::keyed_hash(&self.content, text.as_bytes()).as_bytes())
    }

    /// Returns the signature of a text, in base64.
    pub(super) fn sign(&self, text: &str) -> String {
        STANDARD.encode(self.signing.sign(text.as_bytes()))
    }

    pub(super) fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.signing.public_key().as_ref());
        PublicKey(bytes)
    }
}

fn prefixed_hex(prefix: &str, bytes: &[u8]) -> String {
    let mut text = String::with_capacity(prefix.len() + 2 * bytes.len());
    text.push_str(prefix);
    push_hex(&mut text, bytes);
    text
}

fn read_or_make(
    path: &Path,
    fresh: impl FnOnce() -> Result<Vec<u8>, AuditError>,
) -> Result<Vec<u8>, AuditError> {
    let text = match files::read_private(path)? {
        Some(text) => text,
        None => {
            files::write_private_once(path, &format!("{}\n", STANDARD.encode(fresh()?)))?;
            files::read_private(path)?.unwrap_or_default()
        }
    };
    STANDARD.decode(text.trim()).map_err(|_| AuditError::BadKey(path.to_owned()))
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

// === impl PublicKey ===

impl PublicKey {
    /// Returns the key of a deployment, and creates it if there is none yet.
    pub fn of_folder(folder: &Path) -> Result<Self, AuditError> {
        Keys::open(folder).map(|keys| keys.public())
    }

    /// Returns the key of a deployment, if it has one.
    pub fn find(folder: &Path) -> Result<Option<Self>, AuditError> {
        match files::read_private(&folder.join(SIGNING))? {
            Some(_) => Self::of_folder(folder).map(Some),
            None => Ok(None),
        }
    }

    /// Parses the text that [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.trim().strip_prefix(PUBLIC)?).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// Returns whether this key made the signature of the text.
    pub fn signed(&self, text: &str, signature: &str) -> bool {
        let Ok(signature) = STANDARD.decode(signature) else { return false };
        UnparsedPublicKey::new(&ED25519, &self.0).verify(text.as_bytes(), &signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", STANDARD.encode(self.0))
    }
}
