//! `overt wrap` and `overt unwrap`.
mod plan; // what would change in which file
mod introduction; // what a server is, asked from the server
mod choose; // what a person wants for each server
mod write; // the files, written after a yes
mod wrap_files; // overt wrap
mod unwrap_files; // overt unwrap

pub(crate) use unwrap_files::unwrap;
pub(crate) use wrap_files::wrap;
