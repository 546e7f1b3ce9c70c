//! The gateway as an [`Endpoint`]: forwards permitted messages to the upstream, in the era of each
//! side.
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use overt_layers::description::{Lifecycle, ServerDescription, Tools};
use overt_layers::{Admitted, Endpoint, ToolCatalogue};
use overt_policy::ToolRecord;
use overt_policy::uri::ResourceScopes;
use overt_transport::client::Target;
use overt_wire::era::Era;
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, ErrorObject, Exchange, Kind, Message, Method, Session};
use tokio::time::Instant;

use crate::legacy_client::LegacyClients;
use crate::modern_client::ModernClients;
use crate::options::Options;
use crate::pool::SessionPool;
use crate::readiness;
use crate::upstream::Upstream;

/// The endpoint for one upstream. Cheap to clone.
#[derive(Clone)]
pub struct Gateway {
    inner: Arc<Inner>,
    description: ServerDescription,
}

struct Inner {
    upstream: Arc<Upstream>,
    pool: Arc<SessionPool>,
    legacy: LegacyClients,
    modern: ModernClients,
}

/// Counters and current numbers of a gateway.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Whether the upstream could be reached when it was last tried.
    pub up: bool,
    /// The number of conversations that were opened so far.
    pub connected: u64,
    /// The number of conversations that were lost so far.
    pub lost: u64,
    /// The number of messages of the upstream that could not be delivered.
    pub dropped: u64,
    /// The number of questions of the upstream that did not reach a client.
    pub refused_questions: u64,
    /// The number of sessions with the upstream.
    pub upstream_sessions: usize,
    /// The number of legacy clients.
    pub sessions: usize,
    /// The number of requests that the upstream is working on.
    pub in_flight: usize,
    /// The number of calls that wait for a client to come back with answers.
    pub suspended: usize,
}

/// Interval of the idle sweep.
const SWEEP: Duration = Duration::from_secs(15);

// === impl Gateway ===

impl Gateway {
    /// Makes a gateway. Nothing is started or connected before the first client comes, unless the
    /// options ask for probes. Must be called within a runtime.
    pub fn new(target: Target, options: Options) -> Self {
        let modern = ModernClients::new(&options.gateway_limits);
        let upstream = Arc::new(Upstream::new(target, options));
        let pool = Arc::new(SessionPool::new(Arc::clone(&upstream)));
        let inner = Arc::new(Inner { upstream, pool, legacy: LegacyClients::default(), modern });
        tokio::spawn(sweep(Arc::downgrade(&inner)));
        if inner.upstream.options.probed {
            tokio::spawn(readiness::probe(Arc::downgrade(&inner.pool), Arc::downgrade(&inner.upstream)));
        }
        let description = describe(&inner);
        Self { inner, description }
    }

    pub fn stats(&self) -> Stats {
        let Inner { upstream, pool, legacy, modern } = &*self.inner;
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            up: !upstream.is_failing(),
            connected: count(&upstream.counters.connected),
            lost: count(&upstream.counters.lost),
            dropped: count(&upstream.counters.dropped),
            refused_questions: count(&upstream.counters.refused_questions),
            upstream_sessions: upstream.open_sessions(),
            sessions: legacy.len(),
            in_flight: pool.in_flight(),
            suspended: modern.suspended.len(),
        }
    }

    /// Ends every conversation. Child processes are asked to end and waited for.
    pub async fn close(&self) {
        self.inner.modern.suspended.clear();
        self.inner.legacy.clear();
        self.inner.pool.close().await;
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
            Some(match self.inner.answer(&exchange).await {
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

    fn server_name(&self) -> Option<String> {
        self.own_name()
    }

    fn accepted_definition(&self, tool: &str) -> Option<JsonBuf> {
        self.options.pins.as_ref()?.accepted(tool)
    }

    fn accept_definition(&self, tool: &str, definition: &JsonBuf) {
        if let Some(pins) = &self.options.pins {
            pins.accept(tool, definition);
        }
    }

    fn catalogue(&self) -> Option<Arc<ToolCatalogue>> {
        Some(Arc::clone(&self.catalogue))
    }

    fn generation(&self) -> u64 {
        // A server that was lost may come back with other tools.
        self.counters.lost.load(Ordering::Relaxed) + self.counters.tools_changed.load(Ordering::Relaxed)
    }
}

impl Lifecycle for Inner {
    fn session_closed(&self, session: &Arc<Session>) {
        self.legacy.remove(session);
        self.pool.client_gone(session);
    }

    fn shutdown(&self) {
        self.pool.close_listeners();
    }
}

// === impl Inner ===

impl Inner {
    async fn answer(&self, exchange: &Exchange) -> Result<Message, ErrorObject> {
        if exchange.caller.era() == Era::Modern {
            return Box::pin(self.modern.answer(exchange, &self.pool)).await;
        }
        if exchange.message.method() == Some(Method::Initialize) {
            return Box::pin(self.legacy.greet(exchange, &self.upstream, &self.pool)).await;
        }
        match self.legacy.get(&exchange.session) {
            Some(client) => client.answer(exchange).await,
            None => {
                Err(ErrorObject::invalid_request("this session is over; send `initialize` to open a new one"))
            }
        }
    }

    async fn notify(&self, exchange: &Exchange) {
        if let Some(client) = self.legacy.get(&exchange.session) {
            client.notify(exchange).await;
        }
    }
}

/// Returns the upstream's description for the layers.
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
        inner.pool.sweep();
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("upstream", &self.inner.upstream.label()).finish_non_exhaustive()
    }
}
