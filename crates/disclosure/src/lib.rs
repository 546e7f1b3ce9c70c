//! Tells clients what a server is and does: dashdash metadata where it belongs in each answer,
//! `ai_help`, and documents as resources and over HTTP. It is outside of authorize, so that what it
//! says covers only what is permitted. Start with `stack.rs`.
mod stack; // the layers with this one among them
mod disclosure; // what there is to tell, checked
mod layer; // the layer as a value
mod dispatch; // which request is answered, which answer gets more
mod description_cache; // the last description for each caller
mod survey; // what the running server says, asked in the caller's name
mod handshake; // the answers to `initialize` and `server/discover`
mod lists; // the entries of lists
mod answers; // answers of our own, in the form of the era
mod help; // `ai_help`
mod resources; // `overt://ai-help` and `overt://cards/<tool>`
mod own_session; // requests that we make ourselves
mod pages; // documents over HTTP
mod reader; // in whose name they are read

pub use disclosure::{DeclarationError, Disclosure, ServerCapabilities};
pub use layer::Disclose;
pub use own_session::OwnSession;
pub use stack::{build, build_with, open};
