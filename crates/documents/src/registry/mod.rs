//! The documents by which a server is discovered before a client connects to it: the record of the
//! official registry, the server card, the catalogue that points to it, and the registration record
//! of dashdash.
mod common; // parts that several of them share
mod server_json; // the official registry's `server.json`
mod server_card; // the server card beside the MCP endpoint
mod ai_catalog; // the catalogue that points to the card
mod registration; // the registration record of dashdash
#[cfg(test)]
mod tests;

pub use ai_catalog::{AiCatalog, CatalogEntry};
pub use common::{Remote, Repository};
pub use registration::Registration;
pub use server_card::{CARD_TYPE, ServerCard};
pub use server_json::{Argument, EnvironmentVariable, Package, ServerJson, Transport};
