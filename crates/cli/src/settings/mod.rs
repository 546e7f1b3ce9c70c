//! What the command line means once the environment, files and defaults are applied. No `Option` here means
//! "not given".
mod call; // overt call
mod connection; // target, protocol, deadlines and roots
mod env; // the environment and the terminals, read once
mod expand; // `${VAR}` in those files
mod header; // headers from options
mod jsonc; // comments in those files
mod list; // overt list
mod mcp_json; // the server files of other programs
mod source; // text from files and standard input, bounded
mod talk; // format and verbosity
mod target; // which server

pub(crate) use call::{CallSettings, Existing, Input, Save, Shape};
pub(crate) use connection::{Connection, Root};
pub(crate) use env::{Env, OVERT_LOG};
pub(crate) use list::{ListSettings, Lists};
pub(crate) use talk::{Talk, Verbosity};
