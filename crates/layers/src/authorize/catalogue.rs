//! What is known about each tool: what is declared of it, and what the server itself says in its list.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use overt_policy::ToolFacts;
use overt_policy::intent::Template;
use overt_policy::mark::key;
use overt_policy::record::Hints;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::view;
use overt_wire::{Exchange, Message, Method};

use super::wishes::Wishes;
use serde_json::Value;

use crate::endpoint::Endpoint;
use crate::listing;
use crate::policy::{Cleared, Permitted};
use crate::seal::digest;

/// A tool as decisions know it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) facts: ToolFacts,
    pub(super) intent: Option<Arc<Template>>,
    /// Of the definition that the server gives; empty for a tool that it does not list.
    pub(super) digest: Arc<str>,
    /// Its definition as it was listed.
    written: Option<JsonBuf>,
}

impl Known {
    /// The same tool in a call whose arguments stand for these.
    pub(super) fn located(&self, arguments: &Value) -> Self {
        Self {
            facts: self.facts.located(arguments),
            intent: self.intent.clone(),
            digest: self.digest.clone(),
            written: None,
        }
    }
}

/// The tools of one endpoint.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    inner: Mutex<Inner>,
    /// Held while the list is being asked for.
    listing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Inner {
    tools: HashMap<String, Arc<Known>>,
    /// When the whole list was last asked for.
    listed: Option<Instant>,
    /// Which list that was, by the endpoint's count.
    generation: u64,
}

/// The server can't be asked what its tools are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoList;

/// Tools that are remembered; the rest is looked up each time.
const MOST_TOOLS: usize = 10_000;
/// A name that is not in the list is not looked for again before.
const RELIST: Duration = Duration::from_secs(5);

impl Catalogue {
    /// What is known of the tool. The server is asked for its list if the tool's own words are not known yet, or not as they
    /// are now; whoever comes meanwhile waits for the same list, and is not decided by less.
    pub(super) async fn of<E: Endpoint>(
        &self,
        endpoint: &E,
        asker: &Exchange,
        tool: &str,
    ) -> Result<Arc<Known>, NoList> {
        if let Some(known) = self.listed(endpoint, tool) {
            return Ok(known);
        }
        let _one_at_a_time = self.listing.lock().await;
        if let Some(known) = self.listed(endpoint, tool) {
            return Ok(known);
        }
        let recently = {
            let inner = self.lock();
            inner.generation == endpoint.tools_generation()
                && inner.listed.is_some_and(|at| at.elapsed() < RELIST)
        };
        if !recently {
            self.list(endpoint, asker).await?;
        }
        Ok(self.listed(endpoint, tool).unwrap_or_else(|| self.learn(endpoint, tool, None)))
    }

    /// What the server said of it, if that still holds.
    fn listed<E: Endpoint>(&self, endpoint: &E, tool: &str) -> Option<Arc<Known>> {
        let inner = self.lock();
        let holds = inner.generation == endpoint.tools_generation();
        inner.tools.get(tool).filter(|known| holds && known.written.is_some()).cloned()
    }

    async fn list<E: Endpoint>(&self, endpoint: &E, asker: &Exchange) -> Result<(), NoList> {
        let generation = endpoint.tools_generation();
        let call = |asked: Exchange| {
            // What the asker wants to be narrowed by is for us: a list that the server narrows by it would hide what is decided about.
            let exchange = Exchange { message: Wishes::without(&asked.message, false), ..asked };
            match Cleared::by_judges(&[], &exchange.message) {
                Ok(cleared) => endpoint.call(Permitted::new(exchange, cleared, Arc::default())),
                Err(_) => Box::pin(std::future::ready(None)),
            }
        };
        let tools = listing::list(call, asker, Method::ToolsList, "tools").await.map_err(|error| {
            tracing::warn!(%error, "the tools can't be listed, so nothing is known about them");
            NoList
        })?;
        // What is no longer listed is forgotten, and what was listed before is what the new list says.
        self.lock().tools.clear();
        tools.iter().for_each(|tool| self.note(endpoint, tool.as_json()));
        let mut inner = self.lock();
        (inner.listed, inner.generation) = (Some(Instant::now()), generation);
        Ok(())
    }

    /// Looks at a list on its way to a client.
    pub(super) fn glance<E: Endpoint>(&self, endpoint: &E, reply: &Message) {
        let Some(tools) = reply.result_body().get("tools").value() else { return };
        tools.elements().for_each(|tool| self.note(endpoint, tool));
    }

    /// What is known of a tool by its entry in a list.
    pub(super) fn note<E: Endpoint>(&self, endpoint: &E, tool: Json<'_>) {
        let Some(name) = view::Tool(tool).name() else { return };
        let same =
            |known: &Arc<Known>| known.written.as_ref().is_some_and(|written| written.as_json() == tool);
        if !self.lock().tools.get(&*name).is_some_and(same) {
            self.learn(endpoint, &name, Some(tool));
        }
    }

    /// Only what was noted.
    pub(super) fn known(&self, tool: &str) -> Option<Arc<Known>> {
        self.lock().tools.get(tool).cloned()
    }

    /// By what is declared alone.
    pub(super) fn unlisted<E: Endpoint>(&self, endpoint: &E, tool: &str) -> Arc<Known> {
        self.learn(endpoint, tool, None)
    }

    fn learn<E: Endpoint>(&self, endpoint: &E, name: &str, tool: Option<Json<'_>>) -> Arc<Known> {
        let hints = tool.map_or_else(Hints::default, |tool| {
            let hint = |name: &str| view::Tool(tool).annotation(name).value().and_then(Json::bool);
            Hints {
                read_only: hint("readOnlyHint"),
                destructive: hint("destructiveHint"),
                idempotent: hint("idempotentHint"),
                open_world: hint("openWorldHint"),
            }
        });
        let record = endpoint.record(name);
        let mut facts = ToolFacts::of(endpoint.label(), name, record, hints).unwrap_or_else(|wrong| {
            // What is declared can't be used, so nothing is declared.
            tracing::warn!(tool = name, "what is declared about it is not used: {wrong}");
            ToolFacts::undeclared(endpoint.label(), name, hints)
        });
        // A preview needs the same permission as the call, so a server may say by itself that it has them.
        facts.preview |= tool.is_some_and(|tool| {
            let own = tool.get("_meta").get(key::PREVIEW).value();
            let said = own.or_else(|| view::Tool(tool).annotation("preview").value());
            said.and_then(Json::bool) == Some(true)
        });
        let known = Arc::new(Known {
            intent: facts.intent.as_deref().map(|text| Arc::new(Template::parse(text))),
            digest: tool.map_or_else(String::new, |tool| digest(&[tool.as_str()])).into(),
            written: tool.map(Json::to_buf),
            facts,
        });
        let mut inner = self.lock();
        // Names that nobody lists are other people's text: they make nothing grow.
        let exists = known.written.is_some() || record.is_some();
        if exists && (inner.tools.len() < MOST_TOOLS || inner.tools.contains_key(name)) {
            inner.tools.insert(name.to_owned(), Arc::clone(&known));
        }
        known
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
