//! The definition of a tool as a server gives it.
use overt_layers::definition::{Texts, definition_digest};
use overt_wire::json::{Json, JsonBuf};

use super::digest::Digest;
use crate::translate::upstream_marks::move_marks_of_tool;

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

    /// The definition as clients get it, which is what grants and trust are bound to. None if its
    /// text is not kept.
    pub fn as_clients_see(&self) -> Option<JsonBuf> {
        self.text.as_ref().map(|text| move_marks_of_tool(text.as_json()))
    }

    /// The digest by which grants and trust know the definition. None if its text is not kept.
    pub fn trusted_digest(&self) -> Option<String> {
        self.as_clients_see().map(|text| definition_digest(text.as_json()))
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
