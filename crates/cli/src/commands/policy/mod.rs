//! `overt policy`.
mod task; // which of the two
mod check; // overt policy check
mod explain; // overt policy explain
mod standing; // what people granted, and how far they trust the server
mod advice; // what would change the answer

pub(crate) use task::policy;
