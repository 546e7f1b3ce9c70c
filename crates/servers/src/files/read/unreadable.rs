//! Why a file can't be read as text.

/// The reason why a file can't be read as text.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// The file is not text, although it began like text.
    NotText,
    /// The text has fewer lines; with their number.
    PastEnd {
        lines: u64,
    },
    /// The line is beyond the part of a file in which lines are counted.
    TooFar {
        bytes: u64,
    },
    /// The call was given up.
    Stopped,
    System(std::io::Error),
}
