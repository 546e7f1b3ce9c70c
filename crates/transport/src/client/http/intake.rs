//! Passes the messages of an event stream on: to the waiting request, or to the
//! incoming messages.
use std::sync::Arc;

use overt_wire::frame::Event;
use overt_wire::{Id, Kind, Message};

use super::agent::Agent;
use super::events::Events;
use super::resume::ResumePoint;
use crate::client::calls::Calls;
use crate::client::error::ClientError;
use crate::client::incoming::{AnswerSink, IncomingMessages};

/// Receives the messages of a stream.
pub(super) struct Intake {
    pub(super) calls: Calls,
    pub(super) incoming: Arc<IncomingMessages>,
    pub(super) outbox: Arc<dyn AnswerSink>,
    pub(super) agent: Arc<Agent>,
}

impl Intake {
    /// Handles one event. Returns the answer if it belongs to the request `awaited`.
    pub(super) async fn take(
        &self,
        event: Event,
        awaited: Option<&Id>,
    ) -> Option<Result<Message, ClientError>> {
        if event.data.is_empty() || !matches!(event.name.as_str(), "" | "message") {
            return None;
        }
        let message = match Message::parse(event.data.into_bytes(), self.agent.json_limits()) {
            Ok(message) => message,
            Err(reject) => {
                self.incoming.drop_message(&reject.error.message);
                let is_answer = reject.looks_like_response && reject.id.is_some();
                if is_answer && reject.id.as_ref() == awaited {
                    return Some(Err(ClientError::Protocol { what: reject.error.message }));
                }
                return None;
            }
        };
        if matches!(message.kind(), Kind::Request | Kind::Notification) {
            self.incoming.take(message, &self.outbox, awaited).await;
        } else if message.id().is_some() && message.id() == awaited {
            return Some(Ok(message));
        } else if awaited.is_some() || !self.calls.complete(message) {
            // The stream of one call can't answer another call (UP-04).
            self.incoming.drop_message("an answer that came late, twice or to no request of ours");
        }
        None
    }

    /// Waits for the right time and opens the stream again. `None` if the server refuses to resume
    /// it.
    pub(super) async fn resume(&self, resume: &mut ResumePoint) -> Option<Events> {
        loop {
            tokio::time::sleep(resume.next_pause()?).await;
            match self.agent.get(resume.last_event_id()).await {
                Ok(events) => return Some(events),
                Err(
                    error @ (ClientError::Connect { .. }
                    | ClientError::Broken { .. }
                    | ClientError::Status { status: 429 | 500..=599, .. }),
                ) => {
                    tracing::debug!(%error, "the stream can't be resumed yet");
                }
                Err(_) => {
                    tracing::debug!("the stream can't be resumed");
                    return None;
                }
            }
        }
    }
}
