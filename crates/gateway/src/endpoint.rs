//! The gateway as an [`Endpoint`]: takes what was permitted to the upstream, in the era of each side.
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use overt_layers::description::{Lifecycle, ServerDescription, Tools};
use overt_layers::{Admitted, Endpoint};
use overt_policy::ToolRecord;
use overt_policy::uri::ResourceScopes;
use overt_transport::client::Target;
use overt_wire::era::Era;
use overt_wire::{BoxFuture, ErrorObject, Exchange, Kind, Message, Method, Session};
use tokio::task::JoinSet;

use crate::bridge::{Modern, Seats};
use crate::lane::Lane;
use crate::lanes::Lanes;
use crate::options::Options;
use crate::upstream::Upstream;
use crate::upstream_marks::move_marks_of_tools;

/// Stands in front of one upstream. Cheap to clone.
#[derive(Clone)]
pub struct Gateway {
    inner: Arc<Inner>,
    description: ServerDescription,
}

struct Inner {
    upstream: Arc<Upstream>,
    lanes: Lanes,
    seats: Seats,
    modern: Modern,
    /// Conversations that are being ended.
    closing: Mutex<JoinSet<()>>,
}

/// What a gateway has done and holds, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// The upstream could be reached when it was last tried.
    pub up: bool,
    /// Conversations that were opened so far.
    pub connected: u64,
    /// Conversations that were lost so far.
    pub lost: u64,
    /// Messages of the upstream that could not be delivered.
    pub dropped: u64,
    /// Questions of the upstream that did not reach a client.
    pub refused_questions: u64,
    /// Conversations that are open.
    pub lanes: usize,
    /// Legacy sessions.
    pub sessions: usize,
    /// Requests that the upstream is working on.
    pub in_flight: usize,
    /// Calls that wait for a client to come back with answers.
    pub suspended: usize,
}

/// How often is looked for what nobody needs any more.
const SWEEP: Duration = Duration::from_secs(15);

// === impl Gateway ===

impl Gateway {
    /// Nothing is started or connected before the first client comes. Must be called within a runtime.
    pub fn new(target: Target, options: Options) -> Self {
        let modern = Modern::new(&options.holdings);
        let upstream = Arc::new(Upstream::new(target, options));
        let inner = Arc::new(Inner {
            upstream,
            lanes: Lanes::default(),
            seats: Seats::default(),
            modern,
            closing: Mutex::default(),
        });
        tokio::spawn(sweep(Arc::downgrade(&inner)));
        let description = describe(&inner);
        Self { inner, description }
    }

    pub fn stats(&self) -> Stats {
        let Inner { upstream, lanes, seats, modern, .. } = &*self.inner;
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            up: !upstream.is_failing(),
            connected: count(&upstream.counters.connected),
            lost: count(&upstream.counters.lost),
            dropped: count(&upstream.counters.dropped),
            refused_questions: count(&upstream.counters.refused_questions),
            lanes: upstream.open_lanes(),
            sessions: seats.len(),
            in_flight: lanes.in_flight() + seats.in_flight(),
            suspended: modern.suspended.len(),
        }
    }

    /// Ends every conversation: children are told to go and waited for.
    pub async fn close(&self) {
        self.inner.modern.suspended.clear();
        self.inner.end(self.inner.lanes.drain());
        self.inner.end(self.inner.seats.drain());
        let mut closing = std::mem::take(&mut *self.inner.closing());
        while closing.join_next().await.is_some() {}
    }
}

impl Endpoint for Gateway {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        Box::pin(async move {
            let exchange = admitted.into_exchange();
            if exchange.message.kind() == Kind::Notification {
                self.inner.notify(&exchange).await;
                return None;
            }
            let id = exchange.message.id().cloned()?;
            let is_list = exchange.message.method() == Some(Method::ToolsList);
            // `Pinned` looks at definitions before their marks move, and moves them itself.
            let is_pinned = self.inner.upstream.options.pins.is_some();
            let answer = self.inner.answer(&exchange).await.and_then(|answer| match is_list && !is_pinned {
                true => move_marks_of_tools(answer).map_err(|_| ErrorObject::internal()),
                false => Ok(answer),
            });
            Some(match answer {
                Ok(answer) => answer.readdressed(&id),
                Err(error) => Message::error(Some(&id), &error),
            })
        })
    }

    fn description(&self) -> &ServerDescription {
        &self.description
    }
}

impl Tools for Upstream {
    fn record(&self, tool: &str) -> Option<&ToolRecord> {
        self.options.declaration.as_ref()?.tools.get(tool)
    }

    fn generation(&self) -> u64 {
        // A server that was lost may come back with others.
        self.counters.lost.load(Ordering::Relaxed) + self.counters.tools_changed.load(Ordering::Relaxed)
    }
}

impl Lifecycle for Inner {
    fn session_closed(&self, session: &Arc<Session>) {
        self.end(self.lanes.leave(session));
        self.end(self.seats.leave(session));
    }

    fn shutdown(&self) {
        self.lanes.close_listeners();
    }
}

// === impl Inner ===

impl Inner {
    async fn answer(&self, exchange: &Exchange) -> Result<Message, ErrorObject> {
        if exchange.caller.era() == Era::Modern {
            return Box::pin(self.modern.answer(exchange, &self.upstream, &self.lanes)).await;
        }
        if exchange.message.method() == Some(Method::Initialize) {
            return Box::pin(self.seats.greet(exchange, &self.upstream, &self.lanes)).await;
        }
        match self.seats.of(&exchange.session) {
            Some(seat) => seat.answer(exchange).await,
            None => {
                Err(ErrorObject::invalid_request("this session is over; send `initialize` to open a new one"))
            }
        }
    }

    /// Ends conversations in the polite way, in the background.
    fn end(&self, lanes: impl IntoIterator<Item = Arc<Lane>>) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mut closing = self.closing();
        while closing.try_join_next().is_some() {}
        for lane in lanes {
            closing.spawn_on(async move { lane.close().await }, &runtime);
        }
    }

    fn closing(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.closing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn notify(&self, exchange: &Exchange) {
        if let Some(seat) = self.seats.of(&exchange.session) {
            seat.notify(exchange).await;
        }
    }
}

/// The upstream as the layers see it.
fn describe(inner: &Arc<Inner>) -> ServerDescription {
    let (upstream, options) = (&inner.upstream, &inner.upstream.options);
    ServerDescription {
        identity: options.identity.clone(),
        project: options.project.clone(),
        info: upstream.info(),
        rate_limit: options.declaration.as_ref().and_then(|declaration| declaration.server.rate_limit),
        resource_scopes: Arc::new(options.declaration.as_deref().map(ResourceScopes::of).unwrap_or_default()),
        tools: Arc::<Upstream>::clone(upstream),
        lifecycle: Arc::<Inner>::clone(inner),
        task_events: Arc::clone(&upstream.task_events),
        ..ServerDescription::new(upstream.scope())
    }
}

async fn sweep(inner: Weak<Inner>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let Some(inner) = inner.upgrade() else { return };
        inner.modern.suspended.sweep(Instant::now());
        inner.end(inner.lanes.sweep(&inner.upstream));
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("upstream", &self.inner.upstream.label()).finish_non_exhaustive()
    }
}
