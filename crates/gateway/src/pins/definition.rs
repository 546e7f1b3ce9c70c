//! The definition of a tool as a server gives it.
use overt_layers::definition::Texts;
use overt_wire::json::{Json, JsonBuf};

use super::digest::Digest;

/// The longest definition whose text is kept, for the diff. Of a longer one only the digest is.
const MAX_TEXT: usize = 256 << 10;

/// The definition of a tool: its digest, and its text unless that is too long to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The digest of the definition with its lists in canonical order.
    pub digest: Digest,
    /// Of its descriptions as they are; none if only the digest is known.
    pub exact: Option<Digest>,
    pub text: Option<JsonBuf>,
}

impl Definition {
    pub fn of(tool: Json<'_>) -> Self {
        let text = (tool.as_str().len() <= MAX_TEXT).then(|| tool.to_buf());
        let exact = Some(Digest::of_definition(tool, Texts::Exact));
        Self { digest: Digest::of_definition(tool, Texts::Unordered), exact, text }
    }

    /// A definition of which only the digest is known.
    pub(super) fn unknown(digest: Digest) -> Self {
        Self { digest, exact: None, text: None }
    }

    /// The definition, without its text if there is no room for it.
    pub(super) fn within(&self, room: &mut usize) -> Self {
        let length = self.text.as_ref().map_or(0, |text| text.as_str().len());
        match room.checked_sub(length) {
            Some(rest) => {
                *room = rest;
                self.clone()
            }
            None => Self { text: None, ..self.clone() },
        }
    }
}
