//! Sessions with the upstream.
mod connection; // an open conversation
mod handle; // the handle of a session, for calls and for the pool
mod owner; // the task that opens, reopens and ends the conversation
mod settings; // the settings that clients have made

pub(crate) use connection::Connection;
pub(crate) use handle::{Audience, UpstreamSession, closed};
pub(crate) use settings::Setting;
