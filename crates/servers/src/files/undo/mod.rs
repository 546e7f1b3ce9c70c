//! Undoing changes: planned here for `revert_change`, which a client calls, and for `overt undo`,
//! which the owner of the files types.
mod plan; // the undoing of one change
mod not_undone; // which changes still hold, by the journal alone
mod void; // changes that never happened
mod past_change; // a change that was made, for people
mod history; // every change that is kept, whatever roots it was made under
mod shown; // what a change did
mod batch; // several changes undone together: all can be, or none is
mod chain; // a change whose place a later change of the same batch has taken
mod error; // why a change can't be undone
#[cfg(test)]
mod tests;

pub use batch::{Batch, PlannedUndo, UndoneChange};
pub use error::UndoError;
pub use history::History;
pub(crate) use not_undone::NotUndone;
pub use past_change::PastChange;
pub(crate) use plan::{lost, plan};
pub(crate) use void::is_void;
