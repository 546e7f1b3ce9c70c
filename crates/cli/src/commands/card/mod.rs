//! `overt card`: Tool Cards, checked, made and compared.
mod task; // dispatch to the subcommands
mod files; // cards in files and directories
mod server; // cards of a running server
mod check; // overt card check
mod compare; // overt card diff

pub(crate) use task::card;
