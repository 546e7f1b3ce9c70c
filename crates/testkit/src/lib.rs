//! For tests only: an example server with every feature of the Toolbox, and ways to drive servers.
pub mod example; // the server that the conformance suite and the peers talk to
