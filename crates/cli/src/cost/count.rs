//! Tokens of texts. The tables are part of the program: nothing is fetched. Reading them takes a
//! third of a second each, so they are read only when a cost is asked for, and both at once.
use std::error::Error;
use std::iter::Sum;
use std::ops::Add;
use std::thread;

use tiktoken_rs::CoreBPE;

use crate::failure::Complaint;

/// A public way to cut text into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    O200k,
    Cl100k,
}

/// How long a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) bytes: usize,
    pub(crate) o200k: usize,
    pub(crate) cl100k: usize,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CostError {
    #[error(
        "the definitions have {bytes} bytes, and at most {MOST_BYTES} are counted; no model takes as many"
    )]
    TooMuch { bytes: usize },
    #[error("the table of `{}` can't be read", .encoding.name())]
    Table { encoding: Encoding, source: Box<dyn Error + Send + Sync> },
}

impl Complaint for CostError {}

/// Of all texts together. A server chooses its texts, and some take long to count.
const MOST_BYTES: usize = 8 << 20;

/// Longer texts are counted in pieces: on a long run of spaces the counter fails. A piece that ends
/// within a token makes the count too large by one.
const PIECE: usize = 64 << 10;

/// Counts each text in both encodings.
pub(super) fn count(texts: &[&str]) -> Result<Vec<Count>, CostError> {
    let bytes = texts.iter().map(|text| text.len()).sum();
    if bytes > MOST_BYTES {
        return Err(CostError::TooMuch { bytes });
    }
    let (o200k, cl100k) = thread::scope(|scope| {
        let other = scope.spawn(|| Encoding::Cl100k.count(texts));
        let one = Encoding::O200k.count(texts);
        (one, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let tokens = o200k?.into_iter().zip(cl100k?);
    let counts = texts.iter().zip(tokens);
    Ok(counts.map(|(text, (o200k, cl100k))| Count { bytes: text.len(), o200k, cl100k }).collect())
}

/// Counts texts in one encoding, `o200k_base`, with a table that is read once.
pub(crate) struct TokenCounter(CoreBPE);

impl TokenCounter {
    pub(crate) fn new() -> Result<Self, CostError> {
        let encoding = Encoding::O200k;
        let table = tiktoken_rs::o200k_base();
        table.map(Self).map_err(|source| CostError::Table { encoding, source: source.into() })
    }

    /// Text beyond the largest that is counted does not count.
    pub(crate) fn count(&self, text: &str) -> usize {
        tokens(&self.0, &text[..text.floor_char_boundary(MOST_BYTES)])
    }
}

impl std::fmt::Debug for TokenCounter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("TokenCounter").finish_non_exhaustive()
    }
}

// === impl Encoding ===

impl Encoding {
    pub(crate) const ALL: [Self; 2] = [Self::O200k, Self::Cl100k];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k_base",
            Self::Cl100k => "cl100k_base",
        }
    }

    fn count(self, texts: &[&str]) -> Result<Vec<usize>, CostError> {
        let table = match self {
            Self::O200k => tiktoken_rs::o200k_base(),
            Self::Cl100k => tiktoken_rs::cl100k_base(),
        };
        let table = table.map_err(|source| CostError::Table { encoding: self, source: source.into() })?;
        Ok(texts.iter().map(|text| tokens(&table, text)).collect())
    }
}

/// Words that are special to a model are ordinary here: in a definition they are text.
fn tokens(table: &CoreBPE, mut text: &str) -> usize {
    let mut tokens = 0;
    while !text.is_empty() {
        let (piece, rest) = text.split_at(text.floor_char_boundary(PIECE));
        tokens += table.count_ordinary(piece);
        text = rest;
    }
    tokens
}

// === impl Count ===

impl Count {
    pub(crate) fn tokens(self, encoding: Encoding) -> usize {
        match encoding {
            Encoding::O200k => self.o200k,
            Encoding::Cl100k => self.cl100k,
        }
    }
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            o200k: self.o200k + other.o200k,
            cl100k: self.cl100k + other.cl100k,
        }
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}
