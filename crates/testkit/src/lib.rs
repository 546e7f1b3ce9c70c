//! For tests only: an example server with every feature of the Toolbox, and ways to drive servers
//! and to watch what they say.
pub mod example; // the server that the conformance suite and the peers talk to
pub mod oauth; // a server that wants a token, and who issues it
pub mod evil; // a server that does whatever a server must not do
pub mod schema; // what is said, held against the official schemas
pub mod link; // connections to a server under test: lines, a process, HTTP
pub mod http_raw; // HTTP by the byte, also the kind that no client sends
mod http_request; // requests as the testkit's own servers read them
pub mod process; // a server as a child process: pipes, signals, memory
pub mod transcript; // tests as data: what is sent and what must come back
