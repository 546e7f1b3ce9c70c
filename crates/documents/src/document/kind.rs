//! The kinds of documents, and a document as a file.
use serde_json::Value;

use crate::markdown::json_text;
use crate::registry::CARD_TYPE;
use overt_policy::finding::Findings;
use overt_policy::word::string_enum;

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
/// The directory of the Tool Cards.
pub(crate) const CARDS: &str = "cards";
/// Names of files that other documents link to.
pub(crate) const LLMS_FULL: &str = "llms-full.txt";
pub(crate) const SERVER_CARD: &str = "server-card.json";
const CATALOG_TYPE: &str = "application/ai-catalog+json";

string_enum! {
    /// The kinds of documents about a server.
    pub enum Kind {
        /// The answer to `ai_help` in Markdown.
        AiHelp = "ai-help",
        /// The answer to `ai_help` in JSON.
        Json = "json",
        /// The dashdash objects of the server, its tools and its resources.
        Dashdash = "dashdash",
        Skill = "skill",
        Llms = "llms",
        LlmsFull = "llms-full",
        /// A Tool Card for each tool.
        Card = "card",
        Registration = "registration",
        ServerJson = "server-json",
        ServerCard = "server-card",
        AiCatalog = "ai-catalog",
    }
}

/// A document as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub kind: Kind,
    /// The path in a directory of all documents, with `/` as separator.
    pub path: String,
    pub media_type: &'static str,
    pub text: String,
}

/// A document before it is checked.
#[derive(Debug)]
pub(super) enum Draft {
    Text(String),
    Json(Value),
}

/// The drafts of one kind with their paths, and what is wrong or missing.
pub(super) type Drafts = (Vec<(String, Draft)>, Findings);

// === impl Kind ===

impl Kind {
    pub fn media_type(self) -> &'static str {
        match self {
            Self::AiHelp | Self::Skill | Self::Llms | Self::LlmsFull => MARKDOWN,
            Self::Json | Self::Dashdash | Self::Card | Self::Registration | Self::ServerJson => JSON,
            Self::ServerCard => CARD_TYPE,
            Self::AiCatalog => CATALOG_TYPE,
        }
    }
}

// === impl Draft ===

impl Draft {
    /// Returns the text of the file. JSON has its invisible characters escaped.
    pub(super) fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Json(value) => json_text(&value) + "\n",
        }
    }
}
