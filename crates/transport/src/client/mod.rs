//! The calling side: one conversation with one server, whatever transport and era it speaks.
//!
//! Start with [`Client`]. It knows nothing of how bytes travel (`link` does) nor of what a tool
//! means.
mod conversation; // `Client`: asking, telling, listing, closing
mod connect; // finds out the era and shakes hands
mod handshake; // what the first answer of a server says about it
mod options; // who we say we are, and what we learn of the server
mod target; // what to connect to
mod shown_url; // addresses without their secrets
mod credentials; // who we are to an HTTP server
mod core; // ids, deadlines and the bound on open requests
mod calls; // requests that wait for their answers
mod input_required; // `input_required`: the server's questions inside a result
mod subscription; // `subscriptions/listen`, a request that stays open
mod inbox; // what the server sends on its own: notifications and questions
mod listener; // what a server may want from us
mod link; // raw messages out, messages in: the two ways
mod pipe; // lines over a pair of byte streams, usually a child process
mod http; // Streamable HTTP
mod error; // what can go wrong, and whose fault it was
mod delivery; // whether a request that failed was sent, and may have been executed

pub use conversation::Client;
pub use credentials::{Credentials, CredentialsError, Refusal, RetryDecision, Secret};
pub use delivery::Executed;
pub use error::{ClientError, Delivery, Side};
pub use http::{Connections, PostOutcome, Poster, Proxies};
pub use listener::{Listener, SilentListener};
pub use options::{ClientOptions, Protocol, Server};
pub use subscription::Subscription;
pub use target::{ByteStream, Command, Connector, Environment, HttpTarget, Target};
