//! A legacy client, with an upstream of either era.
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_wire::era::{Caller, Era, LogLevel, Version};
use overt_wire::{ErrorObject, Exchange, Kind, Message, Method, Session};

use crate::failure;
use crate::forward::{Request, forward};
use crate::legacy_notifications::LegacyNotifications;
use crate::legacy_questions;
use crate::pool::SessionPool;
use crate::question::Rate;
use crate::route::{Recipient, Route};
use crate::session::{Setting, UpstreamSession};
use crate::translate::reply::{done, id_of};
use crate::translate::request::{Meta, notification};
use crate::translate::subscription::MOST_URIS;
use crate::translate::{answer, handshake, input};
use crate::upstream::Upstream;

/// The state of one legacy client.
pub(crate) struct LegacyClient {
    session: Arc<UpstreamSession>,
    /// The era that the upstream speaks.
    era: Era,
    /// The client as it is described to a modern upstream.
    caller: Arc<Caller>,
    rate: Rate,
    notifications: Arc<LegacyNotifications>,
    /// Resources that the client watches in a session that it shares with other clients.
    watched: Mutex<BTreeSet<String>>,
}

/// All legacy clients, by session.
#[derive(Default)]
pub(crate) struct LegacyClients {
    clients: Mutex<HashMap<String, Arc<LegacyClient>>>,
}

// === impl LegacyClients ===

impl LegacyClients {
    /// Adds a client that initializes, and returns its answer.
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
            Era::Legacy => handshake::initialize_as_it_is(server, caller.version),
            Era::Modern => handshake::initialize(server, caller.version, upstream.label()),
        };
        let caller = Arc::new(Caller { version: Version::NEWEST, ..(**caller).clone() });
        let client = LegacyClient {
            notifications: LegacyNotifications::new(&exchange.session, &session, Arc::clone(&caller)),
            era: connection.era(),
            session,
            caller,
            rate: Rate::new(upstream.options.gateway_limits.max_questions_per_minute),
            watched: Mutex::default(),
        };
        self.lock().insert(exchange.session.id().to_owned(), Arc::new(client));
        Ok(Message::result(&id_of(exchange), result.as_json()))
    }

    pub(crate) fn get(&self, session: &Session) -> Option<Arc<LegacyClient>> {
        self.lock().get(session.id()).cloned()
    }

    /// Removes a client that has gone.
    pub(crate) fn remove(&self, session: &Session) {
        let client = self.lock().remove(session.id());
        client.iter().for_each(|client| client.leave());
    }

    pub(crate) fn clear(&self) {
        self.lock().drain().for_each(|(_, client)| client.leave());
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

    /// Handles a notification of the client.
    pub(crate) async fn notify(self: &Arc<Self>, exchange: &Exchange) {
        match (exchange.message.method(), self.era) {
            // The upstream received its own `initialized` when the conversation was opened.
            (Some(Method::Initialized | Method::InitializedShort), Era::Legacy) => {
                self.notifications.begin_in_shared_session();
            }
            (Some(Method::Initialized | Method::InitializedShort), Era::Modern) => self.notifications.begin(),
            (_, Era::Legacy) => {
                if let Ok(connection) = self.session.connection_in(self.era).await {
                    let message = notification(&exchange.message);
                    let method = message.method().map_or("", Method::name).to_owned();
                    let sent = connection.client.notify(&method, message.params().value()).await;
                    tracing::debug!(ok = sent.is_ok(), "passed a notification on");
                }
            }
            // A modern upstream accepts no notifications: it asks for roots when it needs them.
            (_, Era::Modern) => {}
        }
    }

    async fn same_era(&self, exchange: &Exchange) -> Result<Message, ErrorObject> {
        if self.session.is_for_everyone()
            && let Some(setting) = Setting::of(&exchange.message)
        {
            self.set_for_one(exchange, setting).await;
            return Ok(done(exchange));
        }
        let route = Route::call(Recipient::of(exchange), true);
        let request = Request { message: &exchange.message, meta: Meta::Same, era: self.era, route: &route };
        let answer = forward(&self.session, request).await?;
        // Remember the setting, so that a new conversation gets it too.
        if answer.kind() == Kind::Result
            && let Some(setting) = Setting::of(&exchange.message)
        {
            self.session.note(setting).await;
        }
        Ok(answer)
    }

    /// Applies a setting of one of several clients, without undoing those of the others.
    async fn set_for_one(&self, exchange: &Exchange, setting: Setting) {
        let is_new = {
            let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
            match &setting {
                Setting::Level(level) => {
                    exchange.session.set_log_level(*level);
                    true
                }
                Setting::Watch(uri) => watched.len() < MOST_URIS && watched.insert(uri.clone()),
                Setting::Unwatch(uri) => watched.remove(uri),
            }
        };
        if is_new {
            self.session.apply_setting(setting).await;
        }
    }

    /// Ends what the session does for a client that has gone.
    fn leave(&self) {
        self.notifications.end();
        let watched = std::mem::take(&mut *self.watched.lock().unwrap_or_else(PoisonError::into_inner));
        for uri in watched {
            self.session.apply_setting_later(Setting::Unwatch(uri));
        }
    }

    async fn newer_upstream(self: &Arc<Self>, exchange: &Exchange) -> Result<Message, ErrorObject> {
        self.notifications.begun().await;
        match exchange.message.method() {
            Some(Method::SetLevel) => {
                let level = LogLevel::read(exchange.message.param("level"))?;
                exchange.session.set_log_level(level);
                Ok(done(exchange))
            }
            Some(method @ (Method::ResourcesSubscribe | Method::ResourcesUnsubscribe)) => {
                let uri = exchange.message.param("uri").string();
                let uri = uri.ok_or_else(|| ErrorObject::invalid_params("`uri` must be a string"))?;
                self.notifications.watch(&uri, method == Method::ResourcesSubscribe).await?;
                Ok(done(exchange))
            }
            _ => self.in_rounds(exchange).await,
        }
    }

    /// Sends the request, and sends it again with answers as long as the upstream asks questions,
    /// at most `max_input_rounds` times.
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
            let next =
                legacy_questions::next_request(exchange, &self.session.upstream, &self.rate, &answer).await?;
            let next = Request { message: &next, ..request };
            answer = forward(&self.session, next).await.map_err(failure::under_way)?;
        }
        Ok(answer::for_legacy(&exchange.message, answer))
    }
}
