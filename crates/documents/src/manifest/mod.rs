//! The manifest, `overt.toml`: a declaration for a third-party server.
mod read; // from TOML to a declaration, every finding with its line
mod common; // fields that both kinds of tables have
mod server; // the table of the server
mod tool; // the table of a tool
mod fields; // the fields of a declaration by name
mod without_errors; // a record without the fields that are wrong
mod write; // from a declaration to TOML
mod guess; // what a tool's effect may be
mod toml; // lines for people: fields, comments, offers
mod init; // a first manifest, from what the server says

pub use fields::to_value;
pub use init::init;
pub use read::Manifest;
pub(crate) use without_errors::without_errors;
pub use write::write;
