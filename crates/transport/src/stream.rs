//! Serves a handler on one pair of byte streams, with one message per line: stdio, pipes, sockets,
//! memory.
use std::sync::Arc;
use std::task::Poll;

use overt_wire::error::ErrorObject;
use overt_wire::frame::LineFrame;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{
    BoxFuture, ClientSink, Closed, Exchange, Handler, Id, Kind, Message, Method, Principal, Session,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use crate::limits::Limits;
use crate::serve::{
    AnswerBudget, DeferredMessages, InFlight, MessageQueue, NotAdmitted, NotificationTicket, Questions,
    Queued, Stages, Ticket, answer, cancelled_id, first_poll, random_name,
};
use crate::write_buffer::WriteBuffer;

mod run; // the main loop: reading, writing, shutting down

/// Why the conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// The client closed its side, and all its requests were answered.
    InputClosed,
    /// The client stopped reading.
    OutputClosed,
    /// We were told to stop.
    Stopped,
}

/// Serves `handler` until the input ends, the output breaks, or `stop` completes.
///
/// When the input ends, all requests are answered first, within their own deadlines. When `stop`
/// completes, requests have [`Limits::drain`] to finish; the rest are then answered with an error.
pub async fn serve(
    handler: Arc<dyn Handler>,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> StreamEnd {
    serve_until_gone(handler, reader, writer, limits, stop, std::future::pending()).await
}

/// Serves streams that can tell when the client stops reading. After the end of the input this is
/// the only sign that a client is gone and that answers of long calls need not be awaited.
pub(crate) async fn serve_until_gone(
    handler: Arc<dyn Handler>,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    limits: Limits,
    stop: impl Future<Output = ()>,
    gone: impl Future<Output = ()>,
) -> StreamEnd {
    let mut conversation = Conversation::new(handler, limits);
    let ended = conversation.run(reader, writer, stop, gone).await;
    conversation.in_flight.cancel_all();
    conversation.questions.close();
    conversation.handler.closed(&conversation.session);
    ended
}

struct Conversation {
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    sink: Arc<dyn ClientSink>,
    in_flight: Arc<InFlight>,
    stages: Stages,
    questions: Arc<Questions>,
    budget: AnswerBudget,
    /// Queue for the answers of requests that run in their own task.
    outgoing: MessageQueue,
    queued: mpsc::Receiver<Queued>,
    unsent: WriteBuffer,
    /// Messages that arrived while `initialize` is being answered.
    deferred: DeferredMessages,
    /// A notification that waits because too many are being handled.
    held_back: Option<Message>,
    limits: Limits,
}

struct StreamSink {
    outgoing: MessageQueue,
    questions: Arc<Questions>,
}

/// Counts a message as in flight while it is handled.
enum Admission {
    Request(Id, Ticket),
    Notification(NotificationTicket),
}

// === impl Conversation ===

impl Conversation {
    fn new(handler: Arc<dyn Handler>, limits: Limits) -> Self {
        let (outgoing, queued) = MessageQueue::new(limits.max_queued_messages, limits.max_queued_bytes);
        let questions = Questions::new(limits.max_pending_questions, limits.question_deadlines());
        let sink: Arc<dyn ClientSink> =
            Arc::new(StreamSink { outgoing: outgoing.clone(), questions: Arc::clone(&questions) });
        Self {
            handler,
            session: Session::new(random_name(), Principal::local(), Arc::clone(&sink)),
            sink,
            in_flight: Arc::new(InFlight::new(&limits)),
            stages: Stages::new(),
            questions,
            budget: AnswerBudget::new(),
            outgoing,
            queued,
            unsent: WriteBuffer::default(),
            deferred: DeferredMessages::new(limits.max_in_flight, limits.max_queued_bytes),
            held_back: None,
            limits,
        }
    }

    /// Whether one more message of the client may be handled.
    fn has_room(&self) -> bool {
        self.unsent.len() < self.limits.max_queued_bytes
            && self.held_back.is_none()
            && self.deferred.has_room()
    }

    /// Whether no message is being handled or waits.
    fn is_idle(&self) -> bool {
        // The order matters: a request leaves `in_flight` only when its answer is in the queue.
        self.in_flight.is_empty()
            && self.queued.is_empty()
            && self.held_back.is_none()
            && self.deferred.is_empty()
            && self.unsent.len() == 0
    }

    /// Handles messages that had to wait and need not wait any longer.
    async fn take_waiting(&mut self) {
        if let Some(message) = self.held_back.take() {
            self.notification(message).await;
        }
        while self.held_back.is_none() && !self.deferred.is_empty() && !self.in_flight.has_handshake() {
            // The answer to `initialize` is sent before the answers to the messages that waited for
            // it.
            self.take_queued();
            if let Some(message) = self.deferred.next() {
                self.take_message(message).await;
            }
        }
    }

    fn take_queued(&mut self) {
        while let Ok(queued) = self.queued.try_recv() {
            self.unsent.push(queued.message);
        }
    }

    async fn take(&mut self, frame: LineFrame) {
        let line = match frame {
            LineFrame::Line(line) => line,
            LineFrame::TooLong { limit, id } => {
                let error = ErrorObject::invalid_request(format!("a message may have at most {limit} bytes"));
                // A client that waits for the answer gets it (I-12).
                let id = id.as_deref().and_then(|id| Json::parse(id).ok()).and_then(Id::of);
                return self.answer_garbage(Message::error(id.as_ref(), &error));
            }
        };
        match Message::parse(line, &self.limits.json()) {
            Ok(message) if self.in_flight.has_handshake() && DeferredMessages::must_wait(&message) => {
                self.deferred.add(message);
            }
            Ok(message) => self.take_message(message).await,
            Err(reject) => {
                if let Some(message) = reject.answer() {
                    self.answer_garbage(message);
                }
            }
        }
    }

    fn answer_garbage(&mut self, message: Message) {
        if self.budget.take() {
            self.unsent.push(message);
        }
    }

    async fn take_message(&mut self, message: Message) {
        match message.kind() {
            Kind::Result | Kind::Error => self.questions.answered(message),
            Kind::Notification if message.method() == Some(Method::Cancelled) => {
                let is_deferred = cancelled_id(&message).is_some_and(|id| self.deferred.cancel(&id));
                if !is_deferred {
                    self.in_flight.cancel(&message);
                }
            }
            Kind::Notification => self.notification(message).await,
            Kind::Request => {
                let Some(id) = message.id().cloned() else { return };
                match self.in_flight.admit(&id, &message) {
                    Ok(ticket) => self.start(message, Admission::Request(id, ticket)).await,
                    Err(NotAdmitted(error)) => self.unsent.push(Message::error(Some(&id), &error)),
                }
            }
        }
    }

    /// Handles a notification. Notifications can't be refused, so if there are too many, nothing is
    /// read until one has ended (G-48).
    async fn notification(&mut self, message: Message) {
        match self.in_flight.admit_notification(&message) {
            Some(ticket) => self.start(message, Admission::Notification(ticket)).await,
            None => self.held_back = Some(message),
        }
    }

    /// Starts to handle a message. An answer that is ready at once is written at once; otherwise
    /// the work continues in its own task.
    async fn start(&mut self, message: Message, admission: Admission) {
        let exchange = match Exchange::new(message, Arc::clone(&self.session), Arc::clone(&self.sink)) {
            Ok(exchange) => exchange,
            Err(error) => {
                if let Admission::Request(id, ticket) = admission {
                    self.in_flight.finish(&ticket);
                    self.unsent.push(Message::error(Some(&id), &error));
                }
                return;
            }
        };
        let (handler, budget) = (Arc::clone(&self.handler), self.limits.request_budget());
        let mut work = answer(handler, exchange, budget, self.stages.watch());
        if let Poll::Ready(reply) = first_poll(&mut work).await {
            if let (Admission::Request(_, ticket), Some(reply)) = (admission, reply) {
                self.in_flight.finish(&ticket);
                // Messages that the handler sent earlier come before its answer.
                self.take_queued();
                self.unsent.push(reply);
            }
            return;
        }
        match admission {
            Admission::Notification(ticket) => drop(tokio::spawn(async move {
                work.await;
                drop(ticket);
            })),
            Admission::Request(_, ticket) => {
                let (in_flight, outgoing) = (Arc::clone(&self.in_flight), self.outgoing.clone());
                let own = ticket.clone();
                let task = tokio::spawn(async move {
                    if let Some(reply) = work.await
                        && let Ok(reserved) = outgoing.reserve(&reply).await
                    {
                        // Both happen in one step, so that the end of the conversation can't miss
                        // the answer.
                        in_flight.finish_with(&own, || reserved.send(reply));
                    }
                });
                self.in_flight.set_task(&ticket, task.abort_handle());
            }
        }
    }
}

// === impl StreamSink ===

impl ClientSink for StreamSink {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(self.outgoing.send(message))
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let (method, params): (_, Option<JsonBuf>) = (method.to_owned(), params.map(Json::to_buf));
        let questions = Arc::clone(&self.questions);
        // A client that does not read won't miss it.
        let withdraw = |message| _ = self.outgoing.try_send(message);
        Box::pin(questions.ask(method, params, |message| self.notify(message), withdraw))
    }
}
