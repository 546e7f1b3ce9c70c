//! A legacy client: its session, whatever the upstream speaks.
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use overt_wire::era::{Caller, Era, LogLevel, Version};
use overt_wire::error::code;
use overt_wire::json::Object;
use overt_wire::{DeadlineControl, ErrorObject, Exchange, Id, Kind, Message, Method, Session};
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::reply::{done, id_of};
use super::{dress, hello, rounds};
use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::listeners::Filter;
use crate::pass::{open, pass};
use crate::question::Rate;
use crate::request::{Meta, notification};
use crate::route::{Recipient, Route, Subscription};
use crate::upstream::{Upstream, Who};
use crate::upstream_marks::move_marks_of_handshake;

/// The place of one legacy session.
pub(crate) struct Seat {
    session: Weak<Session>,
    lane: Arc<Lane>,
    /// What the upstream speaks.
    era: Era,
    /// The client as a modern upstream hears of it.
    caller: Arc<Caller>,
    rate: Rate,
    /// Resources that the client watches at a modern upstream.
    watched: Mutex<BTreeSet<String>>,
    /// The subscription that brings the news of a modern upstream.
    listening: Mutex<Option<AbortHandle>>,
    /// Whether the first subscription was acknowledged, or came to nothing.
    hears: watch::Sender<bool>,
}

/// All seats by session.
#[derive(Default)]
pub(crate) struct Seats {
    taken: Mutex<HashMap<String, Arc<Seat>>>,
}

/// How long an upstream may take to acknowledge a subscription.
const ACKNOWLEDGED: Duration = Duration::from_secs(5);
/// The shortest pause before a subscription that ended is opened again; it doubles.
const LISTEN_AGAIN: Duration = Duration::from_millis(500);
/// Resources that one client may watch.
const MOST_URIS: usize = 1000;

// === impl Seats ===

impl Seats {
    /// Takes a seat for a client that says hello, and returns what to answer.
    pub(crate) async fn greet(
        &self,
        exchange: &Exchange,
        upstream: &Arc<Upstream>,
        lanes: &Lanes,
    ) -> Result<Message, ErrorObject> {
        let caller = &exchange.caller;
        let who = Who {
            capabilities: caller.capabilities.clone(),
            info: caller.info.clone(),
            version: caller.version,
        };
        let lane = lanes.for_session(upstream, who, &exchange.session).await?;
        let connection = lane.connection().await?;
        let server = connection.client.server();
        let result = match connection.era() {
            Era::Legacy => move_marks_of_handshake(&server.hello),
            Era::Modern => hello::initialize(server, caller.version, upstream.label()),
        };
        let seat = Seat {
            session: Arc::downgrade(&exchange.session),
            era: connection.era(),
            lane,
            caller: Arc::new(Caller { version: Version::NEWEST, ..(**caller).clone() }),
            rate: Rate::new(upstream.options.holdings.max_questions_per_minute),
            watched: Mutex::default(),
            listening: Mutex::default(),
            hears: watch::Sender::new(true),
        };
        self.lock().insert(exchange.session.id().to_owned(), Arc::new(seat));
        Ok(Message::result(&id_of(exchange), result.as_json()))
    }

    pub(crate) fn of(&self, session: &Session) -> Option<Arc<Seat>> {
        self.lock().get(session.id()).cloned()
    }

    /// The session is over. Returns the lane to close, if it was the session's own.
    pub(crate) fn leave(&self, session: &Session) -> Option<Arc<Lane>> {
        let seat = self.lock().remove(session.id())?;
        seat.stop_listening();
        (seat.era == Era::Legacy).then(|| Arc::clone(&seat.lane))
    }

    /// All lanes that belong to sessions.
    pub(crate) fn drain(&self) -> Vec<Arc<Lane>> {
        let seats: Vec<_> = self.lock().drain().map(|(_, seat)| seat).collect();
        seats.iter().for_each(|seat| seat.stop_listening());
        seats.iter().filter(|seat| seat.era == Era::Legacy).map(|seat| Arc::clone(&seat.lane)).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    pub(crate) fn in_flight(&self) -> usize {
        let own = |seat: &&Arc<Seat>| seat.era == Era::Legacy;
        self.lock().values().filter(own).map(|seat| seat.lane.in_flight()).sum()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Seat>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Seat ===

impl Seat {
    pub(crate) async fn answer(self: &Arc<Self>, exchange: &Exchange) -> Result<Message, ErrorObject> {
        match self.era {
            Era::Legacy => self.same_era(exchange).await,
            Era::Modern => Box::pin(self.newer_upstream(exchange)).await,
        }
    }

    /// Takes a notification of the client.
    pub(crate) async fn notify(self: &Arc<Self>, exchange: &Exchange) {
        match (exchange.message.method(), self.era) {
            // The upstream was told when the conversation was opened.
            (Some(Method::Initialized | Method::InitializedShort), Era::Legacy) => {}
            (Some(Method::Initialized | Method::InitializedShort), Era::Modern) => {
                self.hears.send_replace(false);
                let (acknowledged, heard) = oneshot::channel();
                self.listen(Some(acknowledged));
                let seat = Arc::clone(self);
                tokio::spawn(async move {
                    // Whatever became of it: nobody has to wait for it any longer.
                    let _ = timeout(ACKNOWLEDGED, heard).await;
                    seat.hears.send_replace(true);
                });
            }
            (_, Era::Legacy) => {
                if let Ok(connection) = open(&self.lane, self.era).await {
                    let message = notification(&exchange.message);
                    let method = message.method().map_or("", Method::name).to_owned();
                    let told = connection.client.notify(&method, message.params().value()).await;
                    tracing::debug!(ok = told.is_ok(), "passed a notification on");
                }
            }
            // A modern upstream takes no notifications: it asks for roots when it needs them.
            (_, Era::Modern) => {}
        }
    }

    async fn same_era(&self, exchange: &Exchange) -> Result<Message, ErrorObject> {
        let route = Route::call(Recipient::of(exchange), true);
        let answer = pass(&self.lane, self.era, &exchange.message, &route, Meta::Same).await?;
        if answer.kind() == Kind::Result {
            self.remember(&exchange.message);
        }
        Ok(answer)
    }

    /// Notes what a new conversation would have to be told.
    fn remember(&self, request: &Message) {
        let params = request.params();
        let uri = || params.get("uri").string().map(std::borrow::Cow::into_owned);
        let mut standing = self.lane.standing.lock().unwrap_or_else(PoisonError::into_inner);
        match request.method() {
            Some(Method::SetLevel) => {
                standing.level = params.get("level").string().and_then(|level| LogLevel::parse(&level));
            }
            Some(Method::ResourcesSubscribe) if standing.watched.len() < MOST_URIS => {
                if let Some(uri) = uri() {
                    standing.watched.insert(uri, 1);
                }
            }
            Some(Method::ResourcesUnsubscribe) => {
                if let Some(uri) = uri() {
                    standing.watched.remove(&uri);
                }
            }
            _ => {}
        }
    }

    async fn newer_upstream(self: &Arc<Self>, exchange: &Exchange) -> Result<Message, ErrorObject> {
        // What the first request sets off must not be missed.
        let _ = self.hears.subscribe().wait_for(|hears| *hears).await;
        match exchange.message.method() {
            Some(Method::SetLevel) => {
                let level = LogLevel::read(exchange.message.params().get("level"))?;
                exchange.session.set_log_level(level);
                Ok(done(exchange))
            }
            Some(method @ (Method::ResourcesSubscribe | Method::ResourcesUnsubscribe)) => {
                let uri = exchange.message.params().get("uri").string();
                let uri = uri.ok_or_else(|| ErrorObject::invalid_params("`uri` must be a string"))?;
                self.watch(&uri, method == Method::ResourcesSubscribe).await?;
                Ok(done(exchange))
            }
            _ => self.in_rounds(exchange).await,
        }
    }

    /// Sends the request as often as the upstream has questions.
    async fn in_rounds(&self, exchange: &Exchange) -> Result<Message, ErrorObject> {
        let route = Route::call_in_rounds(Recipient::of(exchange));
        let meta = Meta::With(&self.caller, Some(exchange.session.log_level()));
        let mut answer = pass(&self.lane, self.era, &exchange.message, &route, meta).await?;
        let limit = self.lane.upstream.options.limits.max_input_rounds;
        for round in 0.. {
            rounds::check_kind(&answer, false)?;
            if !rounds::wants_input(&answer) {
                break;
            }
            if round == limit {
                let what = format!("it still wants input after {limit} rounds of questions");
                return Err(rounds::broken(&what));
            }
            route.ask();
            let next = rounds::next(exchange, &self.lane.upstream, &self.rate, &answer).await?;
            answer = pass(&self.lane, self.era, &next, &route, meta).await?;
        }
        Ok(dress::legacy_error(&exchange.message, answer))
    }

    /// Changes which resources are watched, and waits until the upstream has agreed.
    async fn watch(self: &Arc<Self>, uri: &str, wanted: bool) -> Result<(), ErrorObject> {
        let changed = {
            let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
            match wanted {
                true if watched.len() >= MOST_URIS => {
                    let message = format!("a client may subscribe to at most {MOST_URIS} resources");
                    return Err(ErrorObject::invalid_params(message));
                }
                true => watched.insert(uri.to_owned()),
                false => watched.remove(uri),
            }
        };
        if changed {
            let (acknowledged, waiting) = oneshot::channel();
            self.listen(Some(acknowledged));
            let _ = timeout(ACKNOWLEDGED, waiting).await;
        }
        Ok(())
    }

    /// Subscribes anew to everything that the client is to hear of.
    fn listen(self: &Arc<Self>, mut acknowledged: Option<oneshot::Sender<()>>) {
        let seat = Arc::downgrade(self);
        let task = tokio::spawn(async move {
            let mut pause = LISTEN_AGAIN;
            while let Some(seat) = seat.upgrade() {
                let began = Instant::now();
                let ended = seat.follow(acknowledged.take()).await;
                let longest = seat.lane.upstream.options.holdings.longest_backoff;
                drop(seat);
                if ended == Ended::NothingToHear {
                    return;
                }
                // One that lasted is opened again soon, one that is refused ever less often.
                pause = if began.elapsed() > longest { LISTEN_AGAIN } else { (pause * 2).min(longest) };
                tokio::time::sleep(pause).await;
            }
        });
        let old = self.listening().replace(task.abort_handle());
        if let Some(old) = old {
            old.abort();
        }
    }

    async fn follow(&self, acknowledged: Option<oneshot::Sender<()>>) -> Ended {
        let (Some(session), Ok(connection)) = (self.session.upgrade(), open(&self.lane, self.era).await)
        else {
            return Ended::Lost;
        };
        let uris = self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let filter = Filter::all(connection.client.server().capabilities.as_json(), uris);
        if filter.is_empty() {
            return Ended::NothingToHear;
        }
        let notify = tokio::sync::Notify::new();
        let client = Recipient {
            outlet: Arc::clone(session.outlet()),
            deadline: DeadlineControl::default(),
            progress: None,
            logs: None,
        };
        let route = Route::subscription(client, Subscription::Unmarked(notify));
        let params = Object::new().json("notifications", filter.to_json().as_json()).finish();
        let request = Message::request(&Id::from(0), Method::Listen.name(), Some(params.as_json()));
        drop(session);
        let heard = async {
            if let Subscription::Unmarked(notify) = &route.subscription {
                notify.notified().await;
            }
            if let Some(acknowledged) = acknowledged {
                let _ = acknowledged.send(());
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            ended = pass(&self.lane, self.era, &request, &route, Meta::With(&self.caller, None)) => {
                tracing::debug!(ok = ended.is_ok(), "a subscription ended");
                let code = ended.ok().and_then(|answer| answer.error_code());
                if code == Some(code::METHOD_NOT_FOUND) {
                    return Ended::NothingToHear;
                }
            }
            () = heard => {}
        }
        Ended::Lost
    }

    fn stop_listening(&self) {
        if let Some(task) = self.listening().take() {
            task.abort();
        }
    }

    fn listening(&self) -> MutexGuard<'_, Option<AbortHandle>> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a subscription is over.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Lost,
    NothingToHear,
}
