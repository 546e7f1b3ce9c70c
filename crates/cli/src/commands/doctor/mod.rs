//! `overt doctor`.
mod servers; // each server of each file
mod wrapping; // entries that lost their wrapping
mod answers; // who can answer questions, and what answers without a person
mod state; // the state folder, the audit log, the backups
mod task; // all checks, one after the other

pub(crate) use task::doctor;
