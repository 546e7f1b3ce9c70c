//! Which conversation a request goes to. Every client is taken to the upstream in its own era if the upstream speaks
//! it. In the older era that is a conversation per session; clients that keep none share one with those that are alike,
//! or have one of their own by a handle. In the newer era one is enough for everybody.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_transport::client::Protocol;
use overt_wire::era::{Era, Version};
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{ErrorObject, Exchange, Method, Session};

use crate::failure;
use crate::lane::{Asking, Lane};
use crate::upstream::{Upstream, Who};

/// The lanes that belong to no legacy session.
#[derive(Default)]
pub(crate) struct Lanes {
    /// To a modern upstream.
    shared: Mutex<Option<Arc<Lane>>>,
    /// To a legacy upstream, for modern clients. Where questions can be asked, a key may have several.
    held: Mutex<HashMap<Key, Vec<Arc<Lane>>>>,
    /// The first conversation tells whether the upstream speaks the newer era; others wait for it.
    first: tokio::sync::Mutex<()>,
}

/// For whom a lane is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    scope: Scope,
    /// What the upstream is told about the client.
    who: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Scope {
    /// One client at the other end of a pipe.
    Session(String),
    /// A client that came back with the handle it was given.
    Handle(String),
    /// Any client that says the same about itself.
    Alike,
}

/// Calls of clients that are alike and may each be asked questions, at the same time.
const MOST_ALIKE: usize = 16;

impl Lanes {
    /// The lane of a legacy session that says hello.
    pub(crate) async fn for_session(
        &self,
        upstream: &Arc<Upstream>,
        who: Who,
        session: &Arc<Session>,
    ) -> Result<Arc<Lane>, ErrorObject> {
        if upstream.speaks(Era::Legacy) != Some(false) {
            let lane = Lane::open(upstream, who.clone(), Protocol::Legacy, Some(session))?;
            match lane.connection().await {
                Ok(_) => return Ok(lane),
                // Refused because of the era: it may speak the other one.
                Err(_) if upstream.speaks(Era::Legacy) == Some(false) => {}
                Err(error) => return Err(error),
            }
        }
        self.shared(upstream, who)
    }

    /// The lane for a request of a modern client.
    pub(crate) async fn for_modern(
        &self,
        upstream: &Arc<Upstream>,
        exchange: &Exchange,
        handle: Option<&str>,
    ) -> Result<Arc<Lane>, ErrorObject> {
        let _first = match upstream.speaks(Era::Modern) {
            Some(_) => None,
            None => Some(self.first.lock().await),
        };
        let who = who(exchange);
        if upstream.speaks(Era::Modern) == Some(true) {
            return self.shared(upstream, who);
        }
        let scope = match handle {
            Some(handle) => Scope::Handle(handle.to_owned()),
            None if exchange.session.is_one_client() => Scope::Session(exchange.session.id().to_owned()),
            None => Scope::Alike,
        };
        let key = Key { scope, who: key_of(&who) };
        let known = self.lock().get(&key).and_then(|lanes| lanes.first().cloned());
        if let Some(lane) = known {
            return Ok(lane);
        }
        let owner = (key.scope != Scope::Alike).then_some(&exchange.session);
        let protocol = if upstream.speaks(Era::Modern).is_none() { Protocol::Auto } else { Protocol::Legacy };
        let lane = Lane::open(upstream, who, protocol, owner)?;
        let lane = self.settle(lane).await?;
        if upstream.speaks(Era::Modern) != Some(true) {
            let mut held = self.lock();
            let lanes = held.entry(key).or_default();
            // Another request of the same client may have been quicker.
            if let Some(first) = lanes.first() {
                return Ok(Arc::clone(first));
            }
            lanes.push(Arc::clone(&lane));
        }
        Ok(lane)
    }

    /// Makes sure that a call which may be asked questions has a conversation to itself where clients are only alike:
    /// a question must not reach another client.
    pub(crate) fn exclusive(
        &self,
        lane: &Arc<Lane>,
        exchange: &Exchange,
    ) -> Result<Option<(Arc<Lane>, Asking)>, ErrorObject> {
        let asked = exchange.message.method().is_some_and(may_be_asked) && can_answer(&lane.who);
        if lane.is_one_client() || !asked {
            return Ok(None);
        }
        let key = Key { scope: Scope::Alike, who: key_of(&lane.who) };
        let mut held = self.lock();
        let lanes = held.entry(key).or_default();
        if let Some(free) = lanes.iter().find_map(|lane| Some((Arc::clone(lane), lane.take()?))) {
            return Ok(Some(free));
        }
        if lanes.len() >= MOST_ALIKE {
            let what = format!("{MOST_ALIKE} calls that may ask questions are in flight; try again later");
            return Err(failure::full(lane.upstream.label(), &what));
        }
        let more = Lane::open(&lane.upstream, lane.who.clone(), Protocol::Legacy, None)?;
        lanes.push(Arc::clone(&more));
        Ok(more.take().map(|asking| (more, asking)))
    }

    /// The session is over; returns what was held for it.
    pub(crate) fn leave(&self, session: &Session) -> Vec<Arc<Lane>> {
        let gone = |key: &Key| matches!(&key.scope, Scope::Session(id) if id == session.id());
        let mut held = self.lock();
        held.extract_if(|key, _| gone(key)).flat_map(|(_, lanes)| lanes).collect()
    }

    /// Takes out what nobody has used for long.
    pub(crate) fn sweep(&self, upstream: &Upstream) -> Vec<Arc<Lane>> {
        let idle = upstream.options.holdings.lane_idle;
        let mut gone = Vec::new();
        let mut held = self.lock();
        for lanes in held.values_mut() {
            gone.extend(lanes.extract_if(.., |lane| lane.is_idle(idle)));
        }
        held.retain(|_, lanes| !lanes.is_empty());
        gone
    }

    /// Every lane there is.
    pub(crate) fn drain(&self) -> Vec<Arc<Lane>> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.lock().drain().flat_map(|(_, lanes)| lanes).chain(shared).collect()
    }

    /// Ends the subscriptions that the gateway holds itself.
    pub(crate) fn close_listeners(&self) {
        for lane in self.lock().values().flatten() {
            lane.listeners.close();
        }
    }

    pub(crate) fn in_flight(&self) -> usize {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = shared.as_ref().map_or(0, |lane| lane.in_flight());
        shared + self.lock().values().flatten().map(|lane| lane.in_flight()).sum::<usize>()
    }

    /// The lane of everybody to a modern upstream.
    fn shared(&self, upstream: &Arc<Upstream>, who: Who) -> Result<Arc<Lane>, ErrorObject> {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = shared.as_ref() {
            return Ok(Arc::clone(lane));
        }
        let lane = Lane::open(upstream, who, Protocol::Only(Version::NEWEST), None)?;
        *shared = Some(Arc::clone(&lane));
        Ok(lane)
    }

    /// Opens the conversation; one with a modern upstream becomes the one of everybody.
    async fn settle(&self, lane: Arc<Lane>) -> Result<Arc<Lane>, ErrorObject> {
        let connection = lane.connection().await?;
        if connection.era() == Era::Modern {
            lane.share();
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(Arc::clone(shared.get_or_insert(lane)));
        }
        Ok(lane)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Vec<Arc<Lane>>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Requests during which an upstream may ask the client something, in the newer era.
pub(crate) fn may_be_asked(method: Method<'_>) -> bool {
    matches!(method, Method::ToolsCall | Method::ResourcesRead | Method::PromptsGet)
}

/// Whether the client has said that it can be asked anything.
fn can_answer(who: &Who) -> bool {
    let capabilities = who.capabilities.as_json();
    ["elicitation", "sampling", "roots"].iter().any(|name| !capabilities.get(name).is_absent())
}

fn who(exchange: &Exchange) -> Who {
    let caller = &exchange.caller;
    // Extensions belong to the newer era; a legacy upstream would not know what to do with them.
    let capabilities = caller.capabilities.as_json().members().filter(|(name, _)| !name.is("extensions"));
    let capabilities = capabilities
        .fold(overt_wire::json::Object::new(), |object, (name, value)| object.json(&name.name(), value))
        .finish();
    let version = if caller.era() == Era::Modern { Version::NEWEST } else { caller.version };
    Who { capabilities, info: caller.info.clone(), version }
}

fn key_of(who: &Who) -> String {
    let info = who.info.as_ref().map_or("", JsonBuf::as_str);
    format!("{}\n{info}", Json::as_str(who.capabilities.as_json()))
}
