//! Errors of one request of an authorization. Their texts contain no secret.
use std::error::Error;
use std::time::Duration;

use overt_transport::client::Secret;
use overt_wire::json::JsonBuf;

use super::rule::AddressError;

/// Why a request of an authorization failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Problem {
    #[error("the server named an address that is not used")]
    Address(#[from] AddressError),
    #[error("the host `{0}` is not known")]
    Unknown(String),
    #[error("the connection failed: {0}")]
    Broken(String),
    #[error("no answer within {0:?}")]
    Slow(Duration),
    #[error("the answer is over the limit of {0} bytes")]
    TooLarge(usize),
    #[error("the answer was HTTP status {status}{}", named(error))]
    Status { status: u16, error: Option<String> },
    #[error("could not set up TLS: {0}")]
    Setup(String),
}

const MAX_ERROR_CODE: usize = 64;

impl Problem {
    /// Makes the error for a connection that failed. Only the innermost cause is informative.
    pub(super) fn broken(error: &(dyn Error + 'static)) -> Self {
        let mut innermost = error;
        while let Some(cause) = innermost.source() {
            innermost = cause;
        }
        Self::Broken(innermost.to_string())
    }
}

/// Returns the `error` of an OAuth response, if it is a short word as specified. The rest of such a
/// response may repeat what was sent.
pub(super) fn error_code(body: &[u8]) -> Option<String> {
    let body = JsonBuf::parse(std::str::from_utf8(body).ok()?).ok()?;
    let code = body.as_json().get("error").string()?;
    let is_word = !code.is_empty()
        && code.len() <= MAX_ERROR_CODE
        && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_word.then(|| code.into_owned())
}

/// Returns the client secret in the response to a registration.
pub(super) fn registered_secret(body: &[u8]) -> Option<Secret> {
    let body = JsonBuf::parse(std::str::from_utf8(body).ok()?).ok()?;
    body.as_json().get("client_id").string()?;
    let secret = body.as_json().get("client_secret").string()?;
    (!secret.is_empty()).then(|| Secret::new(secret.as_ref()))
}

fn named(error: &Option<String>) -> String {
    error.as_ref().map_or_else(String::new, |error| format!(" with the error `{error}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_is_quoted_of_an_answer() {
        assert_eq!(error_code(br#"{"error":"invalid_grant","x":1}"#).as_deref(), Some("invalid_grant"));
        for body in [r#"{"error":"eyJhbGciOi.X"}"#, r#"{"error":""}"#, r#"{"error":5}"#, "no", "{}"] {
            assert_eq!(error_code(body.as_bytes()), None, "{body}");
        }
    }
}
