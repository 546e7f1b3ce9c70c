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

/// How a file keeps its text, by the mark at its beginning. What it has, it keeps: new text is written the same way (I-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Without a mark. Bytes that are no UTF-8 are nobody's text.
    Plain,
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Nothing is written so.
    Utf32,
}

impl Encoding {
    /// Of a file with these bytes at its beginning; four are enough.
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Self::Utf32,
            [0xff, 0xfe, ..] => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            [0xef, 0xbb, 0xbf, ..] => Self::Utf8,
            _ => Self::Plain,
        }
    }

    /// The mark at the beginning of the file.
    pub(crate) fn mark(self) -> &'static [u8] {
        match self {
            Self::Plain | Self::Utf32 => b"",
            Self::Utf8 => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
        }
    }

    /// The text as it stands in such a file, without a mark. None if nothing is written so.
    pub(crate) fn write(self, text: &str) -> Option<Cow<'_, [u8]>> {
        let text = if self == Self::Plain { text } else { text.strip_prefix('\u{feff}').unwrap_or(text) };
        match self {
            Self::Plain | Self::Utf8 => Some(Cow::Borrowed(text.as_bytes())),
            Self::Utf16Le => Some(Cow::Owned(text.encode_utf16().flat_map(u16::to_le_bytes).collect())),
            Self::Utf16Be => Some(Cow::Owned(text.encode_utf16().flat_map(u16::to_be_bytes).collect())),
            Self::Utf32 => None,
        }
    }

    /// How the lines of a file end.
    pub(crate) fn endings(self, bytes: &[u8]) -> Endings {
        let unit = match self {
            Self::Plain | Self::Utf8 => return Endings::of(bytes),
            Self::Utf32 => return Endings::None,
            Self::Utf16Le => u16::from_le_bytes,
            Self::Utf16Be => u16::from_be_bytes,
        };
        // Only line breaks count: everything else may be any letter.
        let letter = |pair: &[u8]| match unit([pair[0], pair[1]]) {
            0x0d => b'\r',
            0x0a => b'\n',
            _ => b'x',
        };
        Endings::of(&bytes.chunks_exact(2).map(letter).collect::<Vec<u8>>())
    }
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
    fn i_11_text_is_written_as_the_file_keeps_it() {
        for (head, text, wanted) in [
            (&b"ab"[..], "\u{feff}\u{e9}", Some(&b"\xef\xbb\xbf\xc3\xa9"[..])),
            (b"\xef\xbb\xbfx", "\u{feff}\u{e9}", Some(b"\xc3\xa9")),
            (b"\xff\xfea\0", "\u{feff}\u{e9}", Some(b"\xe9\0")),
            (b"\xfe\xff\0a", "\u{1f600}", Some(b"\xd8\x3d\xde\0")),
            (b"\xff\xfe\0\0", "x", None),
            (b"\xff\xfe", "x", Some(b"x\0")),
        ] {
            assert_eq!(Encoding::of(head).write(text).as_deref(), wanted, "{head:?}");
        }
        assert_eq!(Encoding::Utf16Le.endings(b"\xff\xfea\0\r\0\n\0"), Endings::Crlf);
        // A letter that only looks like a line break in one of its bytes.
        assert_eq!(Encoding::Utf16Be.endings(b"\xfe\xff\x0a\x0a\0a"), Endings::None);
    }

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
