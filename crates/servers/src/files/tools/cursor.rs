//! Cursors: after which entry a list continues, and the state of the directory when that entry was
//! returned. A cursor names the entry, so it stays valid whatever changes in the directory.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::super::error::{FileError, code};

/// The last entry of a page. The next page begins after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CursorPosition {
    /// The sort key, which is compared before the path.
    pub(crate) key: i128,
    pub(crate) path: String,
    /// The modification time of the directory.
    pub(crate) changed: i128,
}

impl CursorPosition {
    /// Writes a cursor. `terms` are the arguments that must be the same on the next page.
    pub(crate) fn write(&self, terms: &str) -> String {
        let text = format!("{:x}\n{}\n{}\n{}", digest(terms), self.key, self.changed, self.path);
        URL_SAFE_NO_PAD.encode(text)
    }

    pub(crate) fn read(cursor: &str, terms: &str) -> Result<Self, FileError> {
        let read = || {
            let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
            let mut parts = text.splitn(4, '\n');
            let of = parts.next()?;
            let key = parts.next()?.parse().ok()?;
            let changed = parts.next()?.parse().ok()?;
            (of == format!("{:x}", digest(terms))).then_some(Self {
                key,
                changed,
                path: parts.next()?.to_owned(),
            })
        };
        read().ok_or_else(invalid)
    }
}

/// Writes a cursor for a list that continues by position. `offset` is the number of earlier
/// entries.
pub(crate) fn write_offset(offset: usize, terms: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{:x}\n{offset}", digest(terms)))
}

/// Returns the position of a cursor, or 0 without a cursor.
pub(crate) fn read_offset(cursor: Option<&str>, terms: &str) -> Result<usize, FileError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let read = || {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let (of, offset) = text.split_once('\n')?;
        (of == format!("{:x}", digest(terms))).then_some(offset.parse().ok()?)
    };
    read().ok_or_else(invalid)
}

fn invalid() -> FileError {
    FileError::new(
        code::INVALID_CURSOR,
        "the cursor does not belong to a call with these arguments",
        "Repeat the arguments of the page before with its `next_cursor`, or leave `cursor` out to begin again.",
    )
}

/// A digest that tells arguments apart. It protects no secret.
fn digest(terms: &str) -> u64 {
    // FNV-1a.
    terms
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_holds_for_its_own_list() {
        let place = CursorPosition { key: -7, path: "a\nb/ü".to_owned(), changed: 12 };
        let cursor = place.write("x");
        assert_eq!(CursorPosition::read(&cursor, "x").unwrap(), place);
        assert_eq!(read_offset(Some(&write_offset(7, "x")), "x").unwrap(), 7);
        assert_eq!(read_offset(None, "x").unwrap(), 0);
        assert_eq!(read_offset(Some(&write_offset(7, "x")), "y").unwrap_err().code, code::INVALID_CURSOR);
        for wrong in [
            CursorPosition::read(&cursor, "y"),
            CursorPosition::read("", "x"),
            CursorPosition::read("AAAA", "x"),
            CursorPosition::read("=", "x"),
        ] {
            assert_eq!(wrong.unwrap_err().code, code::INVALID_CURSOR);
        }
    }
}
