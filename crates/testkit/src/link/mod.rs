//! Connections to a server under test. They carry text and interpret only what HTTP requires.
mod any; // a connection over any transport
mod http; // Streamable HTTP
mod lines; // a message per line: in memory, or on the pipes of a process

pub use any::{Link, Transport};
pub use http::HttpLink;
pub use lines::LineLink;
