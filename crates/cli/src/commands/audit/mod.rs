//! `overt audit`: it only reads logs.
mod task; // dispatch to the subcommands
mod verify; // overt audit verify
mod find; // overt audit query, overt audit export
mod unreadable; // the error for a log that can't be read

pub(crate) use task::audit;
pub(crate) use unreadable::unreadable;
