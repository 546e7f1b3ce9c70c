//! Whether and how the calls of a tool become tasks, as its author says.
use std::time::Duration;

/// Whether a call of a tool may run as a task: the client gets a handle at once and fetches the
/// result later. Only clients that declare the extension `io.modelcontextprotocol/tasks` get tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskMode {
    /// Every call is answered directly.
    #[default]
    Never,
    /// A task where the client knows tasks; an ordinary call otherwise, or when there are too many
    /// tasks.
    Optional,
    /// Always a task. A client that doesn't know tasks is refused.
    Required,
}

/// What an author said about the tasks of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct TaskRule {
    pub(super) mode: TaskMode,
    pub(super) start: Start,
    pub(super) ttl: Duration,
    pub(super) poll: Duration,
}

/// When a call becomes a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    AtOnce,
    /// When the handler says so with [`Context::detach`](super::super::Context::detach).
    OnDetach,
}

/// Long enough for a build or an import; what needs longer says so.
const TTL: Duration = Duration::from_secs(3600);
/// People don't notice a second, and a server doesn't notice a poll per second.
const POLL: Duration = Duration::from_secs(1);
/// The wire has whole milliseconds, and none would mean nothing.
pub(super) const SHORTEST: Duration = Duration::from_millis(1);
/// Nothing is kept for ever.
pub(super) const LONGEST_TTL: Duration = Duration::from_secs(30 * 24 * 3600);

impl TaskRule {
    pub(in super::super) fn allows_tasks(&self) -> bool {
        self.mode != TaskMode::Never
    }
}

impl Default for TaskRule {
    fn default() -> Self {
        Self { mode: TaskMode::Never, start: Start::AtOnce, ttl: TTL, poll: POLL }
    }
}
