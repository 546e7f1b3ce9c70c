//! The servers that Overt ships, as endpoints. They know nothing of transports, of the command
//! line, or of what allowed a call.
//!
//! **Invariant:** no byte outside the roots is read or written.
//! **Invariant:** a file is old or new, never torn.
pub mod files; // the file server
mod package; // the addresses of the project
pub mod skills; // the skills server
