//! Tokens of clients that belong to other users and reach a server over HTTP. Only the hash of a
//! token is stored. Each token has its own file, so every running server refuses a revoked token
//! from the next request on.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use overt_wire::Principal;
use overt_wire::hex::hex;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use crate::private_file::{self, PrivateFileError};

/// The access tokens in a state folder.
#[derive(Debug, Clone)]
pub struct AccessTokens(PathBuf);

/// The stored facts about a token; not the token itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// The beginning of the token's hash. It tells tokens apart and gives no access.
    pub id: String,
    pub name: String,
    /// Creation time, in seconds since 1970.
    pub created: u64,
}

/// A token can't be stored or found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    #[error(transparent)]
    File(PrivateFileError),
    #[error("there are {MOST_TOKENS} tokens already")]
    TooMany,
    #[error("the system gives no random bytes: {0}")]
    NoRandomness(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct TokenFile {
    name: String,
    created: u64,
}

/// The most tokens that one user can have.
pub const MOST_TOKENS: usize = 256;
/// The prefix of every token, by which people and scanners recognize one.
const PREFIX: &str = "overt_";
const RANDOM_BYTES: usize = 32;
/// The most bytes of a token. Longer texts are rejected without being hashed.
const LONGEST: usize = 128;
const FILE_BYTES: usize = 4 << 10;
const ID_CHARACTERS: usize = 8;

impl AccessTokens {
    pub fn of(state: &Path) -> Self {
        Self(state.join("tokens-http"))
    }

    /// Creates a token and returns it. Only its hash is stored, so it can't be shown again.
    pub fn create(&self, name: &str, now: u64) -> Result<(String, AccessToken), TokenError> {
        if self.list()?.len() >= MOST_TOKENS {
            return Err(TokenError::TooMany);
        }
        let mut random = [0; RANDOM_BYTES];
        getrandom::fill(&mut random).map_err(|error| TokenError::NoRandomness(error.to_string()))?;
        let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
        let hash = hash(&token);
        let kept = TokenFile { name: name.to_owned(), created: now };
        let text = serde_json::to_vec(&kept).unwrap_or_default();
        private_file::write(&self.0.join(&hash), &text).map_err(TokenError::File)?;
        Ok((token, AccessToken { id: id(&hash), name: kept.name, created: now }))
    }

    /// Returns the holder of this token. `None` if the token does not exist, is revoked, or if its
    /// file can't be read.
    pub fn holder(&self, token: &str) -> Option<Principal> {
        if token.len() > LONGEST || !token.starts_with(PREFIX) {
            return None;
        }
        let hash = hash(token);
        private_file::read(&self.0.join(&hash), FILE_BYTES).ok()??;
        Some(Principal::token_holder(&id(&hash)))
    }

    /// Lists all tokens, oldest first.
    pub fn list(&self) -> Result<Vec<AccessToken>, TokenError> {
        let mut tokens: Vec<AccessToken> =
            self.files()?.iter().filter_map(|hash| self.token(hash).transpose()).collect::<Result<_, _>>()?;
        tokens.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        Ok(tokens)
    }

    /// Deletes the token. Returns false if it does not exist.
    pub fn revoke(&self, token: &AccessToken) -> Result<bool, TokenError> {
        let Some(hash) = self.files()?.into_iter().find(|hash| id(hash) == token.id) else {
            return Ok(false);
        };
        private_file::remove(&self.0.join(hash)).map_err(TokenError::File)
    }

    fn token(&self, hash: &str) -> Result<Option<AccessToken>, TokenError> {
        let text = private_file::read(&self.0.join(hash), FILE_BYTES).map_err(TokenError::File)?;
        // A token whose file was changed is still listed, so that it can be revoked.
        Ok(text.map(|text| {
            let kept = serde_json::from_str(&text).unwrap_or(TokenFile { name: String::new(), created: 0 });
            AccessToken { id: id(hash), name: kept.name, created: kept.created }
        }))
    }

    /// Lists the hashes of all tokens, which are the names of their files.
    fn files(&self) -> Result<Vec<String>, TokenError> {
        let failed = |error| TokenError::File(PrivateFileError::new("read", &self.0, error));
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut files = Vec::new();
        for entry in entries.take(2 * MOST_TOKENS) {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if name.len() == 2 * RANDOM_BYTES && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                files.push(name);
            }
        }
        Ok(files)
    }
}

fn hash(token: &str) -> String {
    hex(digest(&SHA256, token.as_bytes()).as_ref())
}

fn id(hash: &str) -> String {
    hash.chars().take(ID_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_06_a_token_holds_until_it_is_revoked_and_is_not_kept() {
        let dir = tempfile::TempDir::new().unwrap();
        let tokens = AccessTokens::of(dir.path());
        assert!(tokens.list().unwrap().is_empty() && tokens.holder("overt_x").is_none());
        let (first, known) = tokens.create("ada", 5).unwrap();
        let (second, _) = tokens.create("ada", 6).unwrap();
        assert_ne!(first, second);
        assert!(tokens.holder(&first).is_some() && tokens.holder(&second).is_some());
        assert_eq!(tokens.list().unwrap()[0], known);
        for file in fs::read_dir(&tokens.0).unwrap() {
            let file = file.unwrap();
            let text = format!("{:?} {}", file.file_name(), fs::read_to_string(file.path()).unwrap());
            assert!(!text.contains(&first[6..]) && !text.contains(&second[6..]), "{text}");
        }
        assert!(tokens.revoke(&known).unwrap());
        assert!(tokens.holder(&first).is_none() && tokens.holder(&second).is_some());
        assert!(!tokens.revoke(&known).unwrap());
    }

    #[test]
    fn what_is_no_token_of_ours_is_refused() {
        let dir = tempfile::TempDir::new().unwrap();
        let tokens = AccessTokens::of(dir.path());
        let (token, known) = tokens.create("", 0).unwrap();
        let hash = hash(&token);
        for wrong in [
            "",
            "overt_",
            &token[1..],
            &token[..token.len() - 1],
            &hash,
            &known.id,
            "../passphrase",
            &"overt_".repeat(90),
        ] {
            assert!(tokens.holder(wrong).is_none(), "{wrong}");
        }
    }
}
