//! The server side of Streamable HTTP, for both eras on one endpoint.
mod server; // listening, accepting connections, draining
mod connection_spreader; // distributing connections over threads
mod guard; // checks of `Host` and `Origin`
mod access; // authentication: our own user, and holders of tokens
mod socket_owner; // the user whose program has connected
mod public_url; // the endpoint's URL behind a proxy
mod endpoint; // the state that answering a request needs
mod dispatch; // one HTTP request: method, media types, body, era
mod request_headers; // era, media types and size from the request headers
mod response; // building responses
mod receive; // reading the message of a request
mod cors; // what web pages may send and read
mod modern; // requests without a session (2026-07-28)
mod mirror; // headers that repeat parts of the body
mod legacy; // requests within sessions (up to 2025-11-25)
mod session; // the sessions of legacy clients
mod pending_response; // requests that have sent nothing before their answer
mod replay; // events that a session keeps for clients that reconnect
mod kept_stream; // one stream of a session
mod sent_message; // a message with its position in a stream, and its event id
mod attached; // a connection that receives the events of a stream
mod body; // response bodies
mod documents; // documents outside the endpoint
mod clean_path; // the path of a request as a document's name
mod entity_tag; // entity tags and `If-None-Match`
mod pages; // health and metrics on a separate address
mod site; // a web page for the local user, and its API
mod connection; // one connection to a server outside the endpoint
mod write_deadline; // cutting off peers that do not read

pub use access::{Authenticate, NoTokens};
pub use guard::Guard;
pub use pages::{Page, PageServer, Pages};
pub use public_url::{PublicUrl, PublicUrlError};
pub use server::{BindError, Exposure, Options, Server};
pub use site::{Site, SiteContent, SiteMethod, SiteReply, SiteRequest, SiteServer};
