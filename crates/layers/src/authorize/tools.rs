//! What is known about each tool: its declaration, and the server's own list.
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use overt_policy::ToolFacts;
use overt_policy::intent::Template;
use overt_policy::mark::key;
use overt_policy::record::Hints;
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Member};
use overt_wire::param_headers::HeaderAnnotations;
use overt_wire::view;
use overt_wire::{BoxFuture, ErrorObject, Exchange, Message, Method, ParamHeaders};
use serde_json::Value;

use super::request_options::RequestOptions;
use crate::definition::{definition_digest, server_digest};
use crate::description::ServerDescription;
use crate::endpoint::Endpoint;
use crate::listing;
use crate::permit::{Admitted, Unprivileged};
use crate::schema::Schema;

/// What decisions use about a tool.
#[derive(Debug)]
pub(super) struct KnownTool {
    pub(super) facts: ToolFacts,
    pub(super) intent: Option<Arc<Template>>,
    digest: OnceLock<Arc<str>>,
    /// The definition as the server listed it.
    pub(super) definition: JsonBuf,
    pub(super) hints: Hints,
    schema: OnceLock<Option<Schema>>,
    /// The arguments that modern HTTP clients repeat in headers.
    header_annotations: OnceLock<HeaderAnnotations>,
}

/// The outcome of looking up a tool.
pub(super) enum Lookup {
    Found(Arc<KnownTool>),
    /// The tool does not exist.
    Unknown,
    /// The server has no tools at all.
    NoTools,
    /// The server can't list its tools, for this reason.
    Unlistable(ErrorObject),
}

impl KnownTool {
    /// Returns the digest of the server's definition. It is computed on first use, because most
    /// listed tools are never called.
    pub(super) fn digest(&self) -> &Arc<str> {
        self.digest.get_or_init(|| definition_digest(self.definition.as_json()).into())
    }

    /// Checks that the headers of a call agree with its body. Only the tool's definition says which
    /// headers repeat arguments (HTTP-08).
    pub(super) fn check_headers(
        &self,
        headers: &ParamHeaders,
        arguments: Member<'_>,
    ) -> Result<(), ErrorObject> {
        let annotations = self
            .header_annotations
            .get_or_init(|| HeaderAnnotations::of(self.definition.as_json().get("inputSchema")));
        annotations.check(headers, arguments)
    }

    /// Returns which arguments do not fit the server's input schema. `None` if they fit, or if the
    /// schema can't be used, because then the server must check.
    pub(super) fn argument_problems(&self, arguments: &Value) -> Option<String> {
        let schema = self.schema.get_or_init(|| {
            let schema = self.definition.as_json().get("inputSchema").value()?;
            if schema.as_str().len() > MOST_SCHEMA {
                return None;
            }
            Schema::compile(&schema.read().ok()?).ok()
        });
        schema.as_ref()?.problems(arguments)
    }
}

/// The largest schema that Overt checks, in bytes. The server must check larger ones.
const MOST_SCHEMA: usize = 256 << 10;

/// The tools of one endpoint.
#[derive(Debug, Default)]
pub(super) struct ToolIndex {
    inner: Mutex<Inner>,
    /// Locked while the list is fetched.
    listing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Inner {
    tools: HashMap<String, Arc<KnownTool>>,
    /// When the whole list was last fetched.
    listed: Option<Instant>,
    /// The endpoint's generation of tools when the list was fetched.
    generation: u64,
    /// Whether the server does not know `tools/list`.
    has_none: bool,
    /// The digest of all definitions. `None` if it must be computed again.
    digest: Option<Arc<str>>,
}

/// The most tools that are remembered. Further tools count as unknown.
const MOST_TOOLS: usize = 10_000;
/// How long a fetched list is proof that a missing name does not exist.
const RELIST: Duration = Duration::from_secs(5);
/// The most lists that one lookup fetches while the tools keep changing.
const MOST_LISTS: usize = 3;

impl ToolIndex {
    /// Looks up a tool. Fetches the server's list if the tool is unknown or may have changed.
    /// Concurrent calls wait for the same list.
    pub(super) async fn find(&self, endpoint: &dyn Endpoint, caller: &Exchange, tool: &str) -> Lookup {
        let exists = endpoint.description().tools.exists(tool);
        if exists == Some(false) {
            return Lookup::Unknown;
        }
        if let Some(known) = self.current(endpoint, tool) {
            return Lookup::Found(known);
        }
        let _one_at_a_time = self.listing.lock().await;
        for _ in 0..MOST_LISTS {
            if let Some(known) = self.current(endpoint, tool) {
                return Lookup::Found(known);
            }
            if self.is_recent(endpoint) {
                return if self.lock().has_none { Lookup::NoTools } else { Lookup::Unknown };
            }
            if let Err(error) = self.list(endpoint, caller).await {
                return Lookup::Unlistable(error);
            }
        }
        // The tools change faster than they can be listed. Use the last list.
        self.last_learned(tool).map_or(Lookup::Unknown, Lookup::Found)
    }

    /// Returns whether the list is so recent that a name missing from it does not exist.
    fn is_recent(&self, endpoint: &dyn Endpoint) -> bool {
        let inner = self.lock();
        inner.generation == endpoint.description().tools.generation()
            && inner.listed.is_some_and(|at| at.elapsed() < RELIST)
    }

    /// Returns the tool, if its entry is still current.
    fn current(&self, endpoint: &dyn Endpoint, tool: &str) -> Option<Arc<KnownTool>> {
        let inner = self.lock();
        let holds = inner.generation == endpoint.description().tools.generation();
        inner.tools.get(tool).filter(|_| holds).cloned()
    }

    /// Returns the names of the tools that claim to only read, and of the others.
    pub(super) fn by_claim(&self) -> (Vec<String>, Vec<String>) {
        let inner = self.lock();
        let mut names: Vec<(&String, bool)> =
            inner.tools.iter().map(|(name, known)| (name, known.facts.claims_to_read())).collect();
        names.sort();
        let (reading, changing): (Vec<_>, Vec<_>) = names.into_iter().partition(|(_, reads)| *reads);
        let named = |names: Vec<(&String, bool)>| names.into_iter().map(|(name, _)| name.clone()).collect();
        (named(reading), named(changing))
    }

    /// Returns the tools whose definition differs from the digest in `covered`, a map by name.
    pub(super) fn redefined(&self, covered: &HashMap<String, String>) -> Vec<String> {
        let inner = self.lock();
        let is_redefined = |(name, digest): &(&String, &String)| {
            inner.tools.get(*name).is_some_and(|known| **known.digest() != ***digest)
        };
        let mut names: Vec<String> =
            covered.iter().filter(is_redefined).map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names
    }

    /// Returns a digest of all known tool definitions.
    pub(super) fn server_digest(&self) -> Arc<str> {
        let mut inner = self.lock();
        if let Some(known) = &inner.digest {
            return Arc::clone(known);
        }
        let tools = inner.tools.iter().map(|(name, known)| (name.as_str(), &**known.digest()));
        let made: Arc<str> = server_digest(tools).into();
        inner.digest = Some(Arc::clone(&made));
        made
    }

    async fn list(&self, endpoint: &dyn Endpoint, caller: &Exchange) -> Result<(), ErrorObject> {
        let generation = endpoint.description().tools.generation();
        let has_none = AtomicBool::new(false);
        let call = |asked: Exchange| {
            // Removes the caller's narrowing options: if the server filtered its list by them,
            // Overt would not see every tool that it must decide about.
            let exchange = Exchange { message: RequestOptions::without(&asked.message, false), ..asked };
            let has_none = &has_none;
            let request = Unprivileged::new(exchange);
            Box::pin(async move {
                let reply = endpoint.call(Admitted::Unprivileged(request.ok()?)).await?;
                let is_unknown = reply.error_code() == Some(code::METHOD_NOT_FOUND);
                has_none.store(is_unknown, Ordering::Relaxed);
                Some(reply)
            }) as BoxFuture<'_, Option<Message>>
        };
        let tools = listing::list(call, caller, Method::ToolsList, "tools").await.inspect_err(
            |error| tracing::warn!(%error, "the tools can't be listed, so nothing is known about them"),
        )?;
        // Forget tools that are no longer listed; the others are learned again from the new list.
        {
            let mut inner = self.lock();
            inner.tools.clear();
            inner.digest = None;
        }
        tools.iter().for_each(|tool| self.note(endpoint, tool.as_json()));
        let mut inner = self.lock();
        (inner.listed, inner.generation) = (Some(Instant::now()), generation);
        inner.has_none = has_none.into_inner();
        Ok(())
    }

    /// Learns tools from a list on its way to a client.
    pub(super) fn learn_from_page(&self, endpoint: &dyn Endpoint, reply: &Message) {
        let Some(tools) = reply.result_body().get("tools").value() else { return };
        tools.elements().for_each(|tool| self.note(endpoint, tool));
    }

    /// Learns one tool from its entry in a list.
    pub(super) fn note(&self, endpoint: &dyn Endpoint, tool: Json<'_>) {
        let Some(name) = view::Tool(tool).name() else { return };
        let same = |known: &Arc<KnownTool>| known.definition.as_json() == tool;
        let mut inner = self.lock();
        if inner.tools.get(&*name).is_some_and(same) {
            return;
        }
        // Names are untrusted text and must not grow the map without bound.
        if inner.tools.len() < MOST_TOOLS || inner.tools.contains_key(&*name) {
            let known = Arc::new(learn(endpoint.description(), &name, tool));
            inner.tools.insert(name.into_owned(), known);
            inner.digest = None;
        }
    }

    /// Returns the tool as last learned, however long ago.
    pub(super) fn last_learned(&self, tool: &str) -> Option<Arc<KnownTool>> {
        self.lock().tools.get(tool).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn learn(description: &ServerDescription, name: &str, tool: Json<'_>) -> KnownTool {
    let annotations = tool.get("annotations");
    let hint = |name: &str| annotations.get(name).value().and_then(Json::bool);
    let hints = Hints {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    };
    let record = description.tools.record(name);
    let mut facts = ToolFacts::of(&description.name, name, record, hints).unwrap_or_else(|wrong| {
        // The declaration can't be used, so the tool counts as undeclared.
        tracing::warn!(tool = name, "what is declared about it is not used: {wrong}");
        ToolFacts::undeclared(&description.name, name, hints)
    });
    // A preview needs the same permission as the call, so the server's own claim that it supports
    // previews is enough.
    facts.preview |= {
        let meta = tool.get("_meta");
        // A second Overt behind this one declares it where the gateway moved it.
        let own = meta.get(key::PREVIEW).value().or(meta.get(key::UPSTREAM).get(key::PREVIEW).value());
        let said = own.or_else(|| annotations.get("preview").value());
        said.and_then(Json::bool) == Some(true)
    };
    KnownTool {
        intent: facts.intent.as_deref().map(|text| Arc::new(Template::parse(text))),
        digest: OnceLock::new(),
        definition: tool.to_buf(),
        hints,
        schema: OnceLock::new(),
        header_annotations: OnceLock::new(),
        facts,
    }
}
