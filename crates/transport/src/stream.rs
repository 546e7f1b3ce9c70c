//! Serves a handler on one pair of byte streams with a message per line: stdio, pipes, sockets, memory.
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use overt_wire::error::ErrorObject;
use overt_wire::frame::{LineFrame, LineFramer};
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, Closed, Exchange, Handler, Id, Kind, Message, Method, Outlet, Session};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use crate::limits::Limits;
use crate::serve::{AnswerBudget, InFlight, NotAdmitted, Questions, Ticket, answer, first_poll, random_name};
use crate::unsent::Unsent;

/// How the conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client closed its side, and everything it had asked was answered or given up.
    InputClosed,
    /// The client stopped reading.
    OutputClosed,
    /// We were told to stop.
    Stopped,
}

/// Serves `handler` until the input ends, the output breaks, or `stop` completes.
pub async fn serve(
    handler: Arc<dyn Handler>,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    limits: Limits,
    stop: impl Future<Output = ()>,
) -> Ended {
    let (outgoing, queued) = mpsc::channel(limits.max_queued_messages);
    let questions = Questions::new(limits.max_pending_questions, limits.question_deadlines());
    let outlet: Arc<dyn Outlet> =
        Arc::new(StreamOutlet { outgoing: outgoing.clone(), questions: Arc::clone(&questions) });
    let session = Session::new(random_name(), Arc::clone(&outlet));
    let mut conversation = Conversation {
        in_flight: Arc::new(InFlight::new(limits.max_in_flight)),
        budget: AnswerBudget::new(),
        handler: Arc::clone(&handler),
        session: Arc::clone(&session),
        outlet,
        outgoing,
        queued,
        questions: Arc::clone(&questions),
        unsent: Unsent::default(),
        limits,
    };
    let ended = conversation.run(reader, writer, stop).await;
    conversation.in_flight.cancel_all();
    questions.close();
    handler.closed(&session);
    ended
}

struct Conversation {
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    outlet: Arc<dyn Outlet>,
    in_flight: Arc<InFlight>,
    questions: Arc<Questions>,
    budget: AnswerBudget,
    /// Where requests that take longer leave their answers.
    outgoing: mpsc::Sender<Message>,
    queued: mpsc::Receiver<Message>,
    unsent: Unsent,
    limits: Limits,
}

struct StreamOutlet {
    outgoing: mpsc::Sender<Message>,
    questions: Arc<Questions>,
}

// === impl Conversation ===

impl Conversation {
    async fn run(
        &mut self,
        mut reader: impl AsyncRead + Unpin,
        mut writer: impl AsyncWrite + Unpin,
        stop: impl Future<Output = ()>,
    ) -> Ended {
        let mut stop = std::pin::pin!(stop);
        let mut framer = LineFramer::with_limit(self.limits.max_message_bytes);
        let mut chunk = vec![0; 64 << 10];
        // Moves on whenever the client reads something.
        let mut stalled = Instant::now() + self.limits.write_deadline;
        let ended = loop {
            // Answers only while they can wait: one read may hold hundreds of requests (RPC-16).
            while self.has_room()
                && let Some(frame) = framer.next_line()
            {
                if self.unsent.len() == 0 {
                    stalled = Instant::now() + self.limits.write_deadline;
                }
                self.take(frame).await;
            }
            let room = self.has_room();
            tokio::select! {
                biased;
                // First, so that a client that never pauses can't keep us from hearing it (RPC-17).
                () = &mut stop => break Ended::Stopped,
                wrote = self.unsent.write_to(&mut writer), if self.unsent.len() > 0 => match wrote {
                    Ok(count) if count > 0 => {
                        self.unsent.advance(count);
                        stalled = Instant::now() + self.limits.write_deadline;
                    }
                    _ => return Ended::OutputClosed,
                },
                Some(message) = self.queued.recv(), if room => {
                    if self.unsent.len() == 0 {
                        stalled = Instant::now() + self.limits.write_deadline;
                    }
                    self.unsent.push(message);
                }
                read = reader.read(&mut chunk), if room => match read {
                    Ok(count) if count > 0 => framer.push(&chunk[..count]),
                    _ => break Ended::InputClosed,
                },
                () = sleep_until(stalled), if self.unsent.len() > 0 => {
                    tracing::warn!("the client does not read; giving it up");
                    return Ended::OutputClosed;
                }
            }
        };
        if ended == Ended::InputClosed {
            if let Some(frame) = framer.finish() {
                self.take(frame).await;
            }
            // Nobody hears what they would still say. Others may use the same handler, so it is not shut down.
            self.in_flight.cancel_endless();
        } else {
            self.handler.shutdown();
        }
        let drained = timeout(self.limits.drain, self.drain(&mut writer)).await;
        if drained == Ok(false) { Ended::OutputClosed } else { ended }
    }

    fn has_room(&self) -> bool {
        self.unsent.len() < self.limits.max_queued_bytes
    }

    /// Writes what is left and waits for requests in flight. False when the client doesn't take it.
    async fn drain(&mut self, writer: &mut (impl AsyncWrite + Unpin)) -> bool {
        /// A request may end without an answer, which nothing announces; so look again this often.
        const LOOK_AGAIN: Duration = Duration::from_millis(20);
        loop {
            self.take_queued();
            if self.unsent.len() > 0 {
                match self.unsent.write_to(writer).await {
                    Ok(count) if count > 0 => self.unsent.advance(count),
                    _ => return false,
                }
            } else if self.in_flight.is_empty() && self.queued.is_empty() {
                return writer.flush().await.is_ok();
            } else if let Ok(Some(message)) = timeout(LOOK_AGAIN, self.queued.recv()).await {
                self.unsent.push(message);
            }
        }
    }

    fn take_queued(&mut self) {
        while let Ok(message) = self.queued.try_recv() {
            self.unsent.push(message);
        }
    }

    async fn take(&mut self, frame: LineFrame) {
        let line = match frame {
            LineFrame::Line(line) => line,
            LineFrame::TooLong { limit } => {
                let error = ErrorObject::invalid_request(format!("a message may have at most {limit} bytes"));
                return self.answer_garbage(Message::error(None, &error));
            }
        };
        match Message::parse(line, &self.limits.json()) {
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
                self.in_flight.cancel(&message);
            }
            Kind::Notification => self.start(message, None).await,
            Kind::Request => {
                let Some(id) = message.id().cloned() else { return };
                match self.in_flight.admit(&id, message.method()) {
                    Ok(ticket) => self.start(message, Some((id, ticket))).await,
                    Err(NotAdmitted(error)) => self.unsent.push(Message::error(Some(&id), &error)),
                }
            }
        }
    }

    /// Begins to answer. What is ready at once is written at once; the rest gets a task of its own.
    async fn start(&mut self, message: Message, request: Option<(Id, Ticket)>) {
        let exchange = match Exchange::new(message, Arc::clone(&self.session), Arc::clone(&self.outlet)) {
            Ok(exchange) => exchange,
            Err((_, error)) => {
                if let Some((id, ticket)) = request {
                    self.in_flight.finish(&ticket);
                    self.unsent.push(Message::error(Some(&id), &error));
                }
                return;
            }
        };
        let mut work = answer(Arc::clone(&self.handler), exchange, self.limits.request_budget());
        if let Poll::Ready(reply) = first_poll(&mut work).await {
            if let (Some((_, ticket)), Some(reply)) = (request, reply) {
                self.in_flight.finish(&ticket);
                // What the handler said on the way comes before its answer.
                self.take_queued();
                self.unsent.push(reply);
            }
            return;
        }
        let in_flight = Arc::clone(&self.in_flight);
        let outgoing = self.outgoing.clone();
        let ticket = request.map(|(_, ticket)| ticket);
        let own = ticket.clone();
        let task = tokio::spawn(async move {
            let reply = work.await;
            if let (Some(ticket), Some(reply)) = (own, reply)
                && let Ok(queued) = outgoing.reserve().await
            {
                // In one step, so that draining can't miss it.
                in_flight.finish_with(&ticket, || queued.send(reply));
            }
        });
        if let Some(ticket) = ticket {
            self.in_flight.set_task(&ticket, task.abort_handle());
        }
    }
}

// === impl StreamOutlet ===

impl Outlet for StreamOutlet {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(async move { self.outgoing.send(message).await.map_err(|_| Closed) })
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let (method, params): (_, Option<JsonBuf>) = (method.to_owned(), params.map(Json::to_buf));
        let questions = Arc::clone(&self.questions);
        // A client that does not read won't miss it.
        let withdraw = |message| drop(self.outgoing.try_send(message));
        Box::pin(questions.ask(method, params, |message| self.notify(message), withdraw))
    }
}
