//! Finds the id of a request that is too long to be kept, from its bytes as they arrive. It needs
//! memory for one id only.
//!
//! It parses just enough JSON to know the current member of the outermost object. Text that is not
//! JSON has no id.

use crate::Id;
use crate::json::Json;

/// Bytes of an id that are kept, quotes included.
const MOST_ID: usize = 256;
/// The member name of the id, with its quotes.
const ID: &[u8] = b"\"id\"";
/// The member that requests have and answers lack.
const METHOD: &[u8] = b"\"method\"";

/// Reads the id from the beginning of a request. Returns `None` if the beginning has no id or no
/// method, or is not a request.
pub fn request_id(beginning: &[u8]) -> Option<Id> {
    let mut finder = RequestIdFinder::default();
    finder.push(beginning);
    let id = finder.finish()?;
    Json::parse(&id).ok().and_then(Id::of)
}

/// Finds the id in the bytes of one message.
#[derive(Debug, Default)]
pub(super) struct RequestIdFinder {
    depth: u32,
    /// Set inside a string: whether the next byte is escaped.
    string: Option<Escape>,
    /// The part of a member of the outermost object that is being read.
    place: MemberPart,
    /// Bytes of the name or value that is being read.
    token: Vec<u8>,
    found: Option<Vec<u8>>,
    has_method: bool,
    is_hopeless: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    No,
    Yes,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum MemberPart {
    #[default]
    Name,
    /// The value of a member that is not the id.
    Value,
    /// The value of the id.
    Id,
}

impl RequestIdFinder {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.is_hopeless {
                return;
            }
            self.take(*byte);
        }
    }

    /// The text of the id, quotes included, if the message is a request with exactly one id.
    pub(super) fn finish(self) -> Option<String> {
        self.found.filter(|_| self.has_method && !self.is_hopeless).and_then(|id| String::from_utf8(id).ok())
    }

    fn take(&mut self, byte: u8) {
        if let Some(escape) = self.string {
            self.keep(byte);
            self.string = match (escape, byte) {
                (Escape::No, b'\\') => Some(Escape::Yes),
                (Escape::No, b'"') => None,
                (Escape::No | Escape::Yes, _) => Some(Escape::No),
            };
            return;
        }
        match byte {
            b'"' => {
                self.keep(byte);
                self.string = Some(Escape::No);
            }
            b'{' | b'[' => {
                // An id is not an object, and a message is not a list.
                self.is_hopeless |=
                    (self.depth == 0 && byte == b'[') || (self.depth == 1 && self.place == MemberPart::Id);
                self.depth += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_of_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.has_method |= self.token == METHOD;
                self.place = if self.token == ID { MemberPart::Id } else { MemberPart::Value };
                self.token.clear();
            }
            b',' if self.depth == 1 => self.end_of_value(),
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    /// Keeps a byte of a name or of the id, up to a length that no valid id has.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.place != MemberPart::Value && self.token.len() <= MOST_ID {
            self.token.push(byte);
        }
    }

    fn end_of_value(&mut self) {
        if self.place == MemberPart::Id {
            let id = std::mem::take(&mut self.token);
            // A second id, or an id that is too long, makes the message unanswerable.
            self.is_hopeless |= self.found.is_some() || id.len() > MOST_ID;
            self.found = Some(id);
        }
        self.token.clear();
        self.place = MemberPart::Name;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<String> {
        let whole = {
            let mut finder = RequestIdFinder::default();
            finder.push(text.as_bytes());
            finder.finish()
        };
        let mut finder = RequestIdFinder::default();
        text.bytes().for_each(|byte| finder.push(&[byte]));
        assert_eq!(finder.finish(), whole, "{text}");
        whole
    }

    #[test]
    fn i_12_the_id_is_found_wherever_it_stands() {
        for (text, wanted) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":8}}"#, Some("7")),
            (
                r#"{"method":"x","params":{"id":8,"a":["id",{"id":1}],"b":"\"id\":9"},"id": "seven" }"#,
                Some("\"seven\""),
            ),
            (r#"{"id":"a\"b,}","method":"x","params":"#, Some("\"a\\\"b,}\"")),
            // An answer is never answered.
            (r#"{"id":1,"result":{"method":"x"}}"#, None),
            (r#"{"method":"x"}"#, None),
            (r#"{"id":1,"method":"x","id":2}"#, None),
            (r#"{"method":"x","id":{"a":1}}"#, None),
            (r#"[{"method":"x","id":1}]"#, None),
            (r#"{"params":"id","x":"#, None),
            ("", None),
        ] {
            assert_eq!(id(text).as_deref(), wanted, "{text}");
        }
        // Only the beginning of the message is known, so only complete parts of it count.
        for (beginning, wanted) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":8,"text":"aaa"#, true),
            (r#"{"jsonrpc":"2.0","method":"x","id":7"#, false),
            (r#"{"jsonrpc":"2.0","id":7,"params":{"method":"x"#, false),
            (r#"{"id":7.5e,"method":"x"#, false),
            (r#"[{"id":7,"method":"x"#, false),
        ] {
            assert_eq!(request_id(beginning.as_bytes()).is_some(), wanted, "{beginning}");
        }
        let long = "1".repeat(1000);
        assert_eq!(id(&format!("{{\"method\":\"x\",\"id\":{long}}}")), None);
    }
}
