//! Plans the undoing of changes, both for the tool `revert_change`, which a client calls, and for
//! `overt undo`, which the owner of the files runs.
mod plan; // undoing one change
mod not_undone; // finding the changes that still hold
mod void; // changes that never happened
mod by_person; // what a person undid stays undone
mod past_change; // a past change, for display
mod history; // the history of a user, whatever the roots
mod shown; // diffs of past changes
mod planned; // what undoing a change will do, and what it did
mod person; // a person's undoing, with its records
mod batch; // undoing several changes together, all or none
mod chain; // a change that a later one in the same batch has replaced
mod error; // reasons why a change can't be undone
#[cfg(test)]
mod tests;

pub use batch::Batch;
pub(crate) use by_person::check_not_by_person;
pub use error::UndoError;
pub use history::History;
pub(crate) use not_undone::NotUndone;
pub use past_change::PastChange;
pub use person::{UndoChanges, UndoneBatch};
pub(crate) use plan::{lost, plan};
pub use planned::{PlannedUndo, UndoneChange};
pub(crate) use void::is_void;
