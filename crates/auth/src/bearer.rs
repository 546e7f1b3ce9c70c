//! A bearer token that the user provides.
use std::io::Read as _;
use std::path::{Path, PathBuf};

use overt_transport::client::{Credentials, CredentialsError, Refusal, RetryDecision, Secret};
use overt_wire::BoxFuture;

/// Sends a fixed token, or the token in a file, as `Authorization: Bearer …`.
#[derive(Debug)]
pub struct Bearer(Source);

#[derive(Debug)]
enum Source {
    Fixed(Secret),
    /// Read for each request, so that replacing the file is enough to renew the token.
    File(PathBuf),
}

/// The most bytes that are read of a token file.
const MAX_BYTES: u64 = 64 << 10;

impl Bearer {
    /// Uses a token that does not change.
    pub fn fixed(token: &str) -> Result<Self, CredentialsError> {
        value_of(token, "the token").map(Source::Fixed).map(Self)
    }

    /// Uses the token in the first line of a file. The file must be readable now and for each
    /// request.
    pub fn file(path: impl Into<PathBuf>) -> Result<Self, CredentialsError> {
        let path = path.into();
        read(&path)?;
        Ok(Self(Source::File(path)))
    }
}

impl Credentials for Bearer {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<Secret>, CredentialsError>> {
        Box::pin(async {
            match &self.0 {
                Source::Fixed(value) => Ok(Some(value.clone())),
                Source::File(path) => read(path).map(Some),
            }
        })
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal) -> BoxFuture<'a, Result<RetryDecision, CredentialsError>> {
        Box::pin(async move {
            // Try again if the file was replaced meanwhile.
            match &self.0 {
                Source::File(path) if Some(&read(path)?) != refusal.sent.as_ref() => {
                    Ok(RetryDecision::TryAgain)
                }
                _ if refusal.is_by_overt() => {
                    Err(CredentialsError::new("the server does not accept the token")
                        .with_hint("ask the owner of the server for another one (`overt token create`)"))
                }
                _ => Ok(RetryDecision::GiveUp),
            }
        })
    }
}

fn read(path: &Path) -> Result<Secret, CredentialsError> {
    let mut text = String::new();
    let outcome = std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    outcome.map_err(|error| {
        CredentialsError::new(format!("the token file `{}` can't be read", path.display())).because_of(error)
    })?;
    value_of(text.lines().next().unwrap_or_default(), "the first line of the token file")
}

fn value_of(token: &str, what: &str) -> Result<Secret, CredentialsError> {
    let token = token.trim();
    // Some users put the whole header value into the variable.
    let token = match token.split_once(' ') {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("bearer") => rest.trim_start(),
        _ => token,
    };
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(CredentialsError::new(format!("{what} is empty or has characters that no token has")));
    }
    Ok(Secret::new(format!("Bearer {token}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(sent: &Secret) -> Refusal {
        Refusal { status: 401, challenges: Vec::new(), sent: Some(sent.clone()) }
    }

    #[tokio::test]
    async fn a_fixed_token_is_sent_as_it_is_and_does_not_show() {
        for text in ["t0ken", " t0ken\n", "Bearer t0ken", "bearer  t0ken"] {
            let bearer = Bearer::fixed(text).unwrap();
            let sent = bearer.authorization().await.unwrap().unwrap();
            assert_eq!(sent.expose(), "Bearer t0ken");
            assert_eq!(bearer.refused(&refusal(&sent)).await.unwrap(), RetryDecision::GiveUp);
            assert!(!format!("{bearer:?}").contains("t0ken"));
        }
        for text in ["", "  ", "a b", "a\u{7f}", "é", "a\r\nX: 1"] {
            let error = Bearer::fixed(text).unwrap_err();
            assert!(text.trim().is_empty() || !error.to_string().contains(text), "{error}");
        }
    }

    #[tokio::test]
    async fn a_token_file_can_be_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        assert!(Bearer::file(&path).is_err());
        std::fs::write(&path, "one\n").unwrap();
        let bearer = Bearer::file(&path).unwrap();
        let sent = bearer.authorization().await.unwrap().unwrap();
        assert_eq!(bearer.refused(&refusal(&sent)).await.unwrap(), RetryDecision::GiveUp);
        std::fs::write(&path, "two\n").unwrap();
        assert_eq!(bearer.refused(&refusal(&sent)).await.unwrap(), RetryDecision::TryAgain);
        assert_eq!(bearer.authorization().await.unwrap().unwrap().expose(), "Bearer two");
    }
}
