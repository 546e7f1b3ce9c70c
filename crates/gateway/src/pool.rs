//! Finds the session for a request. A session is started once for each key; requests with equal
//! keys share it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_transport::client::Protocol;
use overt_wire::era::{Caller, Era, Version};
use overt_wire::{ErrorObject, Exchange, Principal, Session};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::failure;
use crate::session::{self, Audience, UpstreamSession};
use crate::session_key::{SessionClients, SessionKey, introduction};
use crate::upstream::Upstream;

/// The sessions with one upstream.
pub(crate) struct SessionPool {
    upstream: Arc<Upstream>,
    sessions: Mutex<HashMap<SessionKey, Arc<UpstreamSession>>>,
    /// Locked while the first conversation finds out whether the upstream speaks the modern era.
    /// Other requests wait for it.
    first: tokio::sync::Mutex<()>,
    /// Sessions that are being ended.
    closing: Mutex<JoinSet<()>>,
}

/// A client of 2026-07-28 that needs a session.
struct ModernClient {
    caller: Arc<Caller>,
    session: Arc<Session>,
    /// The handle that gives the client a session of its own.
    handle: Option<String>,
}

impl SessionPool {
    pub(crate) fn new(upstream: Arc<Upstream>) -> Self {
        Self {
            upstream,
            sessions: Mutex::default(),
            first: tokio::sync::Mutex::default(),
            closing: Mutex::default(),
        }
    }

    /// Returns the session for a legacy client that initializes.
    pub(crate) async fn for_legacy(
        &self,
        caller: &Arc<Caller>,
        client: &Arc<Session>,
    ) -> Result<Arc<UpstreamSession>, ErrorObject> {
        if self.upstream.speaks(Era::Legacy) != Some(false) {
            let key = match self.is_shared() {
                true => SessionKey::single(),
                false => SessionKey::of_session(client),
            };
            let session = self.start(key.clone(), caller, Protocol::Legacy, Audience::Client(client))?;
            match session.connection().await {
                Ok(_) => return Ok(session),
                Err(error) => self.end_failed(&key, &session, error)?,
            }
        }
        self.modern_session(client.principal(), caller)
    }

    /// Returns the session that all clients of a principal share with a modern upstream.
    fn modern_session(
        &self,
        principal: &Principal,
        caller: &Arc<Caller>,
    ) -> Result<Arc<UpstreamSession>, ErrorObject> {
        let key = match self.is_shared() {
            true => SessionKey::single(),
            false => SessionKey::shared(principal),
        };
        self.start(key, caller, Protocol::Only(Version::NEWEST), Audience::Everyone)
    }

    /// Returns the session for a request of a modern client. `handle` gives the client a session of
    /// its own.
    pub(crate) async fn for_modern(
        self: &Arc<Self>,
        exchange: &Exchange,
        handle: Option<String>,
    ) -> Result<Arc<UpstreamSession>, ErrorObject> {
        let client = ModernClient {
            caller: Arc::clone(&exchange.caller),
            session: Arc::clone(&exchange.session),
            handle,
        };
        match self.upstream.speaks(Era::Modern) {
            None => Box::pin(self.first_of_modern(client)).await,
            Some(is_modern) => self.in_era(&client, is_modern),
        }
    }

    fn in_era(&self, client: &ModernClient, is_modern: bool) -> Result<Arc<UpstreamSession>, ErrorObject> {
        match is_modern {
            true => self.modern_session(client.session.principal(), &client.caller),
            false => self.for_modern_at_legacy(client, Protocol::Legacy),
        }
    }

    /// Finds out which era the upstream speaks. Only one request does so; others wait for it. If
    /// the client cancels this request, the server that was started for it keeps running, because
    /// the next request needs it.
    async fn first_of_modern(
        self: &Arc<Self>,
        client: ModernClient,
    ) -> Result<Arc<UpstreamSession>, ErrorObject> {
        let (found, waiting) = oneshot::channel();
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            let _first = pool.first.lock().await;
            if !found.is_closed() {
                // Sending fails if the client gave up, which does no harm.
                let _ = found.send(pool.find_era(&client).await);
            }
        });
        waiting.await.unwrap_or_else(|_| Err(session::closed(&self.upstream)))
    }

    async fn find_era(&self, client: &ModernClient) -> Result<Arc<UpstreamSession>, ErrorObject> {
        if let Some(is_modern) = self.upstream.speaks(Era::Modern) {
            return self.in_era(client, is_modern);
        }
        let session = self.for_modern_at_legacy(client, Protocol::Auto)?;
        let key = self.key_at_legacy(client);
        match session.connection().await {
            Ok(connection) if connection.era() == Era::Legacy => Ok(session),
            Ok(_) => Ok(self.share(&key, session)),
            Err(error) => {
                // Forget the session, so that the next request starts a new one. The session that
                // the operator shares is reopened instead.
                if !key.is_shared() {
                    self.forget(&key, &session);
                }
                Err(error)
            }
        }
    }

    /// Makes this the session of all clients of its principal, unless its own client has gone and
    /// it is being ended.
    fn share(&self, key: &SessionKey, session: Arc<UpstreamSession>) -> Arc<UpstreamSession> {
        let mut sessions = self.lock();
        if !sessions.get(key).is_some_and(|current| Arc::ptr_eq(current, &session)) {
            return session;
        }
        sessions.remove(key);
        session.share();
        let shared = SessionKey { clients: SessionClients::All, ..key.clone() };
        Arc::clone(sessions.entry(shared).or_insert(session))
    }

    fn for_modern_at_legacy(
        &self,
        client: &ModernClient,
        protocol: Protocol,
    ) -> Result<Arc<UpstreamSession>, ErrorObject> {
        let key = self.key_at_legacy(client);
        // A client on a pipe is known as long as the pipe is open; other clients come and go.
        let audience = match key.clients {
            SessionClients::Session(_) | SessionClients::Configured { .. } => {
                Audience::Client(&client.session)
            }
            SessionClients::Handle(_) | SessionClients::Profile { .. } => Audience::Alike,
            SessionClients::All => Audience::Everyone,
        };
        self.start(key, &client.caller, protocol, audience)
    }

    fn key_at_legacy(&self, client: &ModernClient) -> SessionKey {
        if self.is_shared() {
            return SessionKey::single();
        }
        let clients = match &client.handle {
            Some(handle) => SessionClients::Handle(handle.clone()),
            None if client.session.is_one_client() => SessionClients::of_one(&client.session, &client.caller),
            None => SessionClients::of_profile(&client.caller),
        };
        SessionKey::new(client.session.principal(), clients)
    }

    /// Returns the session of a key, and starts it if necessary.
    fn start(
        &self,
        key: SessionKey,
        caller: &Arc<Caller>,
        protocol: Protocol,
        audience: Audience<'_>,
    ) -> Result<Arc<UpstreamSession>, ErrorObject> {
        let mut sessions = self.lock();
        if let Some(session) = sessions.get(&key) {
            session.touch();
            return Ok(Arc::clone(session));
        }
        let place = self.upstream.place().or_else(|| {
            let idle = oldest_idle(&mut sessions)?;
            let place = idle.give_place();
            self.end([idle]);
            place
        });
        let Some(place) = place else {
            let most = self.upstream.options.gateway_limits.max_sessions;
            let what = format!("{most} sessions with it are in use already; try again later");
            return Err(failure::full(self.upstream.label(), &what));
        };
        let audience = if key.is_shared() { Audience::Everyone } else { audience };
        let session = UpstreamSession::start(&self.upstream, introduction(caller), protocol, audience, place);
        sessions.insert(key, Arc::clone(&session));
        Ok(session)
    }

    /// Handles a legacy conversation that could not be opened. Fails unless the upstream rejected
    /// the era: then it may speak the other era.
    fn end_failed(
        &self,
        key: &SessionKey,
        session: &Arc<UpstreamSession>,
        error: ErrorObject,
    ) -> Result<(), ErrorObject> {
        let is_other_era = self.upstream.speaks(Era::Legacy) == Some(false);
        // Keep a shared session: other clients may use it already, and it is reopened.
        if is_other_era || !key.is_shared() {
            self.forget(key, session);
        }
        if is_other_era { Ok(()) } else { Err(error) }
    }

    /// Removes a session, unless another session has its key by now.
    fn forget(&self, key: &SessionKey, session: &Arc<UpstreamSession>) {
        let mut sessions = self.lock();
        if sessions.get(key).is_some_and(|current| Arc::ptr_eq(current, session)) {
            sessions.remove(key);
        }
    }

    /// Returns the single session that the operator wants, if it was started.
    pub(crate) fn single(&self) -> Option<Arc<UpstreamSession>> {
        self.lock().get(&SessionKey::single()).cloned()
    }

    /// Ends the sessions of a client that has gone.
    pub(crate) fn client_gone(&self, client: &Session) {
        let gone: Vec<_> = self.lock().extract_if(|key, _| key.is_of(client)).collect();
        self.end(gone.into_iter().map(|(_, session)| session));
    }

    /// Ends idle sessions. A connected client with its own session keeps its server, however long
    /// it is idle.
    pub(crate) fn sweep(&self) {
        let longest = self.upstream.options.gateway_limits.session_idle;
        let idle = |key: &SessionKey, session: &Arc<UpstreamSession>| {
            key.clients.can_be_idle() && session.idle_for().is_some_and(|idle| idle > longest)
        };
        let gone: Vec<_> = self.lock().extract_if(|key, session| idle(key, session)).collect();
        self.end(gone.into_iter().map(|(_, session)| session));
    }

    /// Ends the subscriptions that the gateway itself serves.
    pub(crate) fn close_listeners(&self) {
        self.lock().values().for_each(|session| session.listeners.close());
    }

    /// Ends all sessions and waits for them.
    pub(crate) async fn close(&self) {
        let all: Vec<_> = self.lock().drain().collect();
        self.end(all.into_iter().map(|(_, session)| session));
        let mut closing = std::mem::take(&mut *self.closing());
        while closing.join_next().await.is_some() {}
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.lock().values().map(|session| session.in_flight()).sum()
    }

    /// Returns a session with an open conversation, if there is one.
    pub(crate) fn any_live(&self) -> Option<Arc<UpstreamSession>> {
        self.lock().values().find(|session| session.live().is_some()).cloned()
    }

    /// Ends sessions gracefully in the background.
    fn end(&self, sessions: impl IntoIterator<Item = Arc<UpstreamSession>>) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mut closing = self.closing();
        while closing.try_join_next().is_some() {}
        for session in sessions {
            closing.spawn_on(async move { session.close().await }, &runtime);
        }
    }

    fn is_shared(&self) -> bool {
        self.upstream.options.shared
    }

    fn closing(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.closing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Arc<UpstreamSession>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the session that was idle for the longest time, to make room for another one.
fn oldest_idle(sessions: &mut HashMap<SessionKey, Arc<UpstreamSession>>) -> Option<Arc<UpstreamSession>> {
    let idle = sessions.iter().filter(|(key, _)| key.clients.can_be_idle());
    let idle = idle.filter_map(|(key, session)| Some((session.idle_for()?, key)));
    let oldest = idle.filter(|(idle, _)| *idle > SHORTEST_IDLE).max_by_key(|(idle, _)| *idle);
    let key = oldest.map(|(_, key)| key.clone())?;
    sessions.remove(&key)
}

/// A session that was used more recently is not removed: a call may be on its way to it.
const SHORTEST_IDLE: Duration = Duration::from_secs(1);
