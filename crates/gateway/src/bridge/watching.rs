//! `subscriptions/listen` of a modern client before a legacy upstream, which announces changes to everybody who is
//! connected and wants to be told which resources are watched.
use std::sync::{Arc, PoisonError};

use overt_wire::era::{Era, key};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Message, Method, Outlet};

use super::reply::id_of;
use crate::lane::{Connection, Lane};
use crate::listeners::{Filter, follow};
use crate::pass::open;

/// Before a legacy upstream the gateway collects the news itself.
pub(super) async fn listen(
    lane: &Arc<Lane>,
    connection: &Arc<Connection>,
    exchange: &Exchange,
    info: &JsonBuf,
) -> Result<Message, ErrorObject> {
    let id = id_of(exchange);
    let wanted = exchange.message.params().get("notifications").value();
    let filter = Filter::read(wanted, connection.client.server().capabilities.as_json())?;
    let Some((listening, news)) = lane.listeners.open(&id, filter.clone()) else {
        return Err(crate::failure::full(lane.upstream.label(), "too many subscriptions are open"));
    };
    let watching = Watching::begin(lane, filter.uris.iter().cloned().collect()).await;
    let outlet: &Arc<dyn Outlet> = &exchange.outlet;
    if outlet.notify(filter.acknowledgement(&id)).await.is_ok() {
        let _ = follow(news, outlet).await;
    }
    drop((listening, watching));
    let meta =
        Object::new().raw(key::SUBSCRIPTION_ID, id.token()).json(key::SERVER_INFO, info.as_json()).finish();
    let result = Object::new().string("resultType", "complete").json("_meta", meta.as_json()).finish();
    Ok(Message::result(&id, result.as_json()))
}

/// Resources that are watched at a legacy upstream for as long as somebody listens.
struct Watching {
    lane: Arc<Lane>,
    /// Those that were counted.
    uris: Vec<String>,
}

impl Watching {
    async fn begin(lane: &Arc<Lane>, uris: Vec<String>) -> Self {
        let mut watching = Self { lane: Arc::clone(lane), uris: Vec::new() };
        for uri in uris {
            let _turn = lane.watching.lock().await;
            watching.uris.push(uri.clone());
            let first = {
                let mut standing = lane.standing.lock().unwrap_or_else(PoisonError::into_inner);
                let count = standing.watched.entry(uri.clone()).or_default();
                *count += 1;
                *count == 1
            };
            if first {
                tell(lane, Method::ResourcesSubscribe, &uri).await;
            }
        }
        watching
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let mut unwatched = Vec::new();
        {
            let mut standing = self.lane.standing.lock().unwrap_or_else(PoisonError::into_inner);
            for uri in self.uris.drain(..) {
                let count = standing.watched.entry(uri.clone()).or_default();
                *count = count.saturating_sub(1);
                if *count == 0 {
                    standing.watched.remove(&uri);
                    unwatched.push(uri);
                }
            }
        }
        let lane = Arc::clone(&self.lane);
        if let Ok(runtime) = tokio::runtime::Handle::try_current()
            && !unwatched.is_empty()
        {
            runtime.spawn(async move {
                for uri in unwatched {
                    let _turn = lane.watching.lock().await;
                    // Somebody else may want it by now.
                    let wanted = {
                        let standing = lane.standing.lock().unwrap_or_else(PoisonError::into_inner);
                        standing.watched.contains_key(&uri)
                    };
                    if !wanted {
                        tell(&lane, Method::ResourcesUnsubscribe, &uri).await;
                    }
                }
            });
        }
    }
}

async fn tell(lane: &Arc<Lane>, method: Method<'_>, uri: &str) {
    let Ok(connection) = open(lane, Era::Legacy).await else { return };
    let params = Object::new().string("uri", uri).finish();
    let request = Message::request(&connection.new_id(), method.name(), Some(params.as_json()));
    let told = connection.carry(&request, lane.upstream.options.limits.request_deadline).await;
    tracing::debug!(%method, ok = told.is_ok(), "told the upstream which resources are watched");
}
