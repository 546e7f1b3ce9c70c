//! `overt undo`: undoes changes of files, with the same code as the tool `revert_change`.
mod task; // dispatch to the task that the settings name
mod list; // the changes that can be undone

pub(crate) use task::undo;
