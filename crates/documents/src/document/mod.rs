//! Every document about a server, by name: the one table from which they are made, printed, served
//! and compared.
mod kind; // the kinds of documents
mod table; // how each is made
mod cards; // a Tool Card for each tool, and the list of them
mod served; // where each is found over HTTP
mod secret_check; // what must not be published stops a document
#[cfg(test)]
mod tests;

pub use crate::server_location::ServerLocation;
pub use cards::{card, card_index};
pub(crate) use kind::{CARDS, LLMS_FULL, SERVER_CARD};
pub use kind::{Document, Kind};
pub use secret_check::secrets_in;
pub use served::ServedDocument;
pub use table::{all, render};
