//! The server that the conformance suite and the peers talk to. Its names are those that the suite
//! expects; nothing in the library knows them.
mod build; // everything put together
mod declared; // what it says about itself
mod plain; // tools that just answer
mod asking; // tools that ask the client
mod changing; // tools that change what the server has
mod notes; // tools that show what they change
mod tasks; // tools that may take long
mod resources; // resources and templates
mod prompts; // prompts
pub mod media; // the smallest picture and sound

pub use build::toolbox;
