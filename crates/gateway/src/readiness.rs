//! Probes an idle upstream, so that the reported readiness reflects its current state and not the
//! last request (G-43).
use std::sync::{Arc, Weak};
use std::time::Duration;

use overt_transport::client::{Client, ClientError, Protocol, SilentListener};
use overt_wire::era::{Caller, Era};
use overt_wire::{Message, Method};

use crate::pool::SessionPool;
use crate::session::{Connection, UpstreamSession};
use crate::upstream::Upstream;

/// The interval of probes while the upstream is healthy.
const WELL: Duration = Duration::from_secs(30);
/// The interval of probes while the upstream is failing.
const FAILING: Duration = Duration::from_secs(2);
/// How long the upstream may take to answer a probe in an open conversation.
const PROBE_DEADLINE: Duration = Duration::from_secs(10);

/// Probes the upstream as long as the gateway exists.
pub(crate) async fn probe(pool: Weak<SessionPool>, upstream: Weak<Upstream>) {
    loop {
        let Some((pool, upstream)) = pool.upgrade().zip(upstream.upgrade()) else { return };
        probe_once(&pool, &upstream).await;
        let pause = if upstream.is_failing() { FAILING.max(upstream.pause()) } else { WELL };
        drop((pool, upstream));
        tokio::time::sleep(pause).await;
    }
}

async fn probe_once(pool: &SessionPool, upstream: &Arc<Upstream>) {
    let live = pool.any_live().and_then(|session| Some((session.live()?, session)));
    match live {
        // A running program counts as healthy. An HTTP upstream must be asked.
        Some(_) if upstream.is_command() => {}
        Some((connection, session)) => ask(&session, &connection).await,
        // A shared server may run in only one process, so the probe uses its session.
        None if upstream.options.shared => {
            if let Some(session) = pool.single()
                && session.connection().await.is_ok()
            {
                upstream.answered();
            }
        }
        // A program that was reached before and is not failing is not started just for a probe.
        None if upstream.is_command() && upstream.was_reached() && !upstream.is_failing() => {}
        None => {
            if let Ok(client) = connect(upstream).await {
                upstream.answered();
                client.finish().await;
            }
        }
    }
}

/// Sends a request that every server answers, in an open conversation.
async fn ask(session: &UpstreamSession, connection: &Arc<Connection>) {
    let upstream = &session.upstream;
    let method = match connection.era() {
        Era::Legacy => Method::Ping,
        Era::Modern => Method::Discover,
    };
    let asked = match connection.era() {
        Era::Legacy => {
            let request = Message::request(&connection.new_id(), method.name(), None);
            connection.ask(&request, PROBE_DEADLINE).await.map(drop)
        }
        Era::Modern => {
            tokio::time::timeout(PROBE_DEADLINE, connection.client.request_once(method.name(), None))
                .await
                .unwrap_or_else(|_| {
                    let method = method.name().to_owned();
                    Err(ClientError::TimedOut { method, after: PROBE_DEADLINE, dropped: None })
                })
                .map(drop)
        }
    };
    match asked {
        Ok(()) => upstream.answered(),
        // The upstream answers, but has forgotten the session.
        Err(ClientError::SessionLost) => {
            session.discard(connection).await;
            upstream.answered();
        }
        Err(ClientError::Busy { .. } | ClientError::QueueFull { .. }) => {}
        Err(error) => upstream.failed(&error),
    }
}

async fn connect(upstream: &Upstream) -> Result<Client, overt_wire::ErrorObject> {
    let protocol = match upstream.speaks(Era::Modern) {
        Some(false) => Protocol::Legacy,
        _ => Protocol::Auto,
    };
    upstream.connect(&Caller::unknown(), protocol, Arc::new(SilentListener)).await
}
