//! Detects by its first bytes whether a file is text, and what else it is. Its name does not matter
//! (G-30).
use schemars::JsonSchema;
use serde::Serialize;

/// How many bytes of the beginning are examined.
pub(crate) const MOST_HEAD: usize = 8 << 10;

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text(Encoding),
    Binary(Binary),
}

/// How a text is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) enum Encoding {
    #[serde(rename = "utf-8")]
    Utf8,
    // Begins with a byte-order mark.
    #[serde(rename = "utf-8-bom")]
    Utf8Marked,
    #[serde(rename = "utf-16le")]
    Utf16Le,
    #[serde(rename = "utf-16be")]
    Utf16Be,
    // Latin-1 in practice: every byte is a letter.
    #[serde(rename = "windows-1252")]
    Windows1252,
}

/// A file that is not text: its media type, and how a client can show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Binary {
    pub(crate) mime_type: &'static str,
    pub(crate) medium: Medium,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Medium {
    Image,
    Audio,
    Other,
}

impl Binary {
    /// A file that is not text and has no known format.
    pub(crate) const UNKNOWN: Self = Self { mime_type: "application/octet-stream", medium: Medium::Other };
}

impl Encoding {
    /// Bytes of the byte-order mark, which is not part of the text.
    pub(super) fn mark_bytes(self) -> u64 {
        match self {
            Self::Utf8 | Self::Windows1252 => 0,
            Self::Utf8Marked => 3,
            Self::Utf16Le | Self::Utf16Be => 2,
        }
    }

    /// Whether a text in this encoding must be converted to UTF-8.
    pub(super) fn is_decoded(self) -> bool {
        matches!(self, Self::Utf16Le | Self::Utf16Be | Self::Windows1252)
    }
}

/// Detects what a file is. `is_all` says that `head` is the whole file.
pub(crate) fn kind_of(head: &[u8], is_all: bool) -> Kind {
    if let Some(binary) = recognise_format(head) {
        return Kind::Binary(binary);
    }
    match head {
        [0xEF, 0xBB, 0xBF, rest @ ..] => text_or_bytes(rest, is_all, Encoding::Utf8Marked),
        [0xFF, 0xFE, 0, 0, ..] => Kind::Binary(Binary::UNKNOWN),
        [0xFF, 0xFE, ..] => Kind::Text(Encoding::Utf16Le),
        [0xFE, 0xFF, ..] => Kind::Text(Encoding::Utf16Be),
        head => text_or_bytes(head, is_all, Encoding::Utf8),
    }
}

fn text_or_bytes(head: &[u8], is_all: bool, encoding: Encoding) -> Kind {
    let is_utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The last character may be cut at the end of `head`.
        Err(error) => !is_all && error.error_len().is_none(),
    };
    match is_utf8 {
        true if memchr::memchr(0, head).is_none() => Kind::Text(encoding),
        false if encoding == Encoding::Utf8 && is_windows_1252(head) => Kind::Text(Encoding::Windows1252),
        _ => Kind::Binary(Binary::UNKNOWN),
    }
}

/// Whether bytes that are not UTF-8 look like a text in windows-1252: no control characters, no
/// bytes that the encoding leaves undefined, and at least two thirds ASCII, as in source code and
/// in prose of European languages.
pub(crate) fn is_windows_1252(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C);
    let is_undefined = |byte: &u8| matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D);
    let others = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    others <= bytes.len() / 3 && !bytes.iter().any(|byte| is_control(byte) || is_undefined(byte))
}

/// Recognises a format by its first bytes.
fn recognise_format(head: &[u8]) -> Option<Binary> {
    const FIRST_BYTES: [(&[u8], &str, Medium); 14] = [
        (b"\x89PNG\r\n\x1a\n", "image/png", Medium::Image),
        (b"\xFF\xD8\xFF", "image/jpeg", Medium::Image),
        (b"GIF87a", "image/gif", Medium::Image),
        (b"GIF89a", "image/gif", Medium::Image),
        (b"II*\0", "image/tiff", Medium::Image),
        (b"MM\0*", "image/tiff", Medium::Image),
        (b"\0\0\x01\0", "image/x-icon", Medium::Image),
        (b"fLaC", "audio/flac", Medium::Audio),
        (b"OggS", "audio/ogg", Medium::Audio),
        (b"ID3", "audio/mpeg", Medium::Audio),
        (b"%PDF-", "application/pdf", Medium::Other),
        (b"PK\x03\x04", "application/zip", Medium::Other),
        (b"\x1f\x8b\x08", "application/gzip", Medium::Other),
        (b"\x7fELF", "application/x-elf", Medium::Other),
    ];
    let begins = FIRST_BYTES.into_iter().find(|(first, _, _)| head.starts_with(first));
    if let Some((_, mime_type, medium)) = begins {
        return Some(Binary { mime_type, medium });
    }
    let inner = |name: &[u8], at: usize| head.get(at..at + name.len()) == Some(name);
    let (mime_type, medium) = match head {
        [b'R', b'I', b'F', b'F', ..] if inner(b"WEBP", 8) => ("image/webp", Medium::Image),
        [b'R', b'I', b'F', b'F', ..] if inner(b"WAVE", 8) => ("audio/wav", Medium::Audio),
        [b'B', b'M', ..] if inner(&[0; 4], 6) => ("image/bmp", Medium::Image),
        _ if inner(b"ftypM4A", 4) => ("audio/mp4", Medium::Audio),
        _ if inner(b"ftypavif", 4) => ("image/avif", Medium::Image),
        // An MPEG audio frame without an ID3 tag before it.
        [0xFF, 0xFB | 0xF3 | 0xF2, ..] => ("audio/mpeg", Medium::Audio),
        _ => return None,
    };
    Some(Binary { mime_type, medium })
}
