//! Whether and how the calls of a tool become tasks, as its author says.
use std::time::Duration;

use super::super::Tool;

/// Whether a call of a tool may run as a task: the client gets a handle at once and fetches the result later.
/// Only clients that declare the extension `io.modelcontextprotocol/tasks` get tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskMode {
    /// Every call is answered directly.
    #[default]
    Never,
    /// A task where the client knows tasks; an ordinary call otherwise, or when there are too many tasks.
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
    WhenTold,
}

/// Long enough for a build or an import; what needs longer says so.
const TTL: Duration = Duration::from_secs(3600);
/// People don't notice a second, and a server doesn't notice a poll per second.
const POLL: Duration = Duration::from_secs(1);
/// The wire has whole milliseconds, and none would mean nothing.
const SHORTEST: Duration = Duration::from_millis(1);
/// Nothing is kept for ever.
const LONGEST_TTL: Duration = Duration::from_secs(30 * 24 * 3600);

impl Tool {
    /// Says how calls may run. A call becomes a task before its handler starts, so everything that the
    /// handler asks, it asks as a task.
    ///
    /// ```
    /// use overt_toolbox::{Content, Context, TaskMode, Tool, ToolError};
    /// # type Nothing = serde_json::Map<String, serde_json::Value>;
    /// async fn import(_: Nothing, context: Context) -> Result<Vec<Content>, ToolError> {
    ///     for page in 1..=200 {
    ///         context.progress(f64::from(page), Some(200.0), "importing").await;
    ///     }
    ///     Ok(vec![Content::text("200 pages were imported.")])
    /// }
    /// let tool = Tool::content("import", "Use to import all pages.", import).task(TaskMode::Optional);
    /// ```
    #[must_use]
    pub fn task(mut self, mode: TaskMode) -> Self {
        self.task = TaskRule { mode, start: Start::AtOnce, ..self.task };
        self
    }

    /// The same, but a call becomes a task only when its handler calls
    /// [`Context::detach`](super::super::Context::detach). Until then it can ask or answer directly, for
    /// instance when there turns out to be little to do.
    #[must_use]
    pub fn task_when_told(mut self, mode: TaskMode) -> Self {
        self.task = TaskRule { mode, start: Start::WhenTold, ..self.task };
        self
    }

    /// How long a task may work, and how long its result is kept, both from its creation: an hour unless told
    /// otherwise, 30 days at most. Work that takes longer fails.
    #[must_use]
    pub fn task_ttl(mut self, ttl: Duration) -> Self {
        self.task.ttl = ttl.clamp(SHORTEST, LONGEST_TTL);
        self
    }

    /// How long clients should wait from one look at a task to the next: a second unless told otherwise.
    #[must_use]
    pub fn task_poll(mut self, interval: Duration) -> Self {
        self.task.poll = interval.clamp(SHORTEST, LONGEST_TTL);
        self
    }
}

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
