//! Tells clients what a server is and does: dashdash metadata at its place in each answer,
//! `ai_help`, and documents as resources and over HTTP. The layer sits outside of authorize, so it
//! discloses only what the caller is permitted to use. Start with `stack.rs`.
mod stack; // the stack of layers, with this one among them
mod disclosure; // the checked declaration of a server
mod layer; // `Disclose`, the layer itself
mod dispatch; // which requests are answered here, and which answers are extended
mod description_cache; // the latest description for each caller
mod survey; // lists of what the running server offers, on behalf of the caller
mod handshake; // extended answers to `initialize` and `server/discover`
mod lists; // extended entries of lists
mod answers; // our own answers, in the form of the caller's era
mod help; // `ai_help`
mod resources; // the resources `overt://ai-help` and `overt://cards/<tool>`
mod own_session; // requests that Overt makes itself
mod pages; // documents over HTTP
mod reader; // the internal client that reads them

pub use disclosure::{DeclarationError, Disclosure, ServerCapabilities};
pub use layer::Disclose;
pub use own_session::OwnSession;
pub use stack::{build, build_with, open};
