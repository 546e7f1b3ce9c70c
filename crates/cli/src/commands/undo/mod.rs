//! `overt undo`: takes back changes of files, through the same code as the tool `revert_change`.
mod task; // runs the task that the settings name
mod select; // which changes are meant
mod sessions; // the ids of sessions that overt log shows
mod list; // the changes that can be taken back
mod record; // the audit records of what is undone
mod error; // what can be wrong

pub(crate) use task::undo;
pub(super) use task::{apply, plan_one, undone_words};
