//! The definition of a tool, as the server sends it.
use overt_layers::definition::{DefinitionDigest, Texts};
use overt_wire::json::{Json, JsonBuf};

use super::digest::Digest;
use crate::translate::upstream_marks::move_marks_of_tool;

/// The longest definition in bytes whose text is kept for diffs. Of a longer one, only the digest
/// is kept.
const MAX_TEXT: usize = 256 << 10;

/// The definition of a tool: its digests, and its text unless that is too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The digest of the definition, with its lists in canonical order.
    pub digest: Digest,
    /// The digest with the descriptions exactly as they are. `None` if only `digest` is known.
    pub exact: Option<Digest>,
    pub text: Option<JsonBuf>,
}

impl Definition {
    pub fn of(tool: Json<'_>) -> Self {
        let text = (tool.as_str().len() <= MAX_TEXT).then(|| tool.to_buf());
        let exact = Some(Digest::of_definition(tool, Texts::Exact));
        Self { digest: Digest::of_definition(tool, Texts::Unordered), exact, text }
    }

    /// Returns the definition as clients get it; grants and trust refer to this form. `None` if the
    /// text is not kept.
    pub fn as_clients_see(&self) -> Option<JsonBuf> {
        self.text.as_ref().map(|text| move_marks_of_tool(text.as_json()))
    }

    /// Returns the digest that grants and trust use for the definition. `None` if the text is not
    /// kept.
    pub fn trusted_digest(&self) -> Option<DefinitionDigest> {
        self.as_clients_see().map(|text| DefinitionDigest::of(text.as_json()))
    }

    /// Makes a definition of which only the digest is known.
    pub(super) fn unknown(digest: Digest) -> Self {
        Self { digest, exact: None, text: None }
    }

    /// Returns the definition, without its text if there is not enough room. Reduces `room`.
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
