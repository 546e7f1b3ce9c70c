//! `overt grants` and `overt trust`: what people allowed, what they are asked, and which servers
//! they trust. Nothing here talks to a server.
mod context; // what the commands share
mod list; // overt grants list, pending
mod show; // overt grants show
mod review; // the page of a question, in a file
mod decide; // overt grants allow, deny, for questions
mod advance; // overt grants allow, deny, for a tool before any call asks
mod revoke; // overt grants revoke
mod trust; // overt trust
mod task; // dispatch to the subcommands

pub(super) use context::{DecisionContext, with_audit};
pub(crate) use task::grants;
pub(crate) use trust::trust;
