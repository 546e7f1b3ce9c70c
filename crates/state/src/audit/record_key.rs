//! Values by which records are found: calls, changes, and written paths.
use overt_wire::json::quote;

/// A value that a record must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordKey {
    Call(String),
    /// The id of a change, or the last part of the id.
    Change(String),
    /// A path that the call wanted to write, or a folder above it.
    Path(String),
}

impl RecordKey {
    pub(super) fn hash(&self) -> u64 {
        let (kind, text) = match self {
            Self::Call(id) => (CALL, id),
            Self::Change(id) => (CHANGE, id),
            Self::Path(path) => (PATH, path),
        };
        let quoted = quote(text);
        let text = &quoted[1..quoted.len() - 1];
        hash(kind, if kind == CHANGE { last_part(text) } else { text })
    }
}

const CALL: u8 = b'c';
const CHANGE: u8 = b'x';
const PATH: u8 = b'p';

/// Calls `each` with the keys of a record's line. No string in a line that we wrote can contain the
/// searched text, because quotes in strings are escaped. A member that only looks like one of these
/// costs a needless read of the record, no more.
pub(super) fn for_each_key(line: &str, each: &mut dyn FnMut(u64)) {
    for (kind, begin) in [(CALL, "\"call\":\""), (CHANGE, "\"change\":\""), (PATH, "\"write:")] {
        for place in memchr::memmem::find_iter(line.as_bytes(), begin) {
            let text = string_from(&line[place + begin.len()..]);
            match kind {
                CALL => each(hash(kind, text)),
                CHANGE => each(hash(kind, last_part(text))),
                _ => {
                    let path = text.split_once(':').map_or("", |(_, path)| path);
                    each(hash(kind, path));
                    path.match_indices('/').for_each(|(end, _)| each(hash(kind, &path[..end])));
                }
            }
        }
    }
}

/// Returns `3fa9c1` for `c-1794757265123-3fa9c1`.
fn last_part(id: &str) -> &str {
    id.rsplit('-').next().unwrap_or(id)
}

/// Returns the text up to the closing quote, still escaped.
fn string_from(text: &str) -> &str {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    &text[..end.unwrap_or(text.len())]
}

/// Hashes with FNV-1a and a final mix. The hash is stored in files, so it must never change.
fn hash(kind: u8, text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(step(0xcbf2_9ce4_8422_2325, kind), step);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_keys_that_are_asked_for() {
        let line =
            r#"{"call":"a\"b","change":"c-17-3f","needed":["read:file:/r","write:file:/p/ö \\x/f"],"ts":""}"#;
        let mut keys = Vec::new();
        for_each_key(line, &mut |key| keys.push(key));
        let has = |key: RecordKey| keys.contains(&key.hash());
        assert!(has(RecordKey::Call("a\"b".to_owned())));
        assert!(has(RecordKey::Change("c-17-3f".to_owned())) && has(RecordKey::Change("3f".to_owned())));
        for path in ["/p/ö \\x/f", "/p/ö \\x", "/p", ""] {
            assert!(has(RecordKey::Path(path.to_owned())), "{path}");
        }
        assert!(!has(RecordKey::Path("/r".to_owned())), "it was only read");
        assert!(!has(RecordKey::Path("/p/ö".to_owned())));
    }
}
