//! Line endings and byte-order marks: what a file has, it keeps.
use std::borrow::Cow;

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endings {
    /// No line ends.
    None,
    Lf,
    /// All of them.
    Crlf,
    Mixed,
}

const UTF_8: &[u8] = b"\xef\xbb\xbf";

/// The byte-order mark at the beginning; empty if there is none.
pub(crate) fn bom(bytes: &[u8]) -> &[u8] {
    if bytes.starts_with(UTF_8) { UTF_8 } else { b"" }
}

/// Whether bytes are of an encoding with two or four bytes for a letter, by their mark.
pub(crate) fn is_wide(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || bytes.starts_with(b"\x00\x00\xfe\xff")
}

impl Endings {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (mut lf, mut crlf) = (false, false);
        for end in memchr::memchr_iter(b'\n', bytes) {
            let is_crlf = end > 0 && bytes[end - 1] == b'\r';
            lf |= !is_crlf;
            crlf |= is_crlf;
            if lf && crlf {
                return Self::Mixed;
            }
        }
        match (lf, crlf) {
            (_, true) => Self::Crlf,
            (true, false) => Self::Lf,
            (false, false) => Self::None,
        }
    }

    /// The word in results.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Mixed => "mixed",
        }
    }

    /// The text with the endings of the file, where those are all CRLF; otherwise as it is.
    pub(crate) fn fit(self, text: &str) -> Cow<'_, str> {
        if self == Self::Crlf { Cow::Owned(with_crlf(text)) } else { Cow::Borrowed(text) }
    }
}

/// Every line ends with CRLF.
pub(super) fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_apart() {
        for (text, wanted) in [
            ("", Endings::None),
            ("a", Endings::None),
            ("a\r", Endings::None),
            ("a\nb", Endings::Lf),
            ("\n", Endings::Lf),
            ("a\r\nb", Endings::Crlf),
            ("\r\n\r\n", Endings::Crlf),
            ("a\r\nb\n", Endings::Mixed),
            ("a\nb\r\n", Endings::Mixed),
        ] {
            assert_eq!(Endings::of(text.as_bytes()), wanted, "{text:?}");
        }
        assert_eq!(Endings::Crlf.fit("a\nb\r\nc"), "a\r\nb\r\nc");
        assert_eq!(Endings::Lf.fit("a\nb\r\nc"), "a\nb\r\nc");
    }
}
