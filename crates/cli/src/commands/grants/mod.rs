//! `overt grants`: what people allowed, and what they are asked. Nothing here talks to a server.
mod show; // overt grants list, pending
mod server; // which server a grant in advance is for
mod decide; // overt grants allow, deny, revoke
mod record; // all of that in the audit log, before it holds
mod task; // from settings to one of them

pub(crate) use task::grants;
