//! The settings of a server as clients meet them: what they are told of them, and what their own
//! configuration changes.
mod base; // the values that hold, and what a client puts on top of them
mod client; // the configuration that a client sends
mod upstream; // settings of the server behind us
mod publish; // what the first answer of a server says about settings and policies

pub use base::{Clients, Configured};
pub use client::client_configuration;
pub use publish::{AnswerAuthor, decorate};
pub(crate) use upstream::{Foreign, UpstreamSettings};
