//! The server behind the gateway: how to reach it, which eras it speaks, and whether it is failing.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_layers::ToolCatalogue;
use overt_layers::audit::{Entry, Kind};
use overt_layers::description::TaskEvents;
use overt_transport::client::{Client, ClientError, ClientOptions, Listener, Protocol, Target};
use overt_wire::ErrorObject;
use overt_wire::era::{Caller, Era, Version};
use overt_wire::error::code;
use overt_wire::json::{JsonBuf, Object};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::failure;
use crate::health::Health;
use crate::options::Options;

/// The one upstream of a gateway.
pub(crate) struct Upstream {
    target: Target,
    pub(crate) options: Options,
    eras: Mutex<SpokenEras>,
    health: Mutex<Health>,
    /// Whether the last attempt failed or the last conversation was lost. Avoids locking `health`
    /// while the upstream is healthy.
    failing: AtomicBool,
    /// The places for sessions.
    places: Arc<Semaphore>,
    pub(crate) counters: Counters,
    /// The tools, as they were listed last.
    pub(crate) catalogue: Arc<ToolCatalogue>,
    /// Decides whether a notification about a task may be delivered to a session.
    pub(crate) task_events: Arc<TaskEvents>,
    /// The name in the upstream's `serverInfo`. `None` until a conversation was opened.
    own_name: Mutex<Option<String>>,
}

/// Which eras the upstream speaks, `None` if unknown. Many servers speak both.
#[derive(Debug, Clone, Copy)]
struct SpokenEras {
    legacy: Option<bool>,
    modern: Option<bool>,
}

/// Counters of events since the start.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Conversations that were opened.
    pub(crate) connected: AtomicU64,
    /// Conversations that ended unexpectedly.
    pub(crate) lost: AtomicU64,
    /// Messages that were dropped because they could not be delivered.
    pub(crate) dropped: AtomicU64,
    /// Questions that did not reach a client.
    pub(crate) refused_questions: AtomicU64,
    /// Notifications that the tools have changed.
    pub(crate) tools_changed: AtomicU64,
}

/// The most characters of the upstream's own name that are kept.
const LONGEST_NAME: usize = 200;
/// The longest pause that a call waits for. During a longer one, calls are rejected.
const MAX_CALL_PAUSE: Duration = Duration::from_secs(2);

impl Upstream {
    pub(crate) fn new(target: Target, options: Options) -> Self {
        let eras = Mutex::new(SpokenEras::before(options.protocol));
        let health = Mutex::new(Health::new(options.gateway_limits.longest_backoff));
        let places = Arc::new(Semaphore::new(options.gateway_limits.max_sessions));
        Self {
            target,
            options,
            eras,
            health,
            failing: AtomicBool::new(false),
            places,
            counters: Counters::default(),
            catalogue: Arc::default(),
            task_events: Arc::default(),
            own_name: Mutex::default(),
        }
    }

    /// Returns the name that the upstream reports, once it was reached (H-37).
    pub(crate) fn own_name(&self) -> Option<String> {
        self.own_name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn learn_name(&self, info: Option<&JsonBuf>) {
        let name = info.and_then(|info| info.as_json().get("name").string());
        let name = name.map(|name| name.chars().take(LONGEST_NAME).collect());
        *self.own_name.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }

    /// Whether the upstream speaks an era. `None` if that is not known yet.
    pub(crate) fn speaks(&self, era: Era) -> Option<bool> {
        let eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        match era {
            Era::Legacy => eras.legacy,
            Era::Modern => eras.modern,
        }
    }

    pub(crate) fn is_command(&self) -> bool {
        matches!(self.target, Target::Command(_) | Target::Streams(_))
    }

    /// Returns its name for errors and logs. This is never its command line, which may have secrets
    /// (G-59).
    pub(crate) fn label(&self) -> &str {
        self.scope()
    }

    /// Returns its name in scopes.
    pub(crate) fn scope(&self) -> &str {
        &self.options.name
    }

    /// Returns its `serverInfo` for answers that Overt gives in its place.
    pub(crate) fn info(&self) -> JsonBuf {
        let unknown = || Object::new().string("name", self.scope()).string("version", "").finish();
        self.options.info.clone().unwrap_or_else(unknown)
    }

    /// Reserves a place for a session, if one is free.
    pub(crate) fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    pub(crate) fn open_sessions(&self) -> usize {
        self.options.gateway_limits.max_sessions - self.places.available_permits()
    }

    /// Returns how long to wait before the upstream is tried again.
    pub(crate) fn pause(&self) -> Duration {
        self.health().pause(Instant::now())
    }

    /// Whether a conversation was ever opened.
    pub(crate) fn was_reached(&self) -> bool {
        self.counters.connected.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    /// Opens a conversation, but not sooner than the upstream's health allows. `protocol` applies
    /// unless the user has set one.
    pub(crate) async fn connect(
        &self,
        caller: &Caller,
        protocol: Protocol,
        listener: Arc<dyn Listener>,
    ) -> Result<Client, ErrorObject> {
        let pause = self.pause();
        if pause > MAX_CALL_PAUSE {
            return Err(failure::paused(self.label(), pause));
        }
        tokio::time::sleep(pause).await;
        let protocol = match self.options.protocol {
            Protocol::Auto => protocol,
            given => given,
        };
        let options = ClientOptions {
            capabilities: caller.capabilities.clone(),
            limits: self.options.limits.clone(),
            protocol,
            legacy_version: match caller.era() {
                Era::Legacy => caller.version,
                Era::Modern => Version::NEWEST_LEGACY,
            },
            info: caller.info.clone(),
            ..ClientOptions::new("overt", env!("CARGO_PKG_VERSION"))
        };
        match Client::connect(&self.target, options, listener).await {
            Ok(client) => {
                self.counters.connected.fetch_add(1, Ordering::Relaxed);
                self.learn(protocol, Some(client.server().version.era()));
                self.learn_name(client.server().info.as_ref());
                tracing::info!(upstream = self.label(), version = %client.server().version, "connected");
                Ok(client)
            }
            Err(error) if is_about_the_era(&error) => {
                self.learn(protocol, None);
                tracing::info!(
                    upstream = self.label(),
                    error = failure::for_log(&error),
                    ?protocol,
                    "the upstream refused to talk like that"
                );
                Err(failure::of_connect(&error, self.label()))
            }
            Err(error) => {
                self.failed(&error);
                Err(failure::of_connect(&error, self.label()))
            }
        }
    }

    /// Records what an attempt showed about the eras. A server that rejects everything may have
    /// been replaced by another one, so nothing is known any more.
    fn learn(&self, asked: Protocol, agreed: Option<Era>) {
        let mut eras = self.eras.lock().unwrap_or_else(PoisonError::into_inner);
        match (asked, agreed) {
            (_, Some(Era::Modern)) => eras.modern = Some(true),
            (Protocol::Auto, Some(Era::Legacy)) => (eras.legacy, eras.modern) = (Some(true), Some(false)),
            (_, Some(Era::Legacy)) => eras.legacy = Some(true),
            (Protocol::Legacy, None) if eras.modern != Some(false) => eras.legacy = Some(false),
            (_, None) => *eras = SpokenEras::before(self.options.protocol),
        }
    }

    /// Records a failed attempt to reach the upstream.
    pub(crate) fn failed(&self, error: &ClientError) {
        let now = Instant::now();
        let mut health = self.health();
        match error {
            ClientError::Status { retry_after: Some(pause), .. } => health.asked_for(now, *pause),
            _ => health.failed(now),
        }
        self.failing.store(true, Ordering::Relaxed);
        drop(health);
        tracing::warn!(
            upstream = self.label(),
            error = failure::for_log(error),
            "the upstream can't be reached"
        );
    }

    /// Records that a conversation ended unexpectedly.
    pub(crate) fn lost(&self, lived: Duration, reason: &str) {
        self.counters.lost.fetch_add(1, Ordering::Relaxed);
        self.health().lost(Instant::now(), lived);
        self.failing.store(true, Ordering::Relaxed);
        tracing::warn!(
            upstream = self.label(),
            reason,
            ?lived,
            "the conversation with the upstream was lost"
        );
        self.note(Kind::UpstreamLost, format!("{reason} (connected for {})", in_words(lived)));
    }

    /// Records that a conversation replaced one that had ended.
    pub(crate) fn restarted(&self) {
        let what = if self.is_command() { "it was started again" } else { "it was connected to again" };
        self.note(Kind::UpstreamRestart, what.to_owned());
    }

    fn note(&self, kind: Kind, reason: String) {
        let Options { ledger, identity, project, .. } = &self.options;
        if ledger.is_on() {
            ledger
                .note(Entry { reason: Some(reason), ..Entry::of_server(kind, identity, project.as_deref()) });
        }
    }

    /// Records that the upstream asked for a pause.
    pub(crate) fn asked_for(&self, pause: Duration) {
        self.health().asked_for(Instant::now(), pause);
    }

    /// Records that the upstream answered a request.
    pub(crate) fn answered(&self) {
        if self.failing.swap(false, Ordering::Relaxed) {
            self.health().answered();
        }
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a duration in a unit that keeps it short.
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ 1..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3_600),
    }
}

/// Whether an upstream rejected the form of the handshake, and not the client itself.
fn is_about_the_era(error: &ClientError) -> bool {
    match error {
        ClientError::Refused(error) => matches!(
            error.code,
            code::METHOD_NOT_FOUND
                | code::UNSUPPORTED_VERSION
                | code::HEADER_MISMATCH
                | code::INVALID_REQUEST
        ),
        ClientError::Version { .. } | ClientError::Status { status: 400 | 405 | 406, .. } => true,
        _ => false,
    }
}

// === impl SpokenEras ===

impl SpokenEras {
    /// Returns what is known before any attempt: the protocol that the user has set is taken as
    /// true.
    fn before(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Auto => Self { legacy: None, modern: None },
            Protocol::Legacy => Self { legacy: Some(true), modern: Some(false) },
            Protocol::Only(version) => {
                let modern = version.era() == Era::Modern;
                Self { legacy: Some(!modern), modern: Some(modern) }
            }
        }
    }
}
