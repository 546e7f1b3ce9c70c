//! Limits on a JSON text, and the reasons for which a text is refused.
use std::fmt;

/// The deepest nesting that a limit can allow. The scanner keeps one slot per level.
pub(crate) const DEEPEST: usize = 128;

/// Limits on the size and the structure of a JSON text.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of the whole text, at most 4 GiB.
    pub max_bytes: usize,
    /// Depth of nested containers; `[[]]` has depth 2. At most 128.
    pub max_depth: usize,
    /// Number of values of any kind. It keeps a short text from becoming a huge tree.
    pub max_nodes: usize,
}

/// The reason for which a text was refused, and the byte at which the problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub at: usize,
}

/// The reasons for which a text can be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    InvalidUtf8,
    DuplicateMember,
    LoneSurrogate,
    TooDeep,
    TooLarge,
    TooManyValues,
    TrailingText,
    Incomplete,
    /// The syntax that was expected at this byte.
    Expected(&'static str),
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 16 << 20, max_depth: DEEPEST, max_nodes: 1_000_000 }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        match self.kind {
            FaultKind::InvalidUtf8 => write!(f, "not valid UTF-8 at byte {at}"),
            FaultKind::DuplicateMember => write!(f, "duplicate member name at byte {at}"),
            FaultKind::LoneSurrogate => write!(f, "a surrogate escape without its other half at byte {at}"),
            FaultKind::TooDeep => write!(f, "nested too deeply at byte {at}"),
            FaultKind::TooLarge => write!(f, "longer than {at} bytes"),
            FaultKind::TooManyValues => write!(f, "too many values, at byte {at}"),
            FaultKind::TrailingText => write!(f, "text after the end of the JSON value at byte {at}"),
            FaultKind::Incomplete => write!(f, "the JSON text ends too early"),
            FaultKind::Expected(what) => write!(f, "expected {what} at byte {at}"),
        }
    }
}

impl std::error::Error for Fault {}
