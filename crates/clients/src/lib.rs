//! Facts about MCP clients: which files they keep, how they start servers, how long their calls may
//! take. Everything that depends on a client reads the table. [`files`] changes their files.
mod facts; // the types of the table
mod table; // the facts and their date
mod client_folders; // where the files are on this machine
mod lookup; // clients by what people type and by the name that clients send
mod running; // whether a client is running
pub mod files; // the files in which clients configure their servers
pub mod guarded; // files that start programs by themselves or permit tools

pub use client_folders::{ClientFolders, Scope};
pub use facts::{
    BareUrl, Base, ChildEnvironment, ClientFacts, ConfigFile, Grade, KnownFact, Limit, RewriteTime, Servers,
    Syntax,
};
pub use lookup::{by_word, longest_wait, words};
pub use running::{ClientState, Processes};
pub use table::{ALL, FACTS_FROM};
