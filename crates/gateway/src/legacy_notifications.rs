//! Notifications of changes for a legacy client. A modern upstream sends them only to a
//! subscription; in a session that several clients share, each client needs a copy.
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use overt_wire::era::{Caller, Era};
use overt_wire::error::code;
use overt_wire::json::Object;
use overt_wire::{DeadlineControl, ErrorObject, Id, Message, Method, Session};
use tokio::sync::{oneshot, watch};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use crate::forward::{Request, forward};
use crate::listeners::follow;
use crate::route::{Recipient, Route, Subscription};
use crate::session::UpstreamSession;
use crate::translate::request::Meta;
use crate::translate::subscription::{Filter, MOST_URIS};

/// Passes the notifications of changes on to one legacy client.
pub(crate) struct LegacyNotifications {
    client: Weak<Session>,
    session: Arc<UpstreamSession>,
    /// The client as it is described to a modern upstream.
    caller: Arc<Caller>,
    /// Resources that the client watches at a modern upstream.
    watched: Mutex<BTreeSet<String>>,
    /// The task that passes the notifications on.
    listening: Mutex<Option<AbortHandle>>,
    /// Whether the client has gone. No task is started after that.
    has_ended: AtomicBool,
    /// Whether the first subscription was acknowledged, or has failed.
    hears: watch::Sender<bool>,
}

/// How long an upstream may take to acknowledge a subscription.
const ACKNOWLEDGED: Duration = Duration::from_secs(5);
/// The shortest pause before a subscription that ended is reopened. It doubles each time, up to
/// `longest_backoff`.
const LISTEN_AGAIN: Duration = Duration::from_millis(500);

impl LegacyNotifications {
    pub(crate) fn new(
        client: &Arc<Session>,
        session: &Arc<UpstreamSession>,
        caller: Arc<Caller>,
    ) -> Arc<Self> {
        Arc::new(Self {
            client: Arc::downgrade(client),
            session: Arc::clone(session),
            caller,
            watched: Mutex::default(),
            listening: Mutex::default(),
            has_ended: AtomicBool::new(false),
            hears: watch::Sender::new(true),
        })
    }

    /// Starts to listen to a modern upstream.
    pub(crate) fn begin(self: &Arc<Self>) {
        self.hears.send_replace(false);
        let (acknowledged, heard) = oneshot::channel();
        self.listen(Some(acknowledged));
        let this = Arc::clone(self);
        tokio::spawn(async move {
            // Whether or not it was acknowledged, requests no longer wait for it.
            let _ = timeout(ACKNOWLEDGED, heard).await;
            this.hears.send_replace(true);
        });
    }

    /// Waits until the first subscription is open, so that no change caused by the first request is
    /// missed.
    pub(crate) async fn begun(&self) {
        let _ = self.hears.subscribe().wait_for(|hears| *hears).await;
    }

    /// Starts to listen in a session that several clients share. Each of them hears all changes.
    pub(crate) fn begin_in_shared_session(&self) {
        let shared = Some(&self.session).filter(|session| !session.is_one_client());
        let (Some(notifications), Some(client)) =
            (shared.and_then(|session| session.listeners.hear_all()), self.client.upgrade())
        else {
            return;
        };
        let sink = Arc::clone(client.sink());
        let task = tokio::spawn(async move {
            let _ = follow(notifications, &sink).await;
        });
        let mut listening = self.listening();
        let old = listening.replace(task.abort_handle());
        ReplacedTask(old).end();
        self.end_late(&mut listening);
    }

    /// Ends a task that was started while the client was leaving.
    fn end_late(&self, listening: &mut Option<AbortHandle>) {
        if self.has_ended.load(Ordering::Acquire) {
            ReplacedTask(listening.take()).end();
        }
    }

    pub(crate) fn end(&self) {
        let mut listening = self.listening();
        self.has_ended.store(true, Ordering::Release);
        ReplacedTask(listening.take()).end();
    }

    /// Changes which resources are watched, and waits until the upstream has acknowledged it.
    pub(crate) async fn watch(self: &Arc<Self>, uri: &str, wanted: bool) -> Result<(), ErrorObject> {
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

    /// Opens a new subscription to everything that the client should hear.
    fn listen(self: &Arc<Self>, mut acknowledged: Option<oneshot::Sender<()>>) {
        let mut listening = self.listening();
        // The old subscription continues until the new one is acknowledged, so that no change is
        // missed in between.
        let mut old = ReplacedTask(listening.take());
        let this = Arc::downgrade(self);
        let task = tokio::spawn(async move {
            let mut pause = LISTEN_AGAIN;
            while let Some(this) = this.upgrade() {
                let began = Instant::now();
                let ended = this.follow(&mut acknowledged, &mut old).await;
                let longest = this.session.upstream.options.gateway_limits.longest_backoff;
                drop(this);
                if ended == SubscriptionEnd::NothingToHear {
                    return;
                }
                // If the subscription lasted, reopen it after the short pause. If it is refused
                // again and again, wait ever longer.
                pause = if began.elapsed() > longest { LISTEN_AGAIN } else { (pause * 2).min(longest) };
                tokio::time::sleep(pause).await;
            }
        });
        *listening = Some(task.abort_handle());
        self.end_late(&mut listening);
    }

    async fn follow(
        &self,
        acknowledged: &mut Option<oneshot::Sender<()>>,
        old: &mut ReplacedTask,
    ) -> SubscriptionEnd {
        let connection = self.session.connection_in(Era::Modern).await;
        let (Some(session), Ok(connection)) = (self.client.upgrade(), connection) else {
            return SubscriptionEnd::Lost;
        };
        let uris = self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let filter = Filter::all(connection.client.server().capabilities.as_json(), uris);
        if filter.is_empty() {
            return SubscriptionEnd::NothingToHear;
        }
        let notify = tokio::sync::Notify::new();
        let client = Recipient {
            sink: Arc::clone(session.sink()),
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
        let request = Request { message: &request, meta, era: Era::Modern, route: &route };
        let heard = async {
            if let Subscription::Unmarked(notify) = &route.subscription {
                notify.notified().await;
            }
            old.end();
            if let Some(acknowledged) = acknowledged.take() {
                let _ = acknowledged.send(());
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            ended = forward(&self.session, request) => {
                tracing::debug!(ok = ended.is_ok(), "a subscription ended");
                let code = ended.ok().and_then(|answer| answer.error_code());
                if code == Some(code::METHOD_NOT_FOUND) {
                    return SubscriptionEnd::NothingToHear;
                }
            }
            () = heard => {}
        }
        SubscriptionEnd::Lost
    }

    fn listening(&self) -> MutexGuard<'_, Option<AbortHandle>> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task that is ended when its replacement is ready.
struct ReplacedTask(Option<AbortHandle>);

impl ReplacedTask {
    fn end(&mut self) {
        if let Some(task) = self.0.take() {
            task.abort();
        }
    }
}

impl Drop for ReplacedTask {
    fn drop(&mut self) {
        self.end();
    }
}

/// Why a subscription is over.
#[derive(Debug, PartialEq, Eq)]
enum SubscriptionEnd {
    Lost,
    NothingToHear,
}
