//! Takes one request to the upstream and its answer back. A request that may have had an effect is never sent twice.
use std::sync::Arc;
use std::time::Duration;

use overt_transport::client::ClientError;
use overt_transport::time_budget::TimeBudget;
use overt_wire::era::Era;
use overt_wire::error::code;
use overt_wire::{ErrorObject, Message, Method};

use crate::lane::{Connection, Lane};
use crate::look::check_pins;
use crate::request::{Meta, rebuilt};
use crate::route::Route;
use crate::{failure, upstream_marks};

/// A pause that the upstream asks for is waited for if it is not longer than this.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sends `message` as the upstream wants it, and returns the answer as it came, under the upstream's id.
pub(crate) async fn pass(
    lane: &Arc<Lane>,
    era: Era,
    message: &Message,
    route: &Arc<Route>,
    meta: Meta<'_>,
) -> Result<Message, ErrorObject> {
    let budget = match message.method() {
        // A subscription stays open until somebody ends it.
        Some(Method::Listen) => TimeBudget::UNLIMITED,
        _ => lane.upstream.options.limits.request_budget(),
    };
    pass_within(budget, lane, era, message, route, meta).await
}

/// The same for a caller that has its own idea of how long it may take.
pub(crate) async fn pass_within(
    budget: TimeBudget,
    lane: &Arc<Lane>,
    era: Era,
    message: &Message,
    route: &Arc<Route>,
    meta: Meta<'_>,
) -> Result<Message, ErrorObject> {
    let deadline = route.client().deadline;
    let mut once = true;
    loop {
        let connection = open(lane, era).await?;
        if message.method() == Some(Method::ToolsCall) {
            check_pins(lane, message).await?;
        }
        let id = connection.new_id();
        let request = rebuilt(message, &id, meta);
        let registered = connection.routes.add(&id, Arc::clone(route));
        let outcome = connection.carry_within(budget, &deadline, &request).await;
        registered.done();
        let error = match outcome {
            Ok(answer) => {
                lane.answered();
                if once
                    && wants_headers(&connection, message, &answer)
                    && Box::pin(lane.list_tools()).await.is_ok()
                {
                    once = false;
                    continue;
                }
                return upstream_marks::move_marks(answer).map_err(|_| ErrorObject::internal());
            }
            Err(error) => error,
        };
        match &error {
            // The server does not know the session, so it has done nothing (UP-12).
            ClientError::SessionLost if once => {
                tracing::info!(upstream = lane.upstream.label(), "the session was lost; opening another one");
                lane.give_up(&connection);
            }
            ClientError::Status { status: 429, retry_after: Some(pause), .. }
                if once && *pause <= PATIENCE =>
            {
                Box::pin(tokio::time::sleep(*pause)).await;
            }
            _ => return Err(failed(lane, &connection, route, &error)),
        }
        once = false;
    }
}

/// The conversation of a lane, if it is still in the era that the client was answered in.
pub(crate) async fn open(lane: &Arc<Lane>, era: Era) -> Result<Arc<Connection>, ErrorObject> {
    let connection = lane.connection().await?;
    if connection.era() == era {
        return Ok(connection);
    }
    Err(ErrorObject::new(
        code::UPSTREAM_DOWN,
        "the server behind Overt was replaced by one of another protocol version; open a new session",
    ))
}

fn failed(lane: &Lane, connection: &Arc<Connection>, route: &Route, error: &ClientError) -> ErrorObject {
    match error {
        // Where somebody was asked something, it is not the upstream that took its time.
        ClientError::TimedOut { .. } if route.was_asked() || connection.routes.await_person() => {}
        ClientError::TimedOut { .. } => lane.was_silent(connection),
        ClientError::Status { retry_after: Some(pause), .. } => lane.upstream.asked_for(*pause),
        _ => {}
    }
    tracing::warn!(
        upstream = lane.upstream.label(),
        error = failure::for_log(error),
        "a request to the upstream failed"
    );
    failure::of(error, lane.upstream.label())
}

/// Whether the upstream missed headers: its tools may have changed since they were listed, or never were. It has not
/// executed the call then. Elsewhere the code may mean anything.
fn wants_headers(connection: &Connection, message: &Message, answer: &Message) -> bool {
    message.method() == Some(Method::ToolsCall)
        && connection.client.wants_headers()
        && answer.error_body().is_some_and(|error| error.code == code::HEADER_MISMATCH)
}
