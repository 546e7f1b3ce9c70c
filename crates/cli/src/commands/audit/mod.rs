//! `overt audit`: reads logs, never writes one.
mod task; // from settings to what was asked for
mod verify; // how far a log holds
mod find; // some of its records

pub(crate) use task::{audit, unreadable};
