//! `overt policy`.
mod task; // which of them
mod show; // overt policy show
mod check; // overt policy check
mod explain; // overt policy explain
mod suggest_grants; // the grants of a proposal
mod one_off; // addresses that exist once
mod suggest; // overt policy suggest
mod standing; // what people granted, and how far they trust the server
mod advice; // what would change the answer

pub(super) use check::check_toml;
pub(super) use standing::{Definitions, Explained, Standing};
pub(crate) use task::policy;
