//! Reads what is still readable of a refused text: whether it was meant as an answer, and its id.
//! Nothing may depend on this except whether and how the refusal is reported.
use crate::id::Id;
use crate::json::{Json, skip_string};

/// The envelope of a refused text, as far as it can be read.
#[derive(Default)]
pub(crate) struct PartialEnvelope {
    pub(crate) id: Option<Id>,
    method: bool,
    outcome: bool,
    ids: usize,
}

impl PartialEnvelope {
    /// Reads the member names of the outermost object and ignores errors elsewhere.
    pub(crate) fn at(bytes: &[u8]) -> Self {
        let mut partial = Self::default();
        if bytes.trim_ascii_start().first() != Some(&b'{') {
            return partial;
        }
        let (mut at, mut depth, mut name_comes) = (0, 0_usize, false);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let end = skip_string(bytes, at);
                    if depth == 1 && std::mem::take(&mut name_comes) {
                        partial.note(&bytes[at..end], &bytes[end..]);
                    }
                    at = end;
                    continue;
                }
                b'{' | b'[' => {
                    depth += 1;
                    name_comes = depth == 1;
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' => name_comes = depth == 1,
                _ => {}
            }
            at += 1;
        }
        partial
    }

    /// Whether the text is a broken answer: it has `result` or `error`, and no method.
    pub(crate) fn looks_like_response(&self) -> bool {
        self.outcome && !self.method
    }

    fn note(&mut self, name: &[u8], rest: &[u8]) {
        match name {
            b"\"method\"" => self.method = true,
            b"\"result\"" | b"\"error\"" => self.outcome = true,
            b"\"id\"" => {
                self.ids += 1;
                // With two ids it is unclear which one is meant.
                self.id = if self.ids == 1 { id_after_colon(rest) } else { None };
            }
            _ => {}
        }
    }
}

fn id_after_colon(rest: &[u8]) -> Option<Id> {
    let rest = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = match rest.first()? {
        b'"' => skip_string(rest, 0),
        _ => rest.iter().take_while(|byte| matches!(byte, b'-' | b'0'..=b'9')).count(),
    };
    let follows = rest[end..].trim_ascii_start().first();
    if !matches!(follows, Some(b',' | b'}')) {
        return None;
    }
    Id::of(Json::parse(std::str::from_utf8(&rest[..end]).ok()?).ok()?)
}
