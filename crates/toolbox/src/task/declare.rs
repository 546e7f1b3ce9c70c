//! The methods with which an author declares that calls of a tool become tasks.
use std::time::Duration;

use super::super::tool::Tool;
use super::rule::{LONGEST_TTL, SHORTEST, Start, TaskMode, TaskRule};

impl Tool {
    /// Sets how calls may run. A call becomes a task before its handler starts, so all questions of
    /// the handler are questions of the task.
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

    /// Sets how calls may run. A call becomes a task only when its handler calls
    /// [`Context::detach`](super::super::Context::detach). Until then the handler can ask or answer
    /// directly, for example when it finds that there is little to do.
    #[must_use]
    pub fn task_on_detach(mut self, mode: TaskMode) -> Self {
        self.task = TaskRule { mode, start: Start::OnDetach, ..self.task };
        self
    }

    /// Sets how long a task may work, and how long its result is kept, both from its creation. The
    /// default is one hour, the maximum 30 days. Work that takes longer fails.
    #[must_use]
    pub fn task_ttl(mut self, ttl: Duration) -> Self {
        self.task.ttl = ttl.clamp(SHORTEST, LONGEST_TTL);
        self
    }

    /// Sets the interval at which clients should poll a task. The default is one second.
    #[must_use]
    pub fn task_poll(mut self, interval: Duration) -> Self {
        self.task.poll = interval.clamp(SHORTEST, LONGEST_TTL);
        self
    }
}
