//! Moves MCP messages between this process and a peer. It knows nothing about tools or policy.
//!
//! **Invariant:** every read has a size limit and every wait a deadline ([`limits::Limits`]).
pub mod limits; // all limits and deadlines, with their defaults
pub mod stream; // serving on a pair of byte streams, with one message per line
pub mod stdio; // serving on this process's stdin and stdout
pub mod pair; // serving in memory
pub mod http; // serving Streamable HTTP
pub mod header; // header values that repeat parts of a message
pub mod time_budget; // running work within a time budget that excludes a person's decisions
mod serve; // code that all serving transports share
mod write_buffer; // text that waits until the client reads it
pub mod signal; // the signals that stop a server
pub mod tls; // TLS for outgoing connections
pub mod client; // the client side: connecting to a server, calling it, answering its questions
pub mod child; // child processes with pipes, ended together with their descendants
pub mod helper; // helper processes of Overt, and the handles that they pass
pub mod frames; // requests and answers between two processes of Overt
mod process; // killing a child when this process dies
pub mod guardian; // killing a child's descendants when this process dies
