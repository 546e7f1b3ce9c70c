//! Counts the tokens of texts. The token table is part of the program, so nothing is downloaded.
//! Reading it takes a third of a second, so that happens only when a count is requested.
use std::iter::Sum;
use std::ops::Add;

use serde::Serialize;
use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR};

use crate::error::{CommandError, user_error};

/// The public tokenization that every count here uses.
pub(crate) const ENCODING: &str = "o200k_base";

/// The tokens of the encoding, in the order of their numbers: for each, its length and its bytes
/// (`build.rs`).
const TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.tokens"));

/// The length of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    pub(crate) bytes: usize,
    /// By the name of the encoding.
    #[serde(rename = "o200k_base")]
    pub(crate) tokens: usize,
}

/// Maximum number of bytes of all texts together. A server chooses its texts, and some take long to
/// count.
const MOST_BYTES: usize = 8 << 20;

/// Bytes of a piece. Longer texts are counted in pieces, because the counter fails on a long run of
/// spaces. A piece that ends within a token makes the count too large by one.
const PIECE: usize = 64 << 10;

/// Counts the bytes and tokens of each text.
pub(super) fn count(texts: &[&str]) -> Result<Vec<Count>, CommandError> {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    if bytes > MOST_BYTES {
        return Err(user_error(format!(
            "the definitions have {bytes} bytes, and at most {MOST_BYTES} are counted; no model takes as many"
        )));
    }
    let counter = TokenCounter::new()?;
    Ok(texts.iter().map(|text| Count { bytes: text.len(), tokens: counter.count(text) }).collect())
}

/// A token counter, which reads its table once.
pub(crate) struct TokenCounter(CoreBPE);

impl TokenCounter {
    pub(crate) fn new() -> Result<Self, CommandError> {
        let numbered = tokens(TABLE).map(<[u8]>::to_vec).zip(0..).collect();
        // No special tokens, because in a definition their names are ordinary text.
        CoreBPE::new(numbered, Default::default(), O200K_BASE_PAT_STR).map(Self).map_err(|source| {
            user_error(format!("the table of `{ENCODING}` can't be read")).caused_by(source)
        })
    }

    /// Counts the tokens of a text. Only the first `MOST_BYTES` bytes count.
    pub(crate) fn count(&self, text: &str) -> usize {
        let mut rest = &text[..text.floor_char_boundary(MOST_BYTES)];
        let mut tokens = 0;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
            tokens += self.0.count_ordinary(piece);
            rest = after;
        }
        tokens
    }
}

fn tokens(mut table: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = table.split_first()?;
        let (token, rest) = rest.split_at_checked((*length).into())?;
        table = rest;
        Some(token)
    })
}

impl std::fmt::Debug for TokenCounter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("TokenCounter").finish_non_exhaustive()
    }
}

// === impl Count ===

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, tokens: self.tokens + other.tokens }
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table in the program equals the published table of the encoding.
    #[test]
    fn texts_have_as_many_tokens_as_the_encoding_says() {
        let (ours, theirs) = (TokenCounter::new().unwrap(), tiktoken_rs::o200k_base().unwrap());
        for text in [
            "",
            "Read a file. Returns its text and an etag.",
            "{\"type\":\"object\",\"properties\":{\"max_depth\":{\"minimum\":1}}}",
            "Größe, 東京, Привет, 👩‍👩‍👧, \u{0}",
            "        \t\n\n    <|endoftext|>",
        ] {
            assert_eq!(ours.count(text), theirs.count_ordinary(text), "{text:?}");
        }
        assert_eq!(tokens(TABLE).count(), 199_998);
    }
}
