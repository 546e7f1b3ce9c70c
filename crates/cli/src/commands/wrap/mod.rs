//! `overt wrap` and `overt unwrap`.
mod plan; // the changes to each file
mod introduction; // facts about a server, asked from the server
mod choose; // asking the person what to do with each server
mod write; // writing the files, after a yes
mod wrap_files; // overt wrap
mod unwrap_files; // overt unwrap

pub(crate) use unwrap_files::unwrap;
pub(crate) use wrap_files::wrap;
