//! Tool Cards, version 0.1: what one tool of a server does, for the person or program that decides
//! whether it may be called.
mod model; // the card
mod read; // from JSON, everything that is wrong at once
mod level; // how much a card tells
mod diff; // what changed between two cards of a tool
mod version; // versions in their order
mod build; // made from a description
mod path; // names of tools in paths and files
mod schema; // our JSON Schema of the card

pub use build::{has_all_for, of};
pub use diff::{Change, Weight, diff};
pub use level::{Level, lacks, level};
pub use model::{Audit, Card, Cost, Identity, InputSchema, Performance, Safety, Schemas, Tested};
pub use path::{INDEX, INDEX_FILE, WELL_KNOWN, name_of, segment_of, url_of};
pub use read::{Mode, assumed_effect, read};
pub use schema::schema;
pub(crate) use version::is_version;

/// The version that is written and read here, and how a card is told from other documents.
pub const VERSION: &str = "0.1";
