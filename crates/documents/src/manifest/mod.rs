//! The manifest, `overt.toml`: a declaration for a third-party server.
mod read; // from TOML to a declaration, with the line of every finding
mod common; // fields that several tables share
mod server; // the table of the server
mod tool; // the table of a tool
mod fields; // the fields of a declaration by name
mod without_errors; // a record without its wrong fields
mod write; // a declaration as TOML
mod guess; // a guess of a tool's effect
mod toml; // lines for people: fields, comments, offers
mod init; // a first manifest, from what the server says

pub use fields::to_value;
pub use init::init;
pub use read::Manifest;
pub(crate) use without_errors::without_errors;
pub use write::write;
