//! Why a file can't be read as text.

/// Why there is no text.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// It is not a text, although it began like one.
    NotText,
    /// The text has fewer lines; as many as were counted.
    PastEnd {
        lines: u64,
    },
    /// The line is further into the file than lines are counted.
    TooFar {
        bytes: u64,
    },
    /// The call was given up.
    Stopped,
    System(std::io::Error),
}
