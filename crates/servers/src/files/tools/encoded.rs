//! Decodes texts in encodings other than UTF-8, so that they can be changed and written back in the
//! same encoding.
use std::borrow::Cow;

use super::super::read::{Encoding, Kind, is_windows_1252, kind_of};

/// A decoded text, and the encoding of its file.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    encoding: Encoding,
}

impl<'a> Decoded<'a> {
    /// Decodes the bytes of a file. `None` if they are not text. A UTF-8 byte-order mark stays part
    /// of the text, so that no edit replaces it by mistake.
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Some(Self { text: Cow::Borrowed(text), encoding: Encoding::Utf8 });
        }
        let Kind::Text(encoding) = kind_of(bytes, true) else { return None };
        let decoded = match encoding {
            Encoding::Utf8 | Encoding::Utf8Marked => return None,
            Encoding::Utf16Le => {
                encoding_rs::UTF_16LE.decode_without_bom_handling_and_without_replacement(&bytes[2..])
            }
            Encoding::Utf16Be => {
                encoding_rs::UTF_16BE.decode_without_bom_handling_and_without_replacement(&bytes[2..])
            }
            Encoding::Windows1252 if is_windows_1252(bytes) => {
                encoding_rs::WINDOWS_1252.decode_without_bom_handling_and_without_replacement(bytes)
            }
            Encoding::Windows1252 => None,
        };
        Some(Self { text: decoded?, encoding })
    }

    /// Encodes another text in the same encoding. Fails with the first character that the encoding
    /// lacks.
    pub(super) fn encode(&self, text: String) -> Result<Vec<u8>, char> {
        match self.encoding {
            Encoding::Utf8 | Encoding::Utf8Marked => Ok(text.into_bytes()),
            Encoding::Utf16Le => Ok(units(&text).flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Ok(units(&text).flat_map(u16::to_be_bytes).collect()),
            Encoding::Windows1252 => {
                let (bytes, _, has_lost) = encoding_rs::WINDOWS_1252.encode(&text);
                let is_lost =
                    |letter: &char| encoding_rs::WINDOWS_1252.encode(letter.encode_utf8(&mut [0; 4])).2;
                match has_lost {
                    true => Err(text.chars().find(is_lost).unwrap_or('\u{fffd}')),
                    false => Ok(bytes.into_owned()),
                }
            }
        }
    }
}

/// Puts back the byte-order mark, which was removed on decoding.
fn units(text: &str) -> impl Iterator<Item = u16> {
    std::iter::once(0xFEFF).chain(text.encode_utf16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_as_it_was() {
        let utf16: Vec<u8> = units("grün 😀\n").flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units("grün 😀\n").flat_map(u16::to_be_bytes).collect();
        for bytes in [&b"plain\n"[..], b"\xEF\xBB\xBFmarked", b"caf\xE9 \x80 and more\n", &utf16, &big] {
            let decoded = Decoded::of(bytes).unwrap();
            assert_eq!(decoded.encode(decoded.text.clone().into_owned()).unwrap(), bytes);
        }
        assert_eq!(Decoded::of(&utf16).unwrap().text, "grün 😀\n");
        assert_eq!(Decoded::of(b"caf\xE9 is what it is").unwrap().encode("a → b".to_owned()), Err('→'));
        for bytes in [&b"a\0b\xFF"[..], b"\xFF\xFEa\0\0\xD8a\0", b"\x89PNG\r\n\x1a\n\xFF"] {
            assert!(Decoded::of(bytes).is_none());
        }
    }
}
