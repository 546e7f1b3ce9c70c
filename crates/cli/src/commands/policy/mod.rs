//! `overt policy`.
mod task; // dispatch to the subcommands
mod show; // overt policy show
mod check; // overt policy check
mod explain; // overt policy explain
mod suggest_grants; // the grants of a suggested policy
mod one_off; // addresses that occur once
mod suggest; // overt policy suggest
mod advice; // advice on what would change the decision

pub(super) use check::check_toml;
pub(crate) use task::policy;
