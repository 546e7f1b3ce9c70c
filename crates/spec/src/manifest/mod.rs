//! The manifest, `overt.toml`: a declaration for a server that somebody else wrote.
mod read; // from TOML to a declaration, every finding with its line
mod server; // the table of the server
mod tool; // the table of a tool
mod places; // where in the text each value is
mod write; // from a declaration to TOML

pub use read::{Manifest, ManifestError, located};
pub use write::write;
