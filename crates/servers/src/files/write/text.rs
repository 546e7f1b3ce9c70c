//! Encodings, byte-order marks and line endings. A changed file keeps those that it has.
use std::borrow::Cow;

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endings {
    /// The file has no line break.
    None,
    Lf,
    /// All line breaks are CRLF.
    Crlf,
    Mixed,
}

/// The encoding of a file's text, detected by its byte-order mark. New text is written in the same
/// encoding (I-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// No mark. Bytes that are not UTF-8 make the file binary.
    Plain,
    Utf8,
    Utf16Le,
    Utf16Be,
    /// A one-byte encoding with few letters. Detected by more than a mark.
    Windows1252,
    /// Detected only to be refused; never written.
    Utf32,
}

impl Encoding {
    /// Detects the encoding by the first bytes of a file. Four bytes are enough.
    pub(crate) fn of(head: &[u8]) -> Self {
        match head {
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Self::Utf32,
            [0xff, 0xfe, ..] => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            [0xef, 0xbb, 0xbf, ..] => Self::Utf8,
            _ => Self::Plain,
        }
    }

    /// Returns the byte-order mark of the encoding.
    pub(crate) fn mark(self) -> &'static [u8] {
        match self {
            Self::Plain | Self::Windows1252 | Self::Utf32 => b"",
            Self::Utf8 => b"\xef\xbb\xbf",
            Self::Utf16Le => b"\xff\xfe",
            Self::Utf16Be => b"\xfe\xff",
        }
    }

    /// Encodes a text, without a byte-order mark. `None` if the encoding lacks some of its letters,
    /// or is never written.
    pub(crate) fn write(self, text: &str) -> Option<Cow<'_, [u8]>> {
        let text = if matches!(self, Self::Plain | Self::Windows1252) {
            text
        } else {
            text.strip_prefix('\u{feff}').unwrap_or(text)
        };
        match self {
            Self::Plain | Self::Utf8 => Some(Cow::Borrowed(text.as_bytes())),
            Self::Utf16Le => Some(Cow::Owned(text.encode_utf16().flat_map(u16::to_le_bytes).collect())),
            Self::Utf16Be => Some(Cow::Owned(text.encode_utf16().flat_map(u16::to_be_bytes).collect())),
            Self::Windows1252 => {
                let (bytes, _, has_lost) = encoding_rs::WINDOWS_1252.encode(text);
                (!has_lost).then_some(bytes)
            }
            Self::Utf32 => None,
        }
    }

    /// Finds how the lines of a file end.
    pub(crate) fn endings(self, bytes: &[u8]) -> Endings {
        let mut finder = EndingsFinder::new(self);
        finder.push(bytes);
        finder.finish()
    }
}

/// Finds how the lines of a file end, piece by piece. Each piece but the last must have an even
/// number of bytes.
#[derive(Debug)]
pub(crate) struct EndingsFinder {
    encoding: Encoding,
    has_lf: bool,
    has_crlf: bool,
    /// Whether the previous piece ended with a carriage return.
    is_after_cr: bool,
}

impl EndingsFinder {
    pub(crate) fn new(encoding: Encoding) -> Self {
        Self { encoding, has_lf: false, has_crlf: false, is_after_cr: false }
    }

    pub(crate) fn push(&mut self, piece: &[u8]) {
        match self.encoding {
            _ if self.has_lf && self.has_crlf => {}
            Encoding::Plain | Encoding::Utf8 | Encoding::Windows1252 => self.push_bytes(piece),
            Encoding::Utf16Le => self.push_units(piece, u16::from_le_bytes),
            Encoding::Utf16Be => self.push_units(piece, u16::from_be_bytes),
            Encoding::Utf32 => {}
        }
    }

    fn push_bytes(&mut self, piece: &[u8]) {
        for end in memchr::memchr_iter(b'\n', piece) {
            let is_crlf = if end > 0 { piece[end - 1] == b'\r' } else { self.is_after_cr };
            self.has_lf |= !is_crlf;
            self.has_crlf |= is_crlf;
        }
        self.is_after_cr = piece.last().map_or(self.is_after_cr, |last| *last == b'\r');
    }

    fn push_units(&mut self, piece: &[u8], unit: fn([u8; 2]) -> u16) {
        for pair in piece.as_chunks::<2>().0 {
            let unit = unit(*pair);
            if unit == u16::from(b'\n') {
                self.has_lf |= !self.is_after_cr;
                self.has_crlf |= self.is_after_cr;
            }
            self.is_after_cr = unit == u16::from(b'\r');
        }
    }

    pub(crate) fn finish(self) -> Endings {
        match (self.has_lf, self.has_crlf) {
            (true, true) => Endings::Mixed,
            (false, true) => Endings::Crlf,
            (true, false) => Endings::Lf,
            (false, false) => Endings::None,
        }
    }
}

impl Endings {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Encoding::Plain.endings(bytes)
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

    /// Returns the text with CRLF line breaks if the file has only those; otherwise unchanged.
    pub(crate) fn fit(self, text: &str) -> Cow<'_, str> {
        if self == Self::Crlf { Cow::Owned(with_crlf(text)) } else { Cow::Borrowed(text) }
    }
}

/// Converts all line breaks to CRLF.
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
        // A letter of which one byte looks like a line break.
        assert_eq!(Encoding::Utf16Be.endings(b"\xfe\xff\x0a\x0a\0a"), Endings::None);
    }

    /// I-12: reading a file in pieces finds the same line endings as reading it as a whole.
    #[test]
    fn i_12_endings_are_found_across_pieces() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        for text in ["ab\r\nc", "abc\r\nd\ne", "a\nb", "\r\r\n", "abcd"] {
            for (encoding, bytes) in [(Encoding::Plain, text.into()), (Encoding::Utf16Le, wide(text))] {
                for length in [2, 4, 6] {
                    let mut finder = EndingsFinder::new(encoding);
                    bytes.chunks(length).for_each(|piece| finder.push(piece));
                    assert_eq!(finder.finish(), encoding.endings(&bytes), "{text:?} by {length}");
                }
            }
        }
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
