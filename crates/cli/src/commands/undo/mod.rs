//! `overt undo`: undoes changes of files, with the same code as the tool `revert_change`.
mod task; // dispatch to the task that the settings name
mod select; // finding the changes that the arguments mean
mod sessions; // session ids as overt log shows them
mod list; // the changes that can be undone
mod record; // audit records of undone changes
mod error; // errors of overt undo

pub(crate) use task::undo;
pub(super) use task::{apply, plan_one, undone_words};
