//! Our tools by name, called by its tools within the same call.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_layers::toolbox::{Context, Inner, Outcome, Tool, ToolError};
use serde_json::Value;

/// Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Ours(Arc<BTreeMap<String, Inner>>);

impl Ours {
    pub(super) fn of(tools: &[Tool]) -> Self {
        Self(Arc::new(tools.iter().map(|tool| (tool.name().to_owned(), tool.inner())).collect()))
    }

    pub(super) async fn outcome(
        &self,
        tool: &str,
        arguments: Value,
        context: &Context,
    ) -> Result<Outcome, ToolError> {
        let inner = self.0.get(tool).ok_or_else(|| ToolError::new(format!("there is no `{tool}`")))?;
        inner.call(arguments, context).await
    }

    /// What programs read of it.
    pub(super) async fn value(
        &self,
        tool: &str,
        arguments: Value,
        context: &Context,
    ) -> Result<Value, ToolError> {
        let outcome = self.outcome(tool, arguments, context).await?;
        Ok(outcome.value().cloned().unwrap_or_default())
    }
}

/// A text in a result of ours.
pub(super) fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}
