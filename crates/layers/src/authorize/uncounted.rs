//! Answers that a client gave by itself. They don't count: no person was asked.

/// Why the answer of a client does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uncounted {
    /// It came sooner than a person can read the question.
    Quick,
    /// It lacks the choice that a person must make.
    Unchosen,
}

impl Uncounted {
    /// The end of a sentence that says what the call needs.
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
