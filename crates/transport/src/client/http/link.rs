//! One HTTP endpoint as a link: every request is a POST, and its answer comes as JSON or at the end
//! of an event stream.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use overt_wire::era::Version;
use overt_wire::param_headers::HeaderArgument;
use overt_wire::{BoxFuture, Id, Kind, Message, Method};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::agent::{Agent, HttpReply};
use super::events::{End, Events};
use super::headers;
use super::intake::Intake;
use super::resume::ResumePoint;
use super::standalone;
use crate::client::calls::{Calls, Ending};
use crate::client::error::{ClientError, Delivery};
use crate::client::incoming::{AnswerSink, IncomingMessages};
use crate::client::link::{Link, OnDrop, cancelled};
use crate::client::target::HttpTarget;
use crate::limits::Limits;

/// A Streamable HTTP endpoint.
pub(in crate::client) struct Http {
    agent: Arc<Agent>,
    intake: Arc<Intake>,
    standalone: Mutex<Option<AbortHandle>>,
    /// Limits the notifications that are being posted at the same time.
    notifying: Semaphore,
    /// Limits the notifications that are being posted or wait to be posted.
    notifications: Semaphore,
    max_notifications: usize,
    write_deadline: Duration,
}

/// Sends answers to the server's questions, each as a POST.
struct AnswerPoster(Arc<Agent>);

/// Forgets a request when it is dropped, and cancels it if `on_drop` says so.
struct RequestGuard<'a> {
    http: &'a Http,
    id: &'a Id,
    on_drop: OnDrop,
}

/// Notifications that are posted at the same time, each on its own connection.
const NOTIFYING: usize = 16;

/// How long the first request may be delayed for the standalone stream.
const STANDALONE_DEADLINE: Duration = Duration::from_millis(500);

// === impl Http ===

impl Http {
    pub(in crate::client) fn new(
        target: &HttpTarget,
        incoming: Arc<IncomingMessages>,
        limits: &Limits,
    ) -> Result<Self, ClientError> {
        let agent = Arc::new(Agent::new(target, limits)?);
        let outbox = Arc::new(AnswerPoster(Arc::clone(&agent)));
        let intake = Arc::new(Intake { calls: Calls::new(), incoming, outbox, agent: Arc::clone(&agent) });
        Ok(Self {
            agent,
            intake,
            standalone: Mutex::default(),
            notifying: Semaphore::new(NOTIFYING),
            notifications: Semaphore::new(limits.max_queued_messages),
            max_notifications: limits.max_queued_messages,
            write_deadline: limits.write_deadline,
        })
    }

    /// Sends a request and reads the reply until the answer.
    async fn carry(
        &self,
        request: &Message,
        mirrored: &[HeaderArgument],
        id: &Id,
    ) -> Result<Message, ClientError> {
        let answer = match self.agent.post(request, headers::mirrored(mirrored, request)).await? {
            // An error can only be the answer to this request, even if its id differs: some servers
            // use ids of their own.
            HttpReply::Message(message) if message.id() == Some(id) || message.kind() == Kind::Error => {
                message
            }
            HttpReply::Message(_) => {
                return Err(ClientError::Protocol {
                    what: "the answer has the id of another request".into(),
                });
            }
            HttpReply::Events(events) => self.follow(*events, request, id).await?,
            HttpReply::Nothing => {
                return Err(ClientError::Protocol {
                    what: "the request was accepted but not answered".into(),
                });
            }
        };
        Ok(answer)
    }

    /// Reads a stream until the answer, and resumes it when it breaks, if that is possible.
    async fn follow(&self, mut events: Events, request: &Message, id: &Id) -> Result<Message, ClientError> {
        let method = request.method().map_or("", Method::name);
        let mut resume = ResumePoint::default();
        loop {
            let end = loop {
                match events.next().await {
                    Ok(event) => {
                        resume.note(&event);
                        if let Some(answer) = self.intake.take(event, Some(id)).await {
                            events.finish();
                            return answer;
                        }
                    }
                    Err(end) => break end,
                }
            };
            let on_purpose = matches!(end, End::Closed);
            let error = match end {
                End::TooLong(too_long) => {
                    let what = format!("an event in the answer to `{method}`");
                    return Err(ClientError::TooLarge { what, limit: too_long.limit });
                }
                End::Broken(error) => self.agent.broken(error, method),
                End::Closed => ClientError::Protocol {
                    what: format!("the event stream ended before the answer to `{method}`"),
                },
            };
            // Modern streams can't be resumed, and legacy streams only if they have event ids.
            if !self.agent.is_legacy() || resume.last_event_id().is_none() {
                return Err(error);
            }
            if let Some(retry) = resume.requested_pause().filter(|_| on_purpose) {
                self.intake.incoming.paused(id, retry);
            }
            events = self.intake.resume(&mut resume).await.ok_or(error)?;
        }
    }

    fn stop_standalone(&self) {
        if let Some(task) = self.standalone.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }
}

impl Link for Http {
    fn ask<'a>(
        &'a self,
        request: &'a Message,
        mirrored: &'a [HeaderArgument],
        on_drop: OnDrop,
    ) -> BoxFuture<'a, Result<Message, ClientError>> {
        Box::pin(async move {
            let calls = &self.intake.calls;
            let (Some(id), Some(elsewhere)) = (request.id(), request.id().and_then(|id| calls.expect(id)))
            else {
                return Err(calls.ended(Delivery::NotSent).await);
            };
            let mut waiting = RequestGuard { http: self, id, on_drop };
            let answer = tokio::select! {
                biased;
                answer = self.carry(request, mirrored, id) => answer,
                // Some servers answer on the standalone stream.
                answer = elsewhere => match answer {
                    Ok(answer) => answer,
                    Err(_) => Err(calls.ended(Delivery::MaybeSent).await),
                },
            };
            waiting.on_drop = OnDrop::Forget;
            answer
        })
    }

    fn tell<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(async move {
            let busy = || ClientError::Busy { limit: self.max_notifications };
            let _place = self.notifications.try_acquire().map_err(|_| busy())?;
            let turn = timeout(self.write_deadline, self.notifying.acquire()).await;
            let _turn = turn.map_err(|_| busy())?.map_err(|_| busy())?;
            self.agent.tell(message).await
        })
    }

    fn settle(&self, version: Version) {
        self.agent.settle(version);
        self.intake.incoming.settle(version);
    }

    fn open(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if !self.agent.is_legacy() {
                return;
            }
            let (opened, waiting) = oneshot::channel();
            let task = tokio::spawn(standalone::listen(Arc::clone(&self.intake), opened));
            *self.standalone.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
            // Messages that the next request triggers must not be missed. If a server takes too
            // long to open the stream, the handshake continues without it.
            let _ = timeout(STANDALONE_DEADLINE, waiting).await;
        })
    }

    fn has_headers(&self) -> bool {
        !self.agent.is_legacy()
    }

    fn is_open(&self) -> bool {
        self.intake.calls.is_open()
    }

    fn ended(&self) -> BoxFuture<'static, String> {
        self.intake.calls.reason()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.intake.incoming.shut();
            self.stop_standalone();
            self.agent.delete().await;
        })
    }

    fn abandon(&self) {
        self.intake.incoming.shut();
        self.stop_standalone();
        self.intake.calls.close(Ending::of("we ended it"));
    }
}

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        self.http.intake.calls.forget(self.id);
        // In the modern era, closing the stream cancels the request. A legacy server may mistake
        // that for a broken network, so it gets a notification.
        if self.on_drop == OnDrop::Cancel
            && self.http.agent.is_legacy()
            && let Ok(runtime) = Handle::try_current()
        {
            let (agent, message) = (Arc::clone(&self.http.agent), cancelled(self.id));
            runtime.spawn(async move {
                let sent = agent.tell(&message).await;
                tracing::debug!(ok = sent.is_ok(), "cancelled a request");
            });
        }
    }
}

impl AnswerSink for AnswerPoster {
    fn answer(&self, message: Message) -> BoxFuture<'static, ()> {
        let agent = Arc::clone(&self.0);
        Box::pin(async move {
            let sent = agent.tell(&message).await;
            tracing::debug!(ok = sent.is_ok(), "answered a question");
        })
    }
}
