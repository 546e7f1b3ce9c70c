//! Streamable HTTP, serving side, in both eras on one endpoint.
mod server; // listening, connections, draining
mod connection_spreader; // connections on more than one thread
mod guard; // who may talk to us at all: Host and Origin
mod access; // who may use the endpoint: our own user, and holders of tokens
mod socket_owner; // whose program has connected
mod public_url; // where clients reach us behind a proxy
mod endpoint; // the endpoint as a value
mod dispatch; // one HTTP request: method, media types, body, era
mod request_headers; // what its headers say
mod response; // what it is answered with
mod receive; // reading a message
mod cors; // what web pages may send and read
mod modern; // requests that stand alone (2026-07-28)
mod mirror; // headers that repeat parts of the body
mod legacy; // requests of sessions (up to 2025-11-25)
mod session; // the sessions themselves
mod pending_response; // requests that have nothing to say but their answer
mod replay; // what a session keeps for clients that come back
mod kept_stream; // one stream of it
mod sent_message; // a message with its place, and the id of that place
mod attached; // a connection that takes the events of a stream
mod body; // response bodies
mod documents; // what is read beside the endpoint
mod clean_path; // the path of a request as a document's name
mod entity_tag; // whether a reader has a document already
mod pages; // health and metrics on an address of their own
mod site; // a page for the person at this machine, and its API
mod connection; // one connection to the servers beside the endpoint
mod write_deadline; // a peer that doesn't read is cut off

pub use access::{NoTokens, TokenCheck};
pub use guard::Guard;
pub use pages::{Page, PageServer, Pages};
pub use public_url::{PublicUrl, PublicUrlError};
pub use server::{BindError, Exposure, Options, Server};
pub use site::{Site, SiteContent, SiteMethod, SiteReply, SiteRequest, SiteServer};
