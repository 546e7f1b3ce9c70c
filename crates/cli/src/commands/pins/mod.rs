//! `overt pins`: the remembered definitions of servers' tools. Nothing here talks to a server.
mod choose; // what every command needs, and the remembered server that is meant
mod decide; // overt pins accept, keep, forget
mod show; // overt pins list, diff
mod task; // dispatch to the subcommands

pub(super) use decide::{accepted_tools, decide_all, trust_words};
pub(crate) use task::pins;
