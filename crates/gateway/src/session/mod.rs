//! A session with the upstream.
mod connection; // a live conversation
mod handle; // what calls and the pool see of a session
mod owner; // the task that opens it, opens it again and ends it
mod settings; // what clients have set in it

pub(crate) use connection::Connection;
pub(crate) use handle::{Audience, UpstreamSession, closed};
pub(crate) use settings::Setting;
