//! `overt policy`.
mod task; // which of the two
mod check; // overt policy check
mod explain; // overt policy explain

pub(crate) use task::policy;
