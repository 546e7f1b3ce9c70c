//! Streamable HTTP, serving side, in both eras on one endpoint.
mod body; // response bodies
mod endpoint; // one HTTP request: method, media types, body, era
mod guard; // who may talk to us at all: Host and Origin
mod legacy; // requests of sessions (up to 2025-11-25)
mod mirror; // headers that repeat parts of the body
mod modern; // requests that stand alone (2026-07-28)
mod replay; // what a session keeps for clients that come back
mod server; // listening, connections, draining
mod session; // the sessions themselves
mod write_deadline; // a peer that doesn't read is cut off

pub use guard::Guard;
pub use mirror::{decode as decode_header_value, encode as encode_header_value};
pub use server::{BindError, Exposure, Options, Server};
