//! New content for an existing file, as `write_file` makes it: with the line endings, the
//! byte-order mark and the encoding of the file.
use std::borrow::Cow;
use std::os::unix::fs::FileExt as _;

use super::super::error::{FileError, code};
use super::super::read::{self, Kind, MOST_HEAD, kind_of};
use super::super::write::{Encoding, Endings, OldFile, Part, ScannedFile};
use super::params::LongText;
use super::planning::Planning;

/// Where the text of a call is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPosition {
    /// The text replaces the content.
    Alone,
    AtStart,
    AtEnd,
}

pub(super) struct NewContent {
    pub(super) parts: Vec<Part>,
    pub(super) size: u64,
    pub(super) endings: Endings,
    /// Findings about an old file that is not held in memory.
    pub(super) scanned: Option<ScannedFile>,
}

impl NewContent {
    pub(super) fn of(
        planning: &Planning<'_>,
        old: &mut OldFile,
        content: &LongText,
        placed: TextPosition,
        shown: &str,
    ) -> Result<Self, FileError> {
        let encoding = fitting(encoding_of(old), content, placed);
        let is_scanned = old.content.is_none() && old.facts().size <= planning.settings.edit_max_bytes;
        let scanned = if is_scanned { Some(old.scan(encoding, planning.stop, shown)?) } else { None };
        if let Some(scanned) = &scanned {
            old.digest = Some(scanned.digest.into());
        }
        let whole = old.content.as_ref().map(|content| &*content.bytes);
        let found = scanned.as_ref().map_or(Endings::None, |scanned| scanned.endings);
        let mut endings = whole.map_or(found, |bytes| encoding.endings(bytes));
        let mark = encoding.mark();
        let mut text = endings.fit(content);
        if placed == TextPosition::Alone && *text != **content {
            let adapted = encoded(encoding, &text, shown)?;
            let is_there = match whole {
                Some(bytes) => bytes.strip_prefix(mark) == Some(&*adapted),
                None => {
                    let same = old.shared(&[mark, &adapted].concat(), planning.stop, shown)?;
                    same.start as u64 == old.facts().size
                }
            };
            // The content differs only in line endings, so the call is meant to change those.
            if is_there {
                (endings, text) = (Endings::None, Cow::Borrowed(&**content));
            }
        }
        let bytes = encoded(encoding, &text, shown)?;
        let parts = match (placed, whole) {
            (TextPosition::Alone, _) if mark.is_empty() && *bytes == *content.as_bytes() => {
                vec![Part::Text(content.shared())]
            }
            (TextPosition::Alone, _) => vec![Part::Bytes([mark, &bytes].concat())],
            (TextPosition::AtEnd, Some(old)) => vec![Part::Bytes([old, &*bytes].concat())],
            (TextPosition::AtStart, Some(old)) => {
                vec![Part::Bytes([mark, &bytes, old.strip_prefix(mark).unwrap_or(old)].concat())]
            }
            (TextPosition::AtEnd, None) => vec![Part::OldFile { skip: 0 }, Part::Bytes(bytes.into_owned())],
            (TextPosition::AtStart, None) => {
                let first = [mark, &bytes].concat();
                vec![Part::Bytes(first), Part::OldFile { skip: mark.len() as u64 }]
            }
        };
        let size = parts.iter().map(|part| part.size(old.facts().size)).sum();
        Ok(Self { parts, size, endings, scanned })
    }

    /// Returns the whole content, unless a part of it comes from a file.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &*self.parts {
            [only] => only.bytes(),
            _ => None,
        }
    }
}

/// Detects the encoding by the byte-order mark, else by the first bytes.
fn encoding_of(old: &OldFile) -> Encoding {
    let mut head = [0; MOST_HEAD];
    let (head, is_all) = match &old.content {
        Some(content) => (&*content.bytes, true),
        None => {
            let read = old.open.file.read_at(&mut head, 0).unwrap_or(0);
            (&head[..read], false)
        }
    };
    let by_mark = Encoding::of(head);
    match kind_of(head, is_all) {
        Kind::Text(read::Encoding::Windows1252) if by_mark == Encoding::Plain => Encoding::Windows1252,
        _ => by_mark,
    }
}

/// Falls back to UTF-8 if the text replaces a whole windows-1252 file and contains letters that
/// this encoding lacks.
fn fitting(encoding: Encoding, text: &str, placed: TextPosition) -> Encoding {
    let is_lacking = || encoding.write(text).is_none();
    if encoding == Encoding::Windows1252 && placed == TextPosition::Alone && is_lacking() {
        return Encoding::Plain;
    }
    encoding
}

fn encoded<'a>(encoding: Encoding, text: &'a str, shown: &str) -> Result<Cow<'a, [u8]>, FileError> {
    encoding.write(text).ok_or_else(|| match encoding {
        Encoding::Windows1252 => FileError::new(
            code::NOT_TEXT,
            format!("`{shown}` is windows-1252, which lacks a character of `content`; nothing was changed"),
            "Use other characters, or overwrite the whole file, which makes it UTF-8.",
        ),
        _ => FileError::new(
            code::NOT_TEXT,
            format!("`{shown}` is UTF-32, which this server does not write; nothing was changed"),
            "Delete the file and write it again to make it UTF-8, or leave it as it is.",
        ),
    })
}
