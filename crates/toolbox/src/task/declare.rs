//! How an author says that the calls of a tool become tasks.
use std::time::Duration;

use super::super::tool::Tool;
use super::rule::{LONGEST_TTL, SHORTEST, Start, TaskMode, TaskRule};

impl Tool {
    /// Says how calls may run. A call becomes a task before its handler starts, so everything that
    /// the handler asks, it asks as a task.
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

    /// Says how calls may run, where a call becomes a task only when its handler calls
    /// [`Context::detach`](super::super::Context::detach). Until then it can ask or answer
    /// directly, for instance when there turns out to be little to do.
    #[must_use]
    pub fn task_on_detach(mut self, mode: TaskMode) -> Self {
        self.task = TaskRule { mode, start: Start::OnDetach, ..self.task };
        self
    }

    /// How long a task may work, and how long its result is kept, both from its creation: an hour
    /// unless told otherwise, 30 days at most. Work that takes longer fails.
    #[must_use]
    pub fn task_ttl(mut self, ttl: Duration) -> Self {
        self.task.ttl = ttl.clamp(SHORTEST, LONGEST_TTL);
        self
    }

    /// How long clients should wait from one look at a task to the next: a second unless told
    /// otherwise.
    #[must_use]
    pub fn task_poll(mut self, interval: Duration) -> Self {
        self.task.poll = interval.clamp(SHORTEST, LONGEST_TTL);
        self
    }
}
