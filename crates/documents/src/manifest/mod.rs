//! The manifest, `overt.toml`: a declaration for a server that somebody else wrote.
mod read; // from TOML to a declaration, every finding with its line
mod common; // fields that both kinds of tables have
mod server; // the table of the server
mod tool; // the table of a tool
mod fields; // the fields of a declaration by name
mod without; // the same without what is wrong
mod write; // from a declaration to TOML
mod guess; // what a tool's effect may be
mod toml; // lines for people: fields, comments, offers
mod init; // a first manifest, from what the server says

pub use fields::to_value;
pub use init::init;
pub use read::Manifest;
pub(crate) use without::without;
pub use write::write;
