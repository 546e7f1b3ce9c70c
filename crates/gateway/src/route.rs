//! Calls that the upstream is working on: which client made them, and how the upstream's messages
//! about them reach it.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_wire::era::{Caller, Era, LogLevel};
use overt_wire::json::JsonBuf;
use overt_wire::{ClientSink, DeadlineControl, DeadlinePause, Exchange, Id, Session};
use tokio::time::Instant;

/// The calls of one conversation with the upstream, by the id that the upstream received. Ids are
/// increasing numbers.
#[derive(Default)]
pub(crate) struct Routes {
    open: Mutex<BTreeMap<u64, Arc<Route>>>,
    /// When a call was last given up. The upstream may still send messages about it.
    given_up: Mutex<Option<Instant>>,
    /// Paused while a person answers a question of the upstream.
    person: DeadlineControl,
}

/// A call that the upstream is working on.
pub(crate) struct Route {
    client: Mutex<Recipient>,
    pub(crate) subscription: Subscription,
    /// Whether a question of the upstream can reach the client through this call.
    can_ask: bool,
    asked: AtomicBool,
    /// The highest progress that the client has received, for a call that may start again.
    furthest: Option<Mutex<f64>>,
}

/// The client that made a call, and how to reach it.
#[derive(Clone)]
pub(crate) struct Recipient {
    pub(crate) session: Arc<Session>,
    /// The client's capabilities and name. It is asked only questions that it can answer.
    pub(crate) caller: Arc<Caller>,
    pub(crate) sink: Arc<dyn ClientSink>,
    /// The deadline of the request. It is paused while a person answers a question of the upstream.
    pub(crate) deadline: DeadlineControl,
    /// The client's own progress token, exactly as the client wrote it.
    pub(crate) progress: Option<JsonBuf>,
    /// The least severe level of log messages that the client wants. `None` for no log messages.
    pub(crate) logs: Option<LogLevel>,
}

/// Whether a call is a subscription, and how its notifications are marked for the client.
pub(crate) enum Subscription {
    None,
    /// Notifications get the id of the client's own request.
    Of(Id),
    /// Notifications are not marked, because the client has no subscriptions. The acknowledgement
    /// wakes the task that waits for it.
    Unmarked(tokio::sync::Notify),
}

/// A registered call. If it is dropped without an answer, it counts as given up.
pub(crate) struct RegisteredCall {
    routes: Arc<Routes>,
    number: u64,
    answered: bool,
}

/// How long an upstream may still send messages about a call that was given up.
const SPOKEN_OF: Duration = Duration::from_secs(600);

// === impl Routes ===

impl Routes {
    pub(crate) fn add(self: &Arc<Self>, id: &Id, route: Arc<Route>) -> RegisteredCall {
        let number = number(id).unwrap_or_default();
        self.lock().insert(number, route);
        RegisteredCall { routes: Arc::clone(self), number, answered: false }
    }

    /// Returns the call with an id. `"7"` is not `7`: the upstream must return the id as it was
    /// sent (UP-04).
    pub(crate) fn get(&self, id: &Id) -> Option<Arc<Route>> {
        self.lock().get(&number(id)?).cloned()
    }

    /// Returns the call that began last. Subscriptions don't count.
    pub(crate) fn latest(&self) -> Option<Arc<Route>> {
        self.lock().values().rev().find(|route| route.is_call()).cloned()
    }

    /// Returns the call through which a question reaches the client: the one that the question
    /// names, otherwise the oldest that can ask. If all clients share the conversation, the client
    /// is ambiguous when several have calls, or when a call was given up; then returns `None`.
    pub(crate) fn for_question(&self, about: Option<&Id>, is_for_everyone: bool) -> Option<Arc<Route>> {
        if let Some(id) = about {
            return self.get(id).filter(|route| route.can_ask);
        }
        let open = self.lock();
        let oldest = open.values().find(|route| route.can_ask)?;
        let calls = || open.values().filter(|route| route.is_call());
        let is_clear = || !self.has_given_up() && calls().all(|route| route.is_of_same_client(oldest));
        (!is_for_everyone || is_clear()).then(|| Arc::clone(oldest))
    }

    /// Pauses the deadline of every call that may be waiting for the answer to a question. If the
    /// upstream does not name the call, it may be any of them.
    pub(crate) fn pause_deadlines(&self, about: Option<&Id>) -> Vec<DeadlinePause> {
        let asking: Vec<Arc<Route>> = match about {
            Some(id) => self.get(id).filter(|route| route.can_ask).into_iter().collect(),
            None => self.lock().values().filter(|route| route.can_ask).cloned().collect(),
        };
        let calls = asking.iter().map(|route| route.client().deadline.pause());
        calls.chain([self.person.pause()]).collect()
    }

    /// Whether a person is answering a question. An upstream that processes one request at a time
    /// sends nothing meanwhile.
    pub(crate) fn await_person(&self) -> bool {
        self.person.is_paused()
    }

    /// Returns the only call, unless there are several or the upstream may still be busy with
    /// another one.
    pub(crate) fn only(&self) -> Option<Arc<Route>> {
        let open = self.lock();
        let mut calls = open.values().filter(|route| route.is_call());
        let only = calls.next().filter(|_| calls.next().is_none());
        only.filter(|_| !self.has_given_up()).cloned()
    }

    /// Whether this call was sent in this conversation and is still running.
    pub(crate) fn contains(&self, route: &Arc<Route>) -> bool {
        self.lock().values().any(|open| Arc::ptr_eq(open, route))
    }

    fn has_given_up(&self) -> bool {
        let given_up = *self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        given_up.is_some_and(|at| at.elapsed() < SPOKEN_OF)
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Route>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RegisteredCall {
    /// Records that the call has ended, with an answer or an error.
    pub(crate) fn done(mut self) {
        self.answered = true;
    }
}

impl Drop for RegisteredCall {
    fn drop(&mut self) {
        if !self.answered {
            *self.routes.given_up.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        self.routes.lock().remove(&self.number);
    }
}

fn number(id: &Id) -> Option<u64> {
    id.token().parse().ok()
}

// === impl Route ===

impl Route {
    /// Makes the route of a call. `can_ask` says whether a question can reach the client through
    /// it.
    pub(crate) fn call(client: Recipient, can_ask: bool) -> Arc<Self> {
        Arc::new(Self::new(client, Subscription::None, can_ask))
    }

    /// Makes the route of a legacy client's call, which is sent again after each round of
    /// questions. Its progress must only rise.
    pub(crate) fn call_in_rounds(client: Recipient) -> Arc<Self> {
        let furthest = Some(Mutex::new(f64::NEG_INFINITY));
        Arc::new(Self { furthest, ..Self::new(client, Subscription::None, true) })
    }

    pub(crate) fn subscription(client: Recipient, subscription: Subscription) -> Arc<Self> {
        Arc::new(Self::new(client, subscription, false))
    }

    fn new(client: Recipient, subscription: Subscription, can_ask: bool) -> Self {
        let asked = AtomicBool::new(false);
        Self { client: Mutex::new(client), subscription, can_ask, asked, furthest: None }
    }

    /// Records that a question was sent to the client.
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    pub(crate) fn was_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Whether to pass progress on: only if it is higher than what the client has received.
    pub(crate) fn may_tell(&self, progress: Option<f64>) -> bool {
        let (Some(furthest), Some(progress)) = (&self.furthest, progress) else { return true };
        let mut furthest = furthest.lock().unwrap_or_else(PoisonError::into_inner);
        let rises = progress > *furthest;
        if rises {
            *furthest = progress;
        }
        rises
    }

    pub(crate) fn client(&self) -> Recipient {
        self.client.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Connects the call with another request of its client, which came back for the rest.
    pub(crate) fn hand_over(&self, client: Recipient) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }

    fn is_of_same_client(&self, other: &Self) -> bool {
        let (own, others) = (self.client().session, other.client().session);
        std::ptr::eq(self, other) || own.is_one_client() && Arc::ptr_eq(&own, &others)
    }

    fn is_call(&self) -> bool {
        matches!(self.subscription, Subscription::None)
    }
}

// === impl Recipient ===

impl Recipient {
    pub(crate) fn of(exchange: &Exchange) -> Self {
        // A legacy upstream filters by level itself.
        let logs = match exchange.caller.era() {
            Era::Legacy => Some(LogLevel::Debug),
            Era::Modern => exchange.log_level(),
        };
        Self {
            session: Arc::clone(&exchange.session),
            caller: Arc::clone(&exchange.caller),
            sink: Arc::clone(&exchange.sink),
            deadline: exchange.deadline.clone(),
            progress: exchange.progress_token(),
            logs,
        }
    }
}
