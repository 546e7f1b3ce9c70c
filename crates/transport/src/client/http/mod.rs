//! Streamable HTTP, the calling side of both eras.
mod address; // the address of a server, as requests need it
mod agent; // requests: headers and credentials
mod receive; // answers: limits, status codes, content types
mod pool; // connections, kept open between requests
mod dial; // how one is opened
mod proxy; // through which proxy
mod events; // a response body as events
mod headers; // the headers that mirror a message
mod link; // the connection as the conversation sees it
mod intake; // where the messages of a stream go
mod mirror; // `x-mcp-header`: tool arguments that are mirrored into headers
mod resume; // when to come back for a broken stream
mod poster; // documents of ours for others: telemetry
mod standalone; // the stream for messages that belong to no request (legacy)

pub(super) use link::Http;
pub use pool::Connections;
pub use poster::{PostOutcome, Poster};
pub use proxy::Proxies;
