//! The author's rules about whether and how calls of a tool become tasks.
use std::time::Duration;

/// Whether a call of a tool may run as a task: the client gets a handle at once and fetches the
/// result later. Only clients that declare the extension `io.modelcontextprotocol/tasks` get tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskMode {
    /// Every call is answered directly.
    #[default]
    Never,
    /// A call becomes a task if the client supports tasks. Otherwise, or when there are too many
    /// tasks, it is an ordinary call.
    Optional,
    /// Every call becomes a task. Calls of clients that don't support tasks are rejected.
    Required,
}

/// The author's declaration about the tasks of one tool.
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
    /// When the handler calls [`Context::detach`](super::super::Context::detach).
    OnDetach,
}

/// Default time to live. It is long enough for a build or an import.
const TTL: Duration = Duration::from_secs(3600);
/// Default poll interval. People don't notice a second, and one poll per second does not burden a
/// server.
const POLL: Duration = Duration::from_secs(1);
/// The shortest duration: the protocol has whole milliseconds, and zero would be meaningless.
pub(super) const SHORTEST: Duration = Duration::from_millis(1);
/// The longest time to live.
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
