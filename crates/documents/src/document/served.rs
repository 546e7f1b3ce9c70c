//! The HTTP paths of the documents, beside the MCP endpoint. The path of a request is only
//! compared, and never becomes a path of a file.
use super::cards::{card, card_index};
use super::kind::{Document, Kind};
use super::table::render;
use crate::card::{INDEX, WELL_KNOWN, name_of};
use crate::description::Description;
use crate::server_location::ServerLocation;

/// The document at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServedDocument {
    One(Kind),
    /// The card of this tool.
    Card(String),
    /// The index of the cards.
    Cards,
}

impl ServedDocument {
    /// Returns the document at a path. `endpoint` is the path of the MCP endpoint.
    pub fn at(path: &str, endpoint: &str) -> Option<Self> {
        if path.strip_prefix(endpoint.trim_end_matches('/')) == Some("/server-card") {
            return Some(Self::One(Kind::ServerCard));
        }
        Some(match path {
            // Both paths have the same document (D-36).
            "/llms.txt" | "/.well-known/llms.txt" => Self::One(Kind::Llms),
            "/llms-full.txt" | "/.well-known/llms-full.txt" => Self::One(Kind::LlmsFull),
            // Newer readers of the catalogue look for the second name.
            "/.well-known/ai-catalog.json" | "/.well-known/ard.json" => Self::One(Kind::AiCatalog),
            _ => match path.strip_prefix(WELL_KNOWN)?.strip_suffix(".json")? {
                INDEX => Self::Cards,
                segment => Self::Card(name_of(segment)?),
            },
        })
    }

    /// Returns the document, if it can be made and published.
    pub fn document(&self, description: &Description, place: &ServerLocation) -> Option<Document> {
        match self {
            Self::One(kind) => render(*kind, description, place).ok()?.into_iter().next(),
            Self::Card(tool) => card(tool, description, place),
            Self::Cards => card_index(description, place),
        }
    }
}
