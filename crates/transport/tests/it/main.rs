//! Tests of the transports as their users see them.
mod client; // the calling side against scripted servers
