//! `overt policy`.
mod task; // which of them
mod check; // overt policy check
mod explain; // overt policy explain
mod suggest; // overt policy suggest

pub(crate) use task::policy;
