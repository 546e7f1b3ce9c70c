//! The calling side: one conversation with one server, whatever transport and era it speaks.
mod error; // what can go wrong, and whose fault it was
mod target; // what to connect to

pub use error::ClientError;
pub use target::{Command, Environment, Target};
