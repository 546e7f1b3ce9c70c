//! Connections to a server under test. What goes over them is text; nothing here knows what it means but the
//! little that HTTP has to know.
mod any; // one of the below
mod http; // Streamable HTTP
mod lines; // a message per line: in memory, or on the pipes of a process

pub use any::{Link, Transport};
pub use http::HttpLink;
pub use lines::LineLink;
