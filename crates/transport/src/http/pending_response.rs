//! A request of a legacy session that has sent nothing to its waiting client yet. Most requests end
//! like this, with an answer in one piece; they need neither their own task nor a stream.
use std::sync::Arc;
use std::time::Duration;

use overt_wire::{BoxFuture, Message};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::session::{HttpSession, Mailbox, Sessions};
use crate::serve::Ticket;

/// A request whose client waits. If it is dropped early because the connection broke, the work
/// continues in a task: a legacy client that loses its connection has not cancelled anything.
pub(super) struct PendingResponse {
    work: Option<BoxFuture<'static, Option<Message>>>,
    pub(super) request: Request,
}

/// Identifies the request and its stream.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) sessions: Arc<Sessions>,
    pub(super) session: Arc<HttpSession>,
    pub(super) ticket: Ticket,
    pub(super) stream: u64,
}

/// Why the wait ended.
pub(super) enum WaitOutcome {
    Answer(Option<Message>),
    /// A message comes before the answer, or there was silence for so long that the connection
    /// needs a sign of life.
    StartStream,
    Cancelled,
}

/// Ends the stream of a request that is cancelled before its answer.
struct StreamGuard {
    mailbox: Arc<Mailbox>,
    stream: u64,
}

impl PendingResponse {
    pub(super) fn new(work: BoxFuture<'static, Option<Message>>, request: Request) -> Self {
        Self { work: Some(work), request }
    }

    pub(super) async fn wait(&mut self, patience: Duration) -> WaitOutcome {
        let Some(work) = &mut self.work else { return WaitOutcome::Cancelled };
        let Request { session, ticket, stream, .. } = &self.request;
        let cancelled = Arc::new(Notify::new());
        session.in_flight.set_signal(ticket, Arc::clone(&cancelled));
        let deadline = Instant::now() + patience;
        loop {
            let mut message_added = std::pin::pin!(session.mailbox.message_added.notified());
            // From here on no notification is missed, so one check is enough.
            message_added.as_mut().enable();
            if session.mailbox.streams().has(*stream) {
                return WaitOutcome::StartStream;
            }
            tokio::select! {
                biased;
                answer = &mut *work => {
                    self.work = None;
                    return WaitOutcome::Answer(answer);
                }
                () = cancelled.notified() => {
                    self.work = None;
                    return WaitOutcome::Cancelled;
                }
                () = message_added => {}
                () = sleep_until(deadline) => return WaitOutcome::StartStream,
            }
        }
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        if let (Some(work), Ok(runtime)) = (self.work.take(), Handle::try_current()) {
            self.request.clone().finish(work, &runtime);
        }
    }
}

impl Request {
    fn finish(self, work: BoxFuture<'static, Option<Message>>, runtime: &Handle) {
        let unfinished = StreamGuard { mailbox: Arc::clone(&self.session.mailbox), stream: self.stream };
        let own = self.clone();
        let task = runtime.spawn(async move {
            let unfinished = unfinished;
            let reply = work.await;
            if own.session.in_flight.finish(&own.ticket)
                && let Some(reply) = reply
            {
                own.sessions.push_answer(&own.session, own.stream, reply);
            }
            drop(unfinished);
        });
        self.session.in_flight.set_task(&self.ticket, task.abort_handle());
    }
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        self.mailbox.streams().give_up(self.stream);
    }
}
