//! Tasks (SEP-2663, newer era only): a call whose result is fetched later. An author says that a
//! tool may run as one; the handler stays as it is.
mod rule; // whether and how a tool's calls become tasks
mod declare; // how an author says so
mod link; // between a run and the task that it may become
mod record; // one task: its state, its questions, its result
mod view; // a task as the client sees it
mod store; // all tasks, and how many there may be
mod run; // the work in the background: deadline, cancellation, panics, the end
mod serve; // the requests: a call as a task, `tasks/get`, `tasks/update`, `tasks/cancel`

pub(super) use link::Link;
pub(super) use record::Task;
pub use rule::TaskMode;
pub(super) use rule::TaskRule;
pub(super) use store::Tasks;
