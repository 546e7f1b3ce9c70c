//! Our own tools by name, for the adapters to call within the same call.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_toolbox::{Context, Inner, Outcome, Tool, ToolError};
use serde_json::Value;

use super::super::FileServer;
use super::reworded_error::reworded_error;

/// Our tools and the server behind them. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct OwnTools {
    pub(super) server: Arc<FileServer>,
    tools: Arc<BTreeMap<String, Inner>>,
}

impl OwnTools {
    pub(super) fn of(server: &Arc<FileServer>, tools: &[Tool]) -> Self {
        let tools = tools.iter().map(|tool| (tool.name().to_owned(), tool.inner())).collect();
        Self { server: Arc::clone(server), tools: Arc::new(tools) }
    }

    pub(super) async fn outcome(
        &self,
        tool: &str,
        arguments: Value,
        context: &Context,
    ) -> Result<Outcome, ToolError> {
        let inner = self.tools.get(tool).ok_or_else(|| ToolError::new(format!("there is no `{tool}`")))?;
        inner.call(arguments, context).await.map_err(reworded_error)
    }

    /// Calls one of our tools, and returns its structured content.
    pub(super) async fn value(
        &self,
        tool: &str,
        arguments: Value,
        context: &Context,
    ) -> Result<Value, ToolError> {
        let outcome = self.outcome(tool, arguments, context).await?;
        Ok(outcome.value().unwrap_or_default())
    }
}

/// Returns a string member of one of our results.
pub(super) fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}
