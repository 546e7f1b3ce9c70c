//! `overt grants` and `overt trust`: what people allowed, what they are asked, and which servers
//! they trust. Nothing here talks to a server.
mod context; // what the commands share
mod error; // why nothing was decided, and what to do
mod list; // overt grants list, pending
mod show; // overt grants show
mod review; // the page of a question, in a file
mod server; // finding the server that a name means
mod authorize; // the check that a person answers
mod tool; // finding the tool that a name means
mod answer; // the one way to answer a question
mod decide; // overt grants allow, deny, for questions
mod advance; // overt grants allow, deny, for a tool before any call asks
mod revoke; // overt grants revoke
mod trust; // overt trust
mod coverage; // changed tools: pin and trust, settled together
mod record; // audit records, written before a decision takes effect
mod wrapped; // audit records for decisions of overt wrap
mod task; // dispatch to the subcommands

pub(super) use advance::{agreed, give};
pub(super) use answer::{Answered, answer, approval};
pub(super) use authorize::{Authorized, authorize_answerer, authorize_or_look};
pub(super) use context::{DecisionContext, with_audit};
pub(super) use coverage::{SeenTool, cover_accepted, local};
pub(super) use error::no_grant;
pub(super) use record::Records;
pub(super) use revoke::{revocation, take_back};
pub(super) use server::known_servers;
pub(crate) use task::grants;
pub(crate) use trust::trust;
pub(super) use trust::{forget_trust, give_trust, trust_decision};
pub(crate) use wrapped::{TrustAnswerer, record_trust};
