//! Tokens of texts. The table is part of the program: nothing is fetched. Reading it takes a third
//! of a second, so it is read only when a count is asked for.
use std::error::Error;
use std::iter::Sum;
use std::ops::Add;

use tiktoken_rs::CoreBPE;

use crate::failure::Complaint;

/// The public way to cut text into tokens that every count here uses.
pub(crate) const ENCODING: &str = "o200k_base";

/// How long a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) bytes: usize,
    pub(crate) tokens: usize,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CostError {
    #[error(
        "the definitions have {bytes} bytes, and at most {MOST_BYTES} are counted; no model takes as many"
    )]
    TooMuch { bytes: usize },
    #[error("the table of `{ENCODING}` can't be read")]
    Table(#[source] Box<dyn Error + Send + Sync>),
}

impl Complaint for CostError {}

/// Of all texts together. A server chooses its texts, and some take long to count.
const MOST_BYTES: usize = 8 << 20;

/// Longer texts are counted in pieces: on a long run of spaces the counter fails. A piece that ends
/// within a token makes the count too large by one.
const PIECE: usize = 64 << 10;

/// Counts each text.
pub(super) fn count(texts: &[&str]) -> Result<Vec<Count>, CostError> {
    let bytes = texts.iter().map(|text| text.len()).sum();
    if bytes > MOST_BYTES {
        return Err(CostError::TooMuch { bytes });
    }
    let counter = TokenCounter::new()?;
    Ok(texts.iter().map(|text| Count { bytes: text.len(), tokens: counter.count(text) }).collect())
}

/// Counts texts with a table that is read once.
pub(crate) struct TokenCounter(CoreBPE);

impl TokenCounter {
    pub(crate) fn new() -> Result<Self, CostError> {
        tiktoken_rs::o200k_base().map(Self).map_err(|source| CostError::Table(source.into()))
    }

    /// Text beyond the largest that is counted does not count. Words that are special to a model
    /// are ordinary here: in a definition they are text.
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
