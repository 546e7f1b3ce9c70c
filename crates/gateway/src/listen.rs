//! `subscriptions/listen` of a modern client with a legacy upstream. Such an upstream announces
//! changes to every connected client, and must be told which resources are watched.
use std::sync::Arc;

use overt_wire::era::key;
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{ClientSink, ErrorObject, Exchange, Message};

use crate::failure;
use crate::listeners::follow;
use crate::session::{Connection, Setting, UpstreamSession};
use crate::translate::reply::id_of;
use crate::translate::subscription::Filter;

/// Serves the subscription until it ends, and returns its final answer. The gateway collects the
/// notifications itself, because a legacy upstream has no subscriptions.
pub(crate) async fn listen(
    session: &Arc<UpstreamSession>,
    connection: &Arc<Connection>,
    exchange: &Exchange,
    info: &JsonBuf,
) -> Result<Message, ErrorObject> {
    let id = id_of(exchange);
    let wanted = exchange.message.param("notifications").value();
    let filter = Filter::read(wanted, connection.client.server().capabilities.as_json())?;
    let Some((listening, notifications)) = session.listeners.subscribe(&id, filter.clone()) else {
        return Err(failure::full(session.upstream.label(), "too many subscriptions are open"));
    };
    let mut watched = WatchedResources { session: Arc::clone(session), uris: Vec::new() };
    for uri in &filter.uris {
        watched.uris.push(uri.clone());
        session.apply_setting(Setting::Watch(uri.clone())).await;
    }
    let sink: &Arc<dyn ClientSink> = &exchange.sink;
    if sink.notify(filter.acknowledgement(&id)).await.is_ok() {
        let _ = follow(notifications, sink).await;
    }
    drop((listening, watched));
    let meta =
        Object::new().raw(key::SUBSCRIPTION_ID, id.token()).json(key::SERVER_INFO, info.as_json()).finish();
    let result = Object::new().string("resultType", "complete").json("_meta", meta.as_json()).finish();
    Ok(Message::result(&id, result.as_json()))
}

/// Resources that are watched while the subscription is open.
struct WatchedResources {
    session: Arc<UpstreamSession>,
    uris: Vec<String>,
}

impl Drop for WatchedResources {
    fn drop(&mut self) {
        for uri in self.uris.drain(..) {
            self.session.apply_setting_later(Setting::Unwatch(uri));
        }
    }
}
