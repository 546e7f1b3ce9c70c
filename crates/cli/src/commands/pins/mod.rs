//! `overt pins`: what is remembered of servers' tools. Nothing here talks to a server.
mod context; // what every command works with
mod choose; // which of the servers that are remembered
mod decide; // overt pins accept, keep, forget
mod show; // overt pins list, diff
mod task; // from settings to one of them

pub(super) use decide::{accepted_tools, decide_all, trust_words};
pub(crate) use task::pins;
