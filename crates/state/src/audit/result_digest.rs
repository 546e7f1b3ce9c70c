//! The digest of a result, for the record of its call.
use overt_wire::Message;

use super::keys::Keys;

/// The digest of a result, and its length.
#[derive(Debug)]
pub(super) struct ResultDigest {
    digest: String,
    bytes: usize,
}

impl ResultDigest {
    /// Returns `None` for an answer without a result.
    pub(super) fn of(answer: &Message, keys: &Keys) -> Option<Self> {
        let result = answer.result_body().value()?.as_str();
        Some(Self { digest: keys.content_digest(result), bytes: result.len() })
    }

    pub(super) fn as_str(&self) -> &str {
        &self.digest
    }

    /// Returns the length of the result in bytes, as text.
    pub(super) fn length(&self) -> String {
        self.bytes.to_string()
    }
}
