//! Tool Cards, version 0.1. A card describes one tool of a server, for the person or program that
//! decides whether it may be called.
mod model; // the types of a card
mod read; // from JSON to a card, with all faults at once
mod level; // the level of a card: how much it states
mod diff; // the changes between two cards of a tool
mod version; // the order of versions
mod build; // a card from a description
mod path; // tool names in paths and file names
mod schema; // our JSON Schema of the card

pub use build::{has_all_for, of};
pub use diff::{Change, ChangeSeverity, diff};
pub use level::{Level, lacks, level};
pub use model::{Audit, Card, Cost, Identity, InputSchema, Performance, Safety, Schemas, Tested};
pub use path::{INDEX, INDEX_FILE, WELL_KNOWN, name_of, segment_of, url_of};
pub use read::{Mode, assumed_effect, read};
pub use schema::schema;
pub(crate) use version::is_version;

/// The version of cards that is written and read here. The member with this value,
/// `tool_card_version`, tells a card from other documents.
pub const VERSION: &str = "0.1";
