//! The passphrase that proves that a person answers where no terminal does. Only a memory-hard hash
//! of it is stored.
use std::path::{Path, PathBuf};

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::private_file::{self, PrivateFileError};

/// The minimum length, in characters.
pub const LEAST_CHARACTERS: usize = 8;
/// The maximum length, in bytes.
pub const MOST_BYTES: usize = 1024;

/// The passphrase can't be checked or set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PassphraseError {
    #[error(transparent)]
    File(PrivateFileError),
    #[error("the file of the passphrase can't be used: {why}")]
    Unusable { why: String },
    #[error("the passphrase has fewer than {LEAST_CHARACTERS} characters")]
    TooShort,
    #[error("the passphrase has more than {MOST_BYTES} bytes")]
    TooLong,
}

/// The cost of checking one passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub memory_kib: u32,
    pub passes: u32,
}

/// The passphrase of a state folder.
#[derive(Debug, Clone)]
pub struct Passphrase(PathBuf);

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptPassphrase {
    algorithm: String,
    memory_kib: u32,
    passes: u32,
    salt: String,
    hash: String,
}

const ALGORITHM: &str = "argon2id";
const HASH_BYTES: usize = 32;
const SALT_BYTES: usize = 16;
const FILE_BYTES: usize = 4 << 10;
/// The upper limit of the memory that the file may ask for.
const MOST_MEMORY_KIB: u32 = 1 << 20;
const MOST_PASSES: u32 = 64;

impl Default for Cost {
    /// The second recommendation of RFC 9106, on one thread.
    fn default() -> Self {
        Self { memory_kib: 64 << 10, passes: 3 }
    }
}

impl Passphrase {
    pub fn of(state: &Path) -> Self {
        Self(state.join("passphrase"))
    }

    pub fn is_set(&self) -> Result<bool, PassphraseError> {
        Ok(self.read()?.is_some())
    }

    /// Returns whether this is the passphrase. Returns false if none is set.
    pub fn matches(&self, text: &str) -> Result<bool, PassphraseError> {
        let Some(kept) = self.read()? else { return Ok(false) };
        let unusable = |why: &str| PassphraseError::Unusable { why: why.to_owned() };
        if kept.algorithm != ALGORITHM {
            return Err(unusable("its algorithm is unknown"));
        }
        let bytes = |text: &str| {
            STANDARD_NO_PAD.decode(text).map_err(|_| unusable("it has bytes that are no Base64"))
        };
        let (salt, hash) = (bytes(&kept.salt)?, bytes(&kept.hash)?);
        let found = hashed(text, &salt, Cost { memory_kib: kept.memory_kib, passes: kept.passes })?;
        Ok(text.len() <= MOST_BYTES && is_same(&found, &hash))
    }

    /// Sets the passphrase, and replaces an earlier one.
    pub fn set(&self, text: &str, cost: Cost) -> Result<(), PassphraseError> {
        if text.chars().count() < LEAST_CHARACTERS {
            return Err(PassphraseError::TooShort);
        }
        if text.len() > MOST_BYTES {
            return Err(PassphraseError::TooLong);
        }
        let mut salt = [0; SALT_BYTES];
        getrandom::fill(&mut salt).map_err(|error| PassphraseError::Unusable { why: error.to_string() })?;
        let hash = hashed(text, &salt, cost)?;
        let kept = KeptPassphrase {
            algorithm: ALGORITHM.to_owned(),
            memory_kib: cost.memory_kib,
            passes: cost.passes,
            salt: STANDARD_NO_PAD.encode(salt),
            hash: STANDARD_NO_PAD.encode(hash),
        };
        let text = serde_json::to_vec(&kept)
            .map_err(|error| PassphraseError::Unusable { why: error.to_string() })?;
        private_file::write(&self.0, &text).map_err(PassphraseError::File)
    }

    /// Removes the passphrase. Returns false if none was set.
    pub fn remove(&self) -> Result<bool, PassphraseError> {
        private_file::remove(&self.0).map_err(PassphraseError::File)
    }

    fn read(&self) -> Result<Option<KeptPassphrase>, PassphraseError> {
        let Some(text) = private_file::read(&self.0, FILE_BYTES).map_err(PassphraseError::File)? else {
            return Ok(None);
        };
        let kept = serde_json::from_str(&text);
        kept.map(Some).map_err(|error| PassphraseError::Unusable { why: error.to_string() })
    }
}

/// Compares in constant time: looks at every byte, however early two differ.
fn is_same(found: &[u8], hash: &[u8]) -> bool {
    let differs = found.iter().zip(hash).fold(0, |differs, (one, other)| differs | (one ^ other));
    found.len() == hash.len() && differs == 0
}

fn hashed(text: &str, salt: &[u8], cost: Cost) -> Result<[u8; HASH_BYTES], PassphraseError> {
    let unusable = |why: String| PassphraseError::Unusable { why };
    if cost.memory_kib > MOST_MEMORY_KIB || cost.passes > MOST_PASSES {
        return Err(unusable("it demands too much memory or time".to_owned()));
    }
    let params = Params::new(cost.memory_kib, cost.passes, 1, Some(HASH_BYTES))
        .map_err(|error| unusable(error.to_string()))?;
    let mut hash = [0; HASH_BYTES];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(text.as_bytes(), salt, &mut hash)
        .map_err(|error| unusable(error.to_string()))?;
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const CHEAP: Cost = Cost { memory_kib: 64, passes: 1 };

    #[test]
    fn a_09_only_the_passphrase_itself_matches() {
        let dir = tempfile::TempDir::new().unwrap();
        let passphrase = Passphrase::of(dir.path());
        assert!(!passphrase.is_set().unwrap());
        assert!(!passphrase.matches("").unwrap(), "none is set, so none is right");
        passphrase.set("correct horse", CHEAP).unwrap();
        assert!(passphrase.is_set().unwrap());
        assert!(passphrase.matches("correct horse").unwrap());
        for wrong in ["", "correct hors", "correct horse ", "Correct horse", &"x".repeat(5000)] {
            assert!(!passphrase.matches(wrong).unwrap(), "{wrong}");
        }
        passphrase.set("battery staple", CHEAP).unwrap();
        assert!(!passphrase.matches("correct horse").unwrap());
        assert!(passphrase.remove().unwrap() && !passphrase.remove().unwrap());
        assert!(!passphrase.matches("battery staple").unwrap());
    }

    #[test]
    fn the_file_holds_no_passphrase_and_is_for_its_owner_alone() {
        let dir = tempfile::TempDir::new().unwrap();
        let passphrase = Passphrase::of(dir.path());
        passphrase.set("correct horse", CHEAP).unwrap();
        let text = std::fs::read_to_string(&passphrase.0).unwrap();
        assert!(text.contains("argon2id") && !text.contains("correct"), "{text}");
        assert_eq!(std::fs::metadata(&passphrase.0).unwrap().permissions().mode() & 0o777, 0o600);
        // A user who can write the file could set a passphrase of their own.
        std::fs::set_permissions(&passphrase.0, std::fs::Permissions::from_mode(0o620)).unwrap();
        assert!(passphrase.matches("correct horse").is_err());
    }

    #[test]
    fn files_that_can_not_be_used_are_errors_and_never_a_match() {
        let dir = tempfile::TempDir::new().unwrap();
        let passphrase = Passphrase::of(dir.path());
        let kept = |change: &dyn Fn(&str) -> String| {
            passphrase.set("correct horse", CHEAP).unwrap();
            let text = std::fs::read_to_string(&passphrase.0).unwrap();
            private_file::write(&passphrase.0, change(&text).as_bytes()).unwrap();
            passphrase.matches("correct horse")
        };
        assert!(kept(&|_| String::new()).is_err());
        assert!(kept(&|text| text.replace("argon2id", "md5")).is_err());
        assert!(kept(&|text| text.replace("\"memory_kib\":64", "\"memory_kib\":4000000000")).is_err());
        assert!(kept(&|text| text.replace("\"passes\":1", "\"passes\":2000000000")).is_err());
        assert!(kept(&|text| text.replace("\"passes\":1", "\"passes\":0")).is_err());
        assert!(kept(&|_| "x".repeat(FILE_BYTES + 1)).is_err());
    }

    #[test]
    fn short_and_long_ones_are_not_taken() {
        let dir = tempfile::TempDir::new().unwrap();
        let passphrase = Passphrase::of(dir.path());
        assert!(matches!(passphrase.set("1234567", CHEAP), Err(PassphraseError::TooShort)));
        assert!(matches!(passphrase.set(&"x".repeat(MOST_BYTES + 1), CHEAP), Err(PassphraseError::TooLong)));
        assert!(!passphrase.is_set().unwrap());
    }
}
