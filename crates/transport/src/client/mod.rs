//! The client side: one conversation with one server, for every transport and era.
//!
//! Start with [`Client`]. It does not know how bytes travel (`link` does) or what a tool means.
mod conversation; // `Client`: requests, notifications, lists, closing
mod connect; // finding out the era, and the handshake
mod handshake; // what the first answer of a server says about the server
mod options; // how we introduce ourselves, and what the server says about itself
mod target; // what to connect to
mod shown_url; // URLs without their secrets
mod credentials; // authorization for an HTTP server
mod core; // ids, deadlines and the limit on open requests
mod calls; // requests that wait for their answers
mod input_required; // `input_required`: the server's questions inside a result
mod subscription; // `subscriptions/listen`, a request that stays open
mod incoming; // messages that the server sends on its own: notifications and questions
mod listener; // the interface for a server's notifications and questions
mod link; // the transport interface: messages out, messages in
mod pipe; // lines over a pair of byte streams, usually a child process
mod http; // Streamable HTTP
mod error; // errors, and which side caused them
mod delivery; // whether a failed request was sent, and may have been executed

pub use conversation::Client;
pub use credentials::{Credentials, CredentialsError, Refusal, RetryDecision, Secret};
pub use delivery::Executed;
pub use error::{ClientError, Delivery, Side};
pub use http::{Connections, PostOutcome, Poster, Proxies};
pub use listener::{Listener, SilentListener};
pub use options::{ClientOptions, Protocol, Server};
pub use subscription::Subscription;
pub use target::{ByteStream, Command, Connector, Environment, HttpTarget, Target};
