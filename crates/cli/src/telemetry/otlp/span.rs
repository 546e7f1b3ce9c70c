//! Turns a completed request into a span, following OpenTelemetry's conventions for MCP.
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use overt_layers::observe::{Call, Direction, End, Observer, ObserverNeeds, Outcome, Span, Target};
use overt_secrets::{bare_address, hide};
use overt_wire::json::Json;
use tokio::sync::mpsc;

use super::counts::Spans;

/// A completed span.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) span: Span,
    pub(super) name: String,
    pub(super) ended: SystemTime,
    /// Whether the request failed.
    pub(super) failed: bool,
    pub(super) attributes: Vec<(&'static str, String)>,
}

/// The observer that makes spans and queues them for the exporter.
#[derive(Debug)]
pub(crate) struct SpanObserver {
    pub(super) finished: mpsc::Sender<Finished>,
    pub(super) spans: Arc<Spans>,
    pub(super) transport: &'static str,
}

impl Observer for SpanObserver {
    fn needs(&self) -> ObserverNeeds {
        ObserverNeeds { details: true, spans: true }
    }

    fn ended(&self, call: &Call, end: &End<'_>) {
        let (Direction::ToServer, Some(span)) = (call.direction, &call.span) else { return };
        let finished = Finished::of(call, (**span).clone(), end, self.transport);
        if self.finished.try_send(finished).is_err() {
            self.spans.drop_some(1);
        }
    }
}

impl Finished {
    fn of(call: &Call, span: Span, end: &End<'_>, transport: &'static str) -> Self {
        let details = call.details.as_deref();
        let method = hide(details.map_or(call.method_class(), |details| &details.method)).into_owned();
        let mut attributes = vec![
            ("mcp.method.name", method.clone()),
            ("mcp.protocol.version", call.version.to_string()),
            // A number, because the session's real id is a secret.
            ("mcp.session.id", call.session.to_string()),
            ("network.transport", transport.to_owned()),
        ];
        let id = details.and_then(|details| details.id.as_deref()).and_then(|id| Json::parse(id).ok());
        if let Some(id) = id {
            let id = id.string().map_or_else(|| id.as_str().to_owned(), |id| hide(&id).into_owned());
            attributes.push(("jsonrpc.request.id", id));
        }
        let mut name = method;
        match details.and_then(|details| details.target.as_ref()) {
            Some(Target::Tool(tool)) => {
                let tool = hide(tool).into_owned();
                name = format!("{name} {tool}");
                attributes.push(("gen_ai.tool.name", tool));
                attributes.push(("gen_ai.operation.name", "execute_tool".to_owned()));
            }
            Some(Target::Prompt(prompt)) => {
                let prompt = hide(prompt).into_owned();
                name = format!("{name} {prompt}");
                attributes.push(("gen_ai.prompt.name", prompt));
            }
            // There are too many URIs to include them in the span's name.
            Some(Target::Resource(uri)) => {
                attributes.push(("mcp.resource.uri", bare_address(uri).into_owned()));
            }
            None => {}
        }
        let failed = end.outcome != Outcome::Ok;
        match end.outcome {
            Outcome::Ok => {}
            Outcome::ToolError => attributes.push(("error.type", "tool_error".to_owned())),
            Outcome::Cancelled => attributes.push(("error.type", "cancelled".to_owned())),
            Outcome::Error(code) => {
                attributes.push(("error.type", code.to_string()));
                attributes.push(("rpc.response.status_code", code.to_string()));
            }
        }
        let ended = span.started + end.took.max(Duration::from_nanos(1));
        Self { span, name, ended, failed, attributes }
    }
}
