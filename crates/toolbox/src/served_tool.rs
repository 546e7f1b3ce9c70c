//! A tool of a built toolbox: its precomputed definition, and the conversion of what it returns to
//! a result.
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use overt_wire::era::Version;
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, ErrorObject};
use serde_json::Value;

use super::reply::{Answer, Reply};
use super::{Context, Outcome, Tool, ToolError, arguments, error, outcome, preview};

/// A tool with its precomputed definition, and whether it is enabled.
#[derive(Debug)]
pub(super) struct ServedTool {
    pub(super) tool: Tool,
    pub(super) definition: JsonBuf,
    pub(super) enabled: AtomicBool,
}

impl ServedTool {
    /// Runs the author's code.
    pub(super) fn start(
        &self,
        arguments: Arc<Value>,
        context: Context,
    ) -> BoxFuture<'static, Result<Outcome, ToolError>> {
        let only_reads = context.is_preview() && !self.tool.has_plan();
        let work = (self.tool.call)(arguments, context);
        if only_reads { Box::pin(async move { Ok(work.await?.of_preview()) }) } else { work }
    }

    /// Returns the client's result for what the tool returned.
    pub(super) fn answer(
        &self,
        done: Result<Outcome, ToolError>,
        version: Version,
        server: &JsonBuf,
    ) -> Answer {
        Ok(self.reply(done, version)?.finish(version, server))
    }

    pub(super) fn reply(
        &self,
        done: Result<Outcome, ToolError>,
        version: Version,
    ) -> Result<Reply, ErrorObject> {
        match done {
            Ok(outcome) => Ok(outcome.into_reply(&self.tool.name, self.tool.output.as_ref(), version)),
            Err(error) => {
                self.check_code(&error);
                outcome::failed(error)
            }
        }
    }

    /// Logs an undeclared code. It is the author's mistake, and no reason to hide the error from
    /// the client.
    fn check_code(&self, error: &ToolError) {
        let (Some(declared), error::Kind::Said { code: Some(code), .. }) =
            (&self.tool.error_codes, &error.kind)
        else {
            return;
        };
        let is_ours = code == arguments::INVALID || preview::CODES.contains(&code.as_str());
        if !declared.contains(code) && !is_ours {
            tracing::warn!(tool = %self.tool.name, %code, "the tool answered with a code that it does not declare");
        }
    }
}
