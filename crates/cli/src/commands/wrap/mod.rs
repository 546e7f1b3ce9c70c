//! `overt wrap` and `overt unwrap`.
mod prompter; // questions at the terminal
mod plan; // what would change in which file
mod introduction; // what a server is, asked from the server
mod choose; // what a person wants for each server
mod write; // the files, written after a yes
mod wrap; // overt wrap
mod unwrap; // overt unwrap

pub(crate) use unwrap::unwrap;
pub(crate) use wrap::wrap;
