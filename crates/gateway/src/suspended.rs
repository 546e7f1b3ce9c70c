//! Calls to a legacy upstream that wait for a modern client to come back with answers. The client
//! has a handle that can't be guessed. Without it a call can neither be found nor answered.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_layers::seal::{digest, random_name};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{BoxFuture, ClientSink, Closed, ErrorObject, Exchange, Id, Message, Method};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::failure;
use crate::route::{Recipient, Route};
use crate::session::UpstreamSession;

/// A call of a modern client that a legacy upstream is working on.
pub(crate) struct Call {
    /// Sends the call and waits for its answer. Dropping it cancels the call.
    pub(crate) run: BoxFuture<'static, Result<Message, ErrorObject>>,
    pub(crate) questions: mpsc::Receiver<Question>,
    /// Questions that were sent to the client and are not answered yet.
    pub(crate) open: Vec<(String, Question)>,
    pub(crate) route: Arc<Route>,
    pub(crate) sink: Arc<AskingSink>,
    pub(crate) session: Arc<UpstreamSession>,
    pub(crate) asked: usize,
}

/// A question on its way to the client.
pub(crate) struct Question {
    method: String,
    params: Option<JsonBuf>,
    answer: oneshot::Sender<Message>,
}

/// The sink of such a call. Notifications go to the client's current request; questions wait for
/// the result.
pub(crate) struct AskingSink {
    present: Mutex<Option<Arc<dyn ClientSink>>>,
    asks: mpsc::Sender<Question>,
}

/// All suspended calls.
pub(crate) struct SuspendedCalls {
    waiting: Mutex<HashMap<String, SuspendedCall>>,
    most: usize,
    patience: Duration,
}

struct SuspendedCall {
    call: Call,
    /// Binds the call to its request: the same principal, method, name or address, and arguments.
    fingerprint: String,
    until: Instant,
}

/// The most questions of one call that wait to be collected.
const QUEUE: usize = 16;

// === impl SuspendedCalls ===

impl SuspendedCalls {
    pub(crate) fn new(most: usize, patience: Duration) -> Self {
        Self { waiting: Mutex::default(), most, patience }
    }

    /// Suspends a call and returns the result with its questions. The call is given up if too many
    /// are suspended.
    pub(crate) fn put(&self, call: Call, request: &Exchange, info: &JsonBuf) -> Result<JsonBuf, ErrorObject> {
        call.sink.present(None);
        let handle = random_name();
        let requests = call.open.iter().fold(Object::new(), |requests, (name, question)| {
            requests.json(name, question.to_json().as_json())
        });
        let meta = Object::new().json(overt_wire::era::key::SERVER_INFO, info.as_json()).finish();
        let result = Object::new()
            .string("resultType", "input_required")
            .json("inputRequests", requests.finish().as_json())
            .string("requestState", &handle)
            .json("_meta", meta.as_json())
            .finish();
        let mut waiting = self.lock();
        if waiting.len() >= self.most {
            // The upstream may already have had an effect before it asked (G-42).
            return Err(failure::given_up(
                call.session.upstream.label(),
                "it asked a question, and too many calls wait for answers of their clients; try again later",
            ));
        }
        let until = Instant::now() + self.patience;
        waiting.insert(handle, SuspendedCall { call, fingerprint: fingerprint(request), until });
        Ok(result)
    }

    /// Returns the call that a request comes back for, after passing the answers on to the
    /// upstream.
    pub(crate) fn resume(&self, request: &Exchange) -> Option<Call> {
        let state = request.message.param("requestState").string()?;
        let mut waiting = self.lock();
        // Only the same request may continue the call.
        waiting.get(&*state).filter(|found| found.fingerprint == fingerprint(request))?;
        let mut call = waiting.remove(&*state)?.call;
        drop(waiting);
        // The upstream may have continued without some of the answers.
        call.open.retain(|(_, question)| !question.answer.is_closed());
        let responses = request.message.param("inputResponses");
        let open = std::mem::take(&mut call.open);
        for (name, question) in open {
            match responses.get(&name).value() {
                Some(response) => {
                    let _ = question.answer.send(Message::result(&Id::from(0), response));
                }
                // An unanswered question is asked again.
                None => call.open.push((name, question)),
            }
        }
        Some(call)
    }

    /// Gives up calls whose client did not come back in time, or has gone.
    pub(crate) fn sweep(&self, now: Instant) {
        self.lock().retain(|_, waiting| waiting.until > now && waiting.is_open());
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, SuspendedCall>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl SuspendedCall ===

impl SuspendedCall {
    /// Whether the client can still come back.
    fn is_open(&self) -> bool {
        !self.call.route.client().session.has_input_ended()
    }
}

// === impl Call ===

impl Call {
    /// Adds a question under a unique name.
    pub(crate) fn note(&mut self, question: Question) {
        self.asked += 1;
        self.open.push((format!("question-{}", self.asked), question));
    }

    /// Connects the call with the client's current request.
    pub(crate) fn attach(&self, client: Recipient) {
        self.sink.present(Some(Arc::clone(&client.sink)));
        let sink: Arc<dyn ClientSink> = Arc::<AskingSink>::clone(&self.sink);
        self.route.hand_over(Recipient { sink, ..client });
    }
}

// === impl Question ===

impl Question {
    fn to_json(&self) -> JsonBuf {
        let object = Object::new().string("method", &self.method);
        match &self.params {
            Some(params) => object.json("params", params.as_json()),
            None => object,
        }
        .finish()
    }
}

// === impl AskingSink ===

impl AskingSink {
    pub(crate) fn new() -> (Arc<Self>, mpsc::Receiver<Question>) {
        let (asks, questions) = mpsc::channel(QUEUE);
        (Arc::new(Self { present: Mutex::default(), asks }), questions)
    }

    fn present(&self, sink: Option<Arc<dyn ClientSink>>) {
        *self.present.lock().unwrap_or_else(PoisonError::into_inner) = sink;
    }
}

impl ClientSink for AskingSink {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        let present = self.present.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::pin(async move {
            match present {
                Some(sink) => sink.notify(message).await,
                None => Err(Closed),
            }
        })
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let (answer, answered) = oneshot::channel();
        let question = Question { method: method.to_owned(), params: params.map(Json::to_buf), answer };
        Box::pin(async move {
            self.asks.send(question).await.map_err(|_| Closed)?;
            answered.await.map_err(|_| Closed)
        })
    }
}

fn fingerprint(request: &Exchange) -> String {
    let (principal, message) = (request.principal().key(), &request.message);
    let params = message.params();
    let text = |name| params.get(name).value().map_or("", Json::as_str);
    let method = message.method().map_or("", Method::name);
    digest(&[&principal, method, text("name"), text("uri"), text("arguments")])
}
