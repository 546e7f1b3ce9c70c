//! `overt audit`: reads logs, never writes one.
mod task; // runs the command that was typed
mod verify; // how far a log holds
mod find; // some of its records
mod unreadable; // a log that can't be read

pub(crate) use task::audit;
pub(crate) use unreadable::unreadable;
