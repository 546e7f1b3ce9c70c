//! Forwards one request to the upstream and returns its answer. A request that may have had an
//! effect is never sent twice.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::KnownTool;
use overt_transport::client::{ClientError, Delivery};
use overt_transport::time_budget::TimeBudget;
use overt_wire::era::Era;
use overt_wire::error::code;
use overt_wire::{ErrorObject, Message, Method};

use crate::failure;
use crate::pinned_tools::{check_pins, list_tools, observe_list};
use crate::route::Route;
use crate::session::{Connection, UpstreamSession};
use crate::translate::input;
use crate::translate::request::{Meta, rebuilt};
use crate::translate::upstream_marks::{move_marks, move_marks_of_tools};
use crate::translate::upstream_question::check_error;

/// The longest pause that a call waits for if the upstream asks for one.
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(2);

/// A request for the upstream.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The message that was authorized.
    pub(crate) message: &'a Message,
    /// How `_meta` must change, so that it tells the upstream who the client is.
    pub(crate) meta: Meta<'a>,
    /// The era that the conversation with the upstream must have. It may not change for a client.
    pub(crate) era: Era,
    /// The route of the request, through which the upstream's messages reach its client.
    pub(crate) route: &'a Arc<Route>,
}

/// Sends a request within the usual time limit. Returns the answer under the upstream's id; only
/// marks that look like Overt's are changed.
pub(crate) async fn forward(
    session: &Arc<UpstreamSession>,
    request: Request<'_>,
) -> Result<Message, ErrorObject> {
    let budget = match request.message.method() {
        // A subscription stays open until one side ends it.
        Some(Method::Listen) => TimeBudget::UNLIMITED,
        _ => session.upstream.options.limits.request_budget(),
    };
    forward_within(budget, session, request).await
}

/// Sends a request within the caller's own time budget, and returns the answer like [`forward`].
pub(crate) async fn forward_within(
    budget: TimeBudget,
    session: &Arc<UpstreamSession>,
    request: Request<'_>,
) -> Result<Message, ErrorObject> {
    let Request { message, meta, era, route } = request;
    let _in_use = session.in_use();
    let deadline = route.client().deadline;
    let mut is_first = true;
    loop {
        let connection = session.connection_in(era).await?;
        if message.method() == Some(Method::ToolsCall) {
            check_pins(session, &connection, message).await?;
        }
        let changes = connection.tool_changes();
        let id = connection.new_id();
        let written = rebuilt(message, &id, meta);
        let registered = connection.routes.add(&id, Arc::clone(route));
        let tool = called_tool(session, &connection, message);
        let mirrored = tool.as_ref().and_then(|tool| tool.header_annotations().arguments().ok());
        let outcome = connection.send(&written, mirrored.unwrap_or_default(), budget, &deadline).await;
        // The upstream may still be working on a call that it did not answer in time.
        if !matches!(outcome, Err(ClientError::TimedOut { .. })) {
            registered.done();
        }
        let error = match outcome {
            Ok(answer) if is_first && misses_headers(&connection, message, &answer) => {
                session.answered(&connection);
                if Box::pin(list_tools(session, &connection)).await.is_err() {
                    return as_upstreams(message, answer);
                }
                is_first = false;
                continue;
            }
            Ok(answer) => {
                session.answered(&connection);
                if message.method() == Some(Method::ToolsList) {
                    Box::pin(observe_list(session, &connection, message, &answer, changes)).await;
                }
                return as_upstreams(message, answer);
            }
            Err(error) => error,
        };
        if !is_first || !may_be_sent_again(&error, message) {
            return Err(Box::pin(failed(session, &connection, request, &error)).await);
        }
        is_first = false;
        Box::pin(recover(session, &connection, &error)).await;
    }
}

/// Returns the tool of a call whose arguments may have to be repeated in headers.
fn called_tool(
    session: &UpstreamSession,
    connection: &Connection,
    message: &Message,
) -> Option<Arc<KnownTool>> {
    if message.method() != Some(Method::ToolsCall) || !connection.client.wants_headers() {
        return None;
    }
    session.upstream.catalogue.last_listed(&message.name().string()?)
}

/// Moves everything in the answer that could be mistaken for Overt's own marks. Fails if a person
/// is asked to open what is not a web page.
fn as_upstreams(request: &Message, answer: Message) -> Result<Message, ErrorObject> {
    check_error(&answer).map_err(|error| input::broken(&error.message))?;
    let moved = match request.method() {
        Some(Method::ToolsList) => move_marks(answer).and_then(move_marks_of_tools),
        _ => move_marks(answer),
    };
    moved.map_err(|_| ErrorObject::internal())
}

/// Whether a failed request had no effect and may succeed when it is sent again.
fn may_be_sent_again(error: &ClientError, request: &Message) -> bool {
    match error {
        // The server does not know the session, so it has done nothing (UP-12).
        ClientError::SessionLost => true,
        ClientError::Status { status: 429, retry_after: Some(pause), .. } => *pause <= MAX_RETRY_PAUSE,
        error if error.is_broken_connection() => {
            error.delivery() == Delivery::NotSent || request.method().is_some_and(only_reads)
        }
        _ => false,
    }
}

/// Whether a method never changes anything, on any server.
fn only_reads(method: Method<'_>) -> bool {
    matches!(
        method,
        Method::ToolsList
            | Method::PromptsList
            | Method::PromptsGet
            | Method::ResourcesList
            | Method::ResourceTemplatesList
            | Method::ResourcesRead
            | Method::DirectoryRead
            | Method::SkillsList
            | Method::SkillsGet
            | Method::Complete
            | Method::Discover
    )
}

/// Prepares for the second attempt.
async fn recover(session: &UpstreamSession, connection: &Arc<Connection>, error: &ClientError) {
    let upstream = session.upstream.label();
    tracing::info!(upstream, error = failure::for_log(error), "a request that had no effect is sent again");
    match error {
        ClientError::Status { retry_after: Some(pause), .. } => tokio::time::sleep(*pause).await,
        ClientError::SessionLost => session.discard(connection).await,
        _ => {}
    }
}

async fn failed(
    session: &UpstreamSession,
    connection: &Arc<Connection>,
    request: Request<'_>,
    error: &ClientError,
) -> ErrorObject {
    match error {
        ClientError::TimedOut { .. } => timed_out(session, connection, request.route).await,
        ClientError::Status { retry_after: Some(pause), .. } => session.upstream.asked_for(*pause),
        _ => {}
    }
    let upstream = session.upstream.label();
    tracing::warn!(upstream, error = failure::for_log(error), "a request to the upstream failed");
    explain(request.message, error, upstream)
}

/// Counts a call that was not answered in time, unless a person was asked something: then the
/// upstream is not the slow one.
pub(crate) async fn timed_out(session: &UpstreamSession, connection: &Arc<Connection>, route: &Route) {
    if !route.was_asked() && !connection.routes.await_person() {
        session.not_answered(connection).await;
    }
}

/// Returns the client's error for a request that failed.
pub(crate) fn explain(request: &Message, error: &ClientError, upstream: &str) -> ErrorObject {
    match request.method().is_some_and(only_reads) {
        true => failure::of_read(error, upstream),
        false => failure::of(error, upstream),
    }
}

/// Whether the upstream rejected a call because of its headers. Its tools may have changed since
/// they were listed, or may never have been listed. The call was not executed then. In other cases,
/// the code may mean anything.
fn misses_headers(connection: &Connection, message: &Message, answer: &Message) -> bool {
    message.method() == Some(Method::ToolsCall)
        && connection.client.wants_headers()
        && answer.error_code() == Some(code::HEADER_MISMATCH)
}
