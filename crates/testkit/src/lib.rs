//! For tests only: an example server with every feature of the Toolbox, and tools to drive servers
//! and check their messages.
pub mod example; // the server that the conformance suite and the peers talk to
pub mod oauth; // a server that requires a token, and its authorization server
pub mod evil; // a server that does by script what a server must not do
pub mod seed; // a server that speaks the proposal of seed 002 to the letter
pub mod schema; // validation of messages against the official schemas
pub mod link; // connections to a server under test: lines, a process, HTTP
pub mod http_raw; // HTTP as raw bytes, including what no client sends
mod http_request; // reading requests, for the testkit's own servers
pub mod process; // a server as a child process: pipes, signals, memory
pub mod transcript; // tests as data: messages to send and to expect
pub mod person; // changes that a person makes, without a person
