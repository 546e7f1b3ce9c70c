//! The calling side: one conversation with one server, whatever transport and era it speaks.
//!
//! Start with [`Client`]. It knows nothing of how bytes travel (`link` does) nor of what a tool means.
mod calls; // requests that wait for their answers
mod connect; // finds out the era and shakes hands
mod conversation; // `Client`: asking, telling, listing, closing
mod core; // ids, deadlines and the bound on open requests
mod error; // what can go wrong, and whose fault it was
mod hello; // what the first answer of a server says about it
mod http;
mod inbox; // what the server sends on its own: notifications and questions
mod link; // raw messages out, messages in: the two ways
mod listener; // what a server may want from us
mod options; // who we say we are, and what we learn of the server
mod pipe; // lines over a pair of byte streams, usually a child process
mod rounds; // `input_required`: the server's questions inside a result
mod subscription; // `subscriptions/listen`, a request that stays open
mod target; // what to connect to // Streamable HTTP

pub use conversation::Client;
pub use error::{ClientError, Side};
pub use listener::{Listener, Silent};
pub use options::{ClientOptions, Protocol, Server};
pub use subscription::Subscription;
pub use target::{Command, Environment, HttpTarget, Target};
