//! Undoes changes of files, with the same code as the tool `revert_change`.
mod select; // finding the changes that the arguments mean
mod sessions; // session ids as overt log shows them
mod apply; // undoing what was shown
mod error; // why nothing was undone

pub use apply::{Failed, apply, plan_one, undone_words};
pub use error::{UndoProblem, in_words};
pub use select::{ChangeRef, MOST_UNDONE, Selection, plan, select};
pub use sessions::name_sessions;
