//! Applies the pins to requests: shows passing lists of tools to the pins, and rejects calls of
//! tools that are not accepted (CARD-01).
use std::sync::Arc;

use overt_layers::description::Tools as _;
use overt_transport::client::ClientError;
use overt_wire::json::JsonBuf;
use overt_wire::view::Page;
use overt_wire::{ErrorObject, Message, Method};

use crate::failure;
use crate::pins::{ListPage, PinGuard, PinMode};
use crate::session::{Connection, UpstreamSession};
use crate::translate::upstream_marks::move_marks_of_tool;

/// Rejects the call of a tool that is not accepted. If the tools of this conversation have not been
/// listed yet, lists them first: the server may not be the one whose list the client knows.
pub(crate) async fn check_pins(
    session: &UpstreamSession,
    connection: &Arc<Connection>,
    call: &Message,
) -> Result<(), ErrorObject> {
    let is_strict = |pins: &&PinGuard| pins.mode() == PinMode::Strict;
    let Some(pins) = session.upstream.options.pins.as_ref().filter(is_strict) else { return Ok(()) };
    if !connection.knows_tools() {
        // Boxed because it is rare, and would enlarge the future of every call.
        Box::pin(list_tools(session, connection)).await?;
    }
    let name = call.name().string().unwrap_or_default();
    pins.verdict(&name).map_err(|refusal| ErrorObject::invalid_params(refusal.reason))
}

/// Lists the tools in this conversation before a call is sent, and shows the list to the pins.
pub(crate) async fn list_tools(
    session: &UpstreamSession,
    connection: &Arc<Connection>,
) -> Result<(), ErrorObject> {
    let changes = connection.tool_changes();
    let tools: Vec<JsonBuf> = match connection.client.list(Method::ToolsList.name(), "tools").await {
        Ok(tools) => tools,
        Err(error) => {
            if matches!(error, ClientError::TimedOut { .. }) {
                session.not_answered(connection).await;
            }
            return Err(failure::before_call(&error, session.upstream.label()));
        }
    };
    // Observe before the list counts as seen, so that concurrent calls are not checked against an
    // older list.
    let upstream = &session.upstream;
    if let Some(pins) = &upstream.options.pins {
        pins.observe(&tools).await;
    }
    // Later calls are decided about as the tools are now.
    for tool in &tools {
        let tool = move_marks_of_tool(tool.as_json());
        upstream.catalogue.note(upstream.scope(), &|tool| upstream.record(tool), tool.as_json());
    }
    connection.tools_listed(changes);
    Ok(())
}

/// Shows a list on its way to the client to the pins, as the upstream wrote it. `changes` is the
/// number of tool changes that were known when the list was requested.
pub(crate) async fn observe_list(
    session: &UpstreamSession,
    connection: &Connection,
    request: &Message,
    answer: &Message,
    changes: u64,
) {
    let is_first = request.param("cursor").value().is_none();
    let page = if is_first { ListPage::First } else { ListPage::Later };
    if let Some(pins) = session.upstream.options.pins.as_ref().filter(|pins| pins.mode() != PinMode::Off) {
        pins.check_page(page, answer).await;
    }
    let is_last = answer.result_body().value().is_some_and(|result| Page(result).next_cursor().is_none());
    if is_first && is_last {
        connection.tools_listed(changes);
    }
}
