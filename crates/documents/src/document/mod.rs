//! All documents about a server, by name. From this one table they are made, printed, served and
//! compared.
mod kind; // the kinds of documents
mod table; // the table that says how each document is made
mod cards; // the Tool Cards and their index
mod served; // the HTTP paths of documents
mod secret_check; // the check for secrets, which stops a document
#[cfg(test)]
mod tests;

pub use crate::server_location::ServerLocation;
pub use cards::{card, card_index};
pub(crate) use kind::{CARDS, LLMS_FULL, SERVER_CARD};
pub use kind::{Document, Kind};
pub use secret_check::secrets_in;
pub use served::ServedDocument;
pub use table::{all, render};
