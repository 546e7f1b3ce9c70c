//! Tasks (SEP-2663, modern era only): calls whose result is fetched later. An author declares that
//! a tool may run as a task; the handler does not change.
mod rule; // whether and how a tool's calls become tasks
mod declare; // the methods of an author's declaration
mod link; // the link between a run and the task that it may become
mod record; // one task: its state, its questions, its result
mod view; // a task as the client sees it
mod store; // all tasks, and their limits
mod run; // the work in the background: deadline, cancellation, panics, completion
mod serve; // the requests: a call as a task, `tasks/get`, `tasks/update`, `tasks/cancel`

pub(super) use link::Link;
pub(super) use record::Task;
pub use rule::TaskMode;
pub(super) use rule::TaskRule;
pub(super) use store::Tasks;
