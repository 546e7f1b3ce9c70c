//! `overt grants` and `overt trust`: what people allowed, what they are asked, and which servers
//! they believe. Nothing here talks to a server.
mod context; // what the commands share
mod error; // why nothing was decided
mod list; // overt grants list, pending
mod show; // overt grants show
mod review; // the page of a question, in a file
mod server; // which server is meant
mod authorize; // only a person answers
mod tool; // which tool is meant
mod answer; // the one way to answer a question
mod decide; // overt grants allow, deny: questions
mod advance; // overt grants allow, deny: a tool, before any call asks
mod revoke; // overt grants revoke
mod trust; // overt trust
mod coverage; // tools that changed: the pin and the trust, settled together
mod record; // all of that in the audit log, before it holds
mod wrapped; // the same for decisions of overt wrap
mod task; // runs the command that was typed

pub(super) use advance::{agreed, give};
pub(super) use answer::{Answered, answer, approval};
pub(super) use authorize::{Authorized, authorize_answerer, authorize_or_look};
pub(super) use context::{CommandContext, with_audit};
pub(super) use coverage::{SeenTool, cover_accepted};
pub(super) use error::no_grant;
pub(super) use record::Records;
pub(super) use revoke::{revocation, take_back};
pub(super) use server::known_servers;
pub(crate) use task::grants;
pub(crate) use trust::trust;
pub(super) use trust::{forget_trust, give_trust, trust_decision};
pub(crate) use wrapped::{TrustAnswerer, record_trust};
