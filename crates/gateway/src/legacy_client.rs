//! A legacy client, whatever the upstream speaks.
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use overt_wire::era::{Caller, Era, LogLevel, Version};
use overt_wire::error::code;
use overt_wire::json::Object;
use overt_wire::{DeadlineControl, ErrorObject, Exchange, Id, Kind, Message, Method, Session};
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use crate::forward::{Request, forward};
use crate::listeners::follow;
use crate::pool::SessionPool;
use crate::question::Rate;
use crate::rounds;
use crate::route::{Recipient, Route, Subscription};
use crate::session::{Setting, UpstreamSession};
use crate::translate::reply::{done, id_of};
use crate::translate::request::{Meta, notification};
use crate::translate::subscription::{Filter, MOST_URIS};
use crate::translate::{answer, hello, input};
use crate::upstream::Upstream;

/// What is kept for one legacy client.
pub(crate) struct LegacyClient {
    client: Weak<Session>,
    session: Arc<UpstreamSession>,
    /// What the upstream speaks.
    era: Era,
    /// The client as a modern upstream hears of it.
    caller: Arc<Caller>,
    rate: Rate,
    /// Resources that the client watches at a modern upstream.
    watched: Mutex<BTreeSet<String>>,
    /// What brings the news of a modern upstream, or of a session that several clients share.
    listening: Mutex<Option<AbortHandle>>,
    /// Whether the first subscription was acknowledged, or came to nothing.
    hears: watch::Sender<bool>,
}

/// All of them by session.
#[derive(Default)]
pub(crate) struct LegacyClients {
    clients: Mutex<HashMap<String, Arc<LegacyClient>>>,
}

/// How long an upstream may take to acknowledge a subscription.
const ACKNOWLEDGED: Duration = Duration::from_secs(5);
/// The shortest pause before a subscription that ended is opened again; it doubles.
const LISTEN_AGAIN: Duration = Duration::from_millis(500);

// === impl LegacyClients ===

impl LegacyClients {
    /// Takes in a client that says hello, and returns what to answer.
    pub(crate) async fn greet(
        &self,
        exchange: &Exchange,
        upstream: &Arc<Upstream>,
        pool: &SessionPool,
    ) -> Result<Message, ErrorObject> {
        let caller = &exchange.caller;
        let session = pool.for_legacy(caller, &exchange.session).await?;
        let connection = session.connection().await?;
        let server = connection.client.server();
        let result = match connection.era() {
            Era::Legacy => hello::initialize_as_it_is(server, caller.version),
            Era::Modern => hello::initialize(server, caller.version, upstream.label()),
        };
        let client = LegacyClient {
            client: Arc::downgrade(&exchange.session),
            era: connection.era(),
            session,
            caller: Arc::new(Caller { version: Version::NEWEST, ..(**caller).clone() }),
            rate: Rate::new(upstream.options.holdings.max_questions_per_minute),
            watched: Mutex::default(),
            listening: Mutex::default(),
            hears: watch::Sender::new(true),
        };
        self.lock().insert(exchange.session.id().to_owned(), Arc::new(client));
        Ok(Message::result(&id_of(exchange), result.as_json()))
    }

    pub(crate) fn get(&self, session: &Session) -> Option<Arc<LegacyClient>> {
        self.lock().get(session.id()).cloned()
    }

    /// The client has gone.
    pub(crate) fn remove(&self, session: &Session) {
        let client = self.lock().remove(session.id());
        client.iter().for_each(|client| client.stop_listening());
    }

    pub(crate) fn clear(&self) {
        self.lock().drain().for_each(|(_, client)| client.stop_listening());
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<LegacyClient>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl LegacyClient ===

impl LegacyClient {
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
            (Some(Method::Initialized | Method::InitializedShort), Era::Legacy) => self.hear_shared(),
            (Some(Method::Initialized | Method::InitializedShort), Era::Modern) => {
                self.hears.send_replace(false);
                let (acknowledged, heard) = oneshot::channel();
                self.listen(Some(acknowledged));
                let client = Arc::clone(self);
                tokio::spawn(async move {
                    // Whatever became of it: nobody has to wait for it any longer.
                    let _ = timeout(ACKNOWLEDGED, heard).await;
                    client.hears.send_replace(true);
                });
            }
            (_, Era::Legacy) => {
                if let Ok(connection) = self.session.connection_in(self.era).await {
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
        let request = Request { message: &exchange.message, meta: Meta::Same, era: self.era, route: &route };
        let answer = forward(&self.session, request).await?;
        // A new conversation would have to be told.
        if answer.kind() == Kind::Result
            && let Some(setting) = Setting::of(&exchange.message)
        {
            self.session.note(setting).await;
        }
        Ok(answer)
    }

    /// In a session that several clients share, each hears of all changes.
    fn hear_shared(&self) {
        let shared = Some(&self.session).filter(|session| !session.is_one_client());
        let (Some(news), Some(client)) =
            (shared.and_then(|session| session.listeners.hear_all()), self.client.upgrade())
        else {
            return;
        };
        let outlet = Arc::clone(client.outlet());
        let task = tokio::spawn(async move {
            let _ = follow(news, &outlet).await;
        });
        if let Some(old) = self.listening().replace(task.abort_handle()) {
            old.abort();
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
        let request = Request { message: &exchange.message, meta, era: self.era, route: &route };
        let mut answer = forward(&self.session, request).await?;
        let limit = self.session.upstream.options.limits.max_input_rounds;
        for round in 0.. {
            input::check_kind(&answer, false)?;
            if !input::wants_input(&answer) {
                break;
            }
            if round == limit {
                let what = format!("it still wants input after {limit} rounds of questions");
                return Err(input::broken(&what));
            }
            route.ask();
            let next = rounds::next(exchange, &self.session.upstream, &self.rate, &answer).await?;
            answer = forward(&self.session, Request { message: &next, ..request }).await?;
        }
        Ok(answer::for_legacy(&exchange.message, answer))
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
        let client = Arc::downgrade(self);
        let task = tokio::spawn(async move {
            let mut pause = LISTEN_AGAIN;
            while let Some(client) = client.upgrade() {
                let began = Instant::now();
                let ended = client.follow(acknowledged.take()).await;
                let longest = client.session.upstream.options.holdings.longest_backoff;
                drop(client);
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
        let connection = self.session.connection_in(self.era).await;
        let (Some(session), Ok(connection)) = (self.client.upgrade(), connection) else {
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
            session,
            caller: Arc::clone(&self.caller),
            deadline: DeadlineControl::default(),
            progress: None,
            logs: None,
        };
        let route = Route::subscription(client, Subscription::Unmarked(notify));
        let params = Object::new().json("notifications", filter.to_json().as_json()).finish();
        let request = Message::request(&Id::from(0), Method::Listen.name(), Some(params.as_json()));
        let meta = Meta::With(&self.caller, None);
        let request = Request { message: &request, meta, era: self.era, route: &route };
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
            ended = forward(&self.session, request) => {
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
