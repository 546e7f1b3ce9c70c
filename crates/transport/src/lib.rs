//! Moves MCP messages between this process and a peer; knows nothing of tools or policy.
//!
//! **Invariant:** every read has a size limit and every wait a deadline ([`limits::Limits`]).
pub mod limits; // every limit and deadline with its default
pub mod stream; // serving on a pair of byte streams, a message per line
pub mod stdio; // the same on our own stdin and stdout
pub mod pair; // the same in memory
pub mod http; // serving Streamable HTTP
pub mod header; // header values that repeat parts of a message
pub mod time_budget; // runs work within a time that does not count a person's decisions
mod serve; // what the serving sides share
mod write_buffer; // what waits for the client to read
pub mod signal; // when to stop
pub mod tls; // how we trust servers
pub mod client; // the calling side: connect to a server, ask it, be asked
pub mod child; // a child process with pipes, ended with its descendants
mod process; // a child that can't outlive us
pub mod guardian; // descendants of a child that can't outlive us either
