//! Reads keys from the bytes of a terminal. Sequences that are not keys are ignored.

/// A key that the inbox knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Enter,
    Tab,
    Escape,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    /// Ctrl-C or Ctrl-D.
    Stop,
    /// Ctrl-L, which redraws the screen.
    Redraw,
}

/// Reads keys from bytes and keeps incomplete sequences.
#[derive(Debug, Default)]
pub(super) struct KeyReader {
    rest: Vec<u8>,
}

/// The longest sequence, in bytes. A longer one is dropped.
const LONGEST: usize = 16;

impl KeyReader {
    /// Returns the keys that are complete after these bytes.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.rest.extend_from_slice(bytes);
        let mut keys = Vec::new();
        loop {
            match first(&self.rest) {
                ParsedKey::Key(key, taken) => {
                    self.rest.drain(..taken);
                    keys.extend(key);
                }
                ParsedKey::More if self.rest.len() > LONGEST => self.rest.clear(),
                ParsedKey::More => return keys,
            }
        }
    }

    /// Handles a pause in the input: a lone escape is the Escape key, and other incomplete bytes
    /// are dropped.
    pub(super) fn pause(&mut self) -> Option<Key> {
        let is_escape = self.rest == [ESCAPE];
        self.rest.clear();
        is_escape.then_some(Key::Escape)
    }
}

/// Reads bytes at once and in two pieces. Few bytes may be kept, and without an escape the keys
/// must be the same. Returns an error if this does not hold.
#[cfg(any(test, fuzzing))]
pub(super) fn check_keys(bytes: &[u8], cut: usize) -> Result<(), String> {
    let (mut whole, mut pieces) = (KeyReader::default(), KeyReader::default());
    let all = whole.read(bytes);
    if whole.rest.len() > LONGEST {
        return Err(format!("{} bytes are kept", whole.rest.len()));
    }
    let (head, tail) = bytes.split_at(cut.min(bytes.len()));
    let mut found = pieces.read(head);
    found.extend(pieces.read(tail));
    match bytes.contains(&ESCAPE) || found == all {
        true => Ok(()),
        false => Err(format!("{found:?} is not {all:?}")),
    }
}

enum ParsedKey {
    /// A known key, or `None` for an unknown sequence, and the number of its bytes.
    Key(Option<Key>, usize),
    /// The bytes may be the start of a key.
    More,
}

const ESCAPE: u8 = 0x1b;

fn first(bytes: &[u8]) -> ParsedKey {
    let Some(byte) = bytes.first() else { return ParsedKey::More };
    match byte {
        &ESCAPE => sequence(bytes),
        b'\r' | b'\n' => ParsedKey::Key(Some(Key::Enter), 1),
        b'\t' => ParsedKey::Key(Some(Key::Tab), 1),
        3 | 4 => ParsedKey::Key(Some(Key::Stop), 1),
        12 => ParsedKey::Key(Some(Key::Redraw), 1),
        0..=31 | 127 => ParsedKey::Key(None, 1),
        32..=126 => ParsedKey::Key(Some(Key::Char(char::from(*byte))), 1),
        _ => character(bytes),
    }
}

/// Reads a character of several bytes.
fn character(bytes: &[u8]) -> ParsedKey {
    let length = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return ParsedKey::Key(None, 1),
    };
    let Some(part) = bytes.get(..length) else { return ParsedKey::More };
    match std::str::from_utf8(part) {
        Ok(text) => ParsedKey::Key(text.chars().next().map(Key::Char), length),
        Err(_) => ParsedKey::Key(None, 1),
    }
}

/// Reads `ESC [ parameters letter`, or `ESC O letter`.
fn sequence(bytes: &[u8]) -> ParsedKey {
    match bytes.get(1) {
        None => ParsedKey::More,
        Some(b'O') => match bytes.get(2) {
            None => ParsedKey::More,
            Some(letter) => ParsedKey::Key(named(*letter, b""), 3),
        },
        Some(b'[') => {
            let end = bytes.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte));
            match end.map(|end| end + 2) {
                None => ParsedKey::More,
                Some(end) => ParsedKey::Key(named(bytes[end], &bytes[2..end]), end + 1),
            }
        }
        // A lone escape that is followed by something else.
        Some(_) => ParsedKey::Key(Some(Key::Escape), 1),
    }
}

fn named(letter: u8, parameters: &[u8]) -> Option<Key> {
    match (letter, parameters) {
        (b'A', _) => Some(Key::Up),
        (b'B', _) => Some(Key::Down),
        (b'H', _) | (b'~', b"1" | b"7") => Some(Key::Home),
        (b'F', _) | (b'~', b"4" | b"8") => Some(Key::End),
        (b'~', b"5") => Some(Key::PageUp),
        (b'~', b"6") => Some(Key::PageDown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        KeyReader::default().read(bytes)
    }

    #[test]
    fn keys_are_read_from_bytes() {
        let table: [(&[u8], &[Key]); 14] = [
            (b"y", &[Key::Char('y')]),
            (b"yn", &[Key::Char('y'), Key::Char('n')]),
            (b"\x1b[A\x1b[B", &[Key::Up, Key::Down]),
            (b"\x1bOA", &[Key::Up]),
            (b"\x1b[5~\x1b[6~", &[Key::PageUp, Key::PageDown]),
            (b"\x1b[H\x1b[F\x1b[1~\x1b[4~", &[Key::Home, Key::End, Key::Home, Key::End]),
            (b"\t\r\n", &[Key::Tab, Key::Enter, Key::Enter]),
            (b"\x03", &[Key::Stop]),
            (b"\x0c", &[Key::Redraw]),
            ("ä€".as_bytes(), &[Key::Char('ä'), Key::Char('€')]),
            (b"\xff\x80y", &[Key::Char('y')]),
            // A function key and a focus report are ignored.
            (b"\x1b[15~\x1b[Iy", &[Key::Char('y')]),
            (b"\x1bx", &[Key::Escape, Key::Char('x')]),
            (b"", &[]),
        ];
        for (bytes, expected) in table {
            assert_eq!(keys(bytes), expected, "{bytes:?}");
        }
    }

    /// However the bytes are cut, the keys are the same.
    #[test]
    fn it_does_not_matter_how_bytes_arrive() {
        let bytes = "y\x1b[A\x1b[6~\tä\x1bOBq".as_bytes();
        for at in 0..=bytes.len() {
            let mut reader = KeyReader::default();
            let mut found = reader.read(&bytes[..at]);
            found.extend(reader.read(&bytes[at..]));
            assert_eq!(found, keys(bytes), "{at}");
        }
    }

    #[test]
    fn any_bytes_are_read() {
        use proptest::prelude::*;
        proptest!(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }, |(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            cut in 0..200usize,
        )| {
            prop_assert_eq!(check_keys(&bytes, cut), Ok(()));
        });
    }

    #[test]
    fn an_escape_alone_is_a_key_after_a_pause() {
        let mut reader = KeyReader::default();
        assert_eq!(reader.read(b"\x1b"), []);
        assert_eq!(reader.pause(), Some(Key::Escape));
        assert_eq!(reader.read(b"\x1b["), []);
        assert_eq!(reader.pause(), None);
        assert_eq!(reader.read(b"y"), [Key::Char('y')]);
        // A sequence that is too long is dropped.
        assert_eq!(reader.read(&[b"\x1b[".as_slice(), &[b'1'; 40]].concat()).len(), 0);
    }
}
