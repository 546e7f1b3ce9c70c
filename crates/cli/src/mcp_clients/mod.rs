//! What is known about MCP clients: which files they keep, how they start servers, how long their
//! calls may take. Everything that depends on a client reads [`table`].
mod facts; // the types of the table
mod table; // the facts, with their date
mod client_folders; // where the files are on this machine
mod lookup; // clients by what people type and by what clients call themselves
mod running; // whether a client runs now

pub(crate) use client_folders::{ClientFolders, Scope};
pub(crate) use facts::{
    BareUrl, ChildEnvironment, ClientFacts, ConfigFile, KnownFact, RewriteTime, Servers, Syntax,
};
pub(crate) use lookup::{by_word, longest_wait, words};
pub(crate) use running::{ClientState, Processes};
pub(crate) use table::{ALL, FACTS_FROM};
