//! The server for the conformance suite and the peers. Its names are those that the suite expects;
//! the library does not know them.
mod build; // the server, built from its parts
mod declared; // declarations about the server
mod plain; // tools that only answer
mod asking; // tools that ask the client
mod changing; // tools that announce changes
mod notes; // tools with plans and previews
mod tasks; // tools that can become tasks
mod resources; // resources and templates
mod prompts; // prompts
pub mod media; // the smallest image and sound

pub use build::toolbox;
