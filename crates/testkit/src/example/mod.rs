//! The server that the conformance suite and the peers talk to. Its names are those that the suite expects;
//! nothing in the library knows them.
mod asking; // tools that ask the client
mod build; // everything put together
mod changing; // tools that change what the server has
mod media; // the smallest picture and sound
mod plain; // tools that just answer
mod prompts;
mod resources; // resources and templates // prompts

pub use build::toolbox;
