//! The documents with which a server is found before a client connects to it: the record of the
//! official registry, the server card, the catalogue entry that points to it, and the registration
//! record of dashdash.
mod common; // what several of them say alike
mod server_json; // the official registry's `server.json`
mod server_card; // beside the MCP endpoint
mod ai_catalog; // where the card is
mod registration; // the record of dashdash
#[cfg(test)]
mod tests;

pub use ai_catalog::{AiCatalog, CatalogEntry};
pub use common::{Remote, Repository};
pub use registration::Registration;
pub use server_card::{CARD_TYPE, ServerCard};
pub use server_json::{Argument, EnvironmentVariable, Package, ServerJson, Transport};
