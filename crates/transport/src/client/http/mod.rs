//! The client side of Streamable HTTP, for both eras.
mod address; // the address of a server, prepared for requests
mod agent; // sending requests: headers and credentials
mod receive; // reading replies: limits, status codes, content types
mod pool; // connections that stay open between requests
mod dial; // opening a connection
mod proxy; // choosing a proxy
mod events; // reading a response body as events
mod headers; // headers that repeat parts of a message
mod link; // one endpoint as a link
mod intake; // passing on the messages of a stream
mod resume; // when to resume a broken stream
mod poster; // posting our own documents: telemetry
mod standalone; // the stream for messages that belong to no request (legacy)

pub(super) use link::Http;
pub use pool::Connections;
pub use poster::{PostOutcome, Poster};
pub use proxy::Proxies;
