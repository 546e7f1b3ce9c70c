//! A server that speaks the proposal of seed 002 to the letter, as its own file server does:
//! foreign content items, marks beside the result, the schema of its settings beside the
//! capabilities, and an application of several files. Start with `server.rs`.
pub mod server; // messages: from a request to its answer
mod answers; // the answers that are the same for every client
mod change; // an edit of a text, as a unified diff and as a page
pub mod serve; // over lines and over HTTP
