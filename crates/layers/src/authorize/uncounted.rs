//! Answers that a client gave without asking a person. They don't count.

/// Why a client's answer does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uncounted {
    /// The answer came sooner than a person can read the question.
    Quick,
    /// The answer lacks the choice that a person must make.
    Unchosen,
}

impl Uncounted {
    /// Returns the end of a sentence that begins with what the call needs.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Quick => {
                "the answer does not count, because it came sooner after the question than a person can read it"
            }
            Self::Unchosen => {
                "the answer does not count, because it lacks the choice that only a person makes"
            }
        }
    }
}
