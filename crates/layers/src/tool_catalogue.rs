//! The tools of one endpoint, as it listed them last. Authorization, the gateway's pins and
//! headers, and the documents read them here, so that no two of them know different definitions.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use overt_wire::json::Json;
use overt_wire::view;

use crate::definition::ServerDigest;
use crate::grants::SeenTool;
use crate::known_tool::{KnownTool, Records};

/// The tools of one endpoint.
#[derive(Debug, Default)]
pub struct ToolCatalogue {
    inner: Mutex<Inner>,
    /// Locked while the whole list is fetched.
    pub(crate) listing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Inner {
    tools: HashMap<String, Arc<KnownTool>>,
    /// The endpoint's generation of tools when the last whole list was requested.
    generation: u64,
    /// The last whole list.
    listed: Option<WholeList>,
    /// The digest of all definitions. `None` if it must be computed again.
    digest: Option<ServerDigest>,
}

/// What a whole list proves about the tools that are not in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WholeList {
    pub(crate) at: Instant,
    /// Whether the server knows `tools/list`.
    pub(crate) has_tools: bool,
}

/// The most tools that are remembered. Further tools count as unknown.
const MAX_TOOLS: usize = 10_000;
/// How long a fetched list is proof that a missing name does not exist.
const RELIST: Duration = Duration::from_secs(5);

impl ToolCatalogue {
    /// Returns the tool as it was listed last, however long ago.
    pub fn last_listed(&self, tool: &str) -> Option<Arc<KnownTool>> {
        self.lock().tools.get(tool).cloned()
    }

    /// Notes a tool from its entry in a list. `declared` has what is declared about the tools of
    /// `server`.
    pub fn note(&self, server: &str, declared: Records<'_>, tool: Json<'_>) {
        self.lock().note(server, declared, tool);
    }

    /// Replaces all tools by those of a whole list. Tools that are no longer listed are forgotten.
    pub(crate) fn replace<'a>(
        &self,
        server: &str,
        declared: Records<'_>,
        tools: impl Iterator<Item = Json<'a>>,
        (generation, list): (u64, WholeList),
    ) {
        let mut all = Inner { generation, listed: Some(list), ..Inner::default() };
        // Definitions that are still the same need not be read again. Calls need not wait for that.
        let mut before = self.lock().tools.clone();
        tools.for_each(|tool| all.note_again(server, declared, tool, &mut before));
        *self.lock() = all;
    }

    /// Returns the tool, if it was listed in this generation of the endpoint's tools.
    pub(crate) fn current(&self, generation: u64, tool: &str) -> Option<Arc<KnownTool>> {
        let inner = self.lock();
        inner.tools.get(tool).filter(|_| inner.generation == generation).cloned()
    }

    /// Returns the last whole list, if it is so recent that a name missing from it does not exist.
    pub(crate) fn recent_list(&self, generation: u64) -> Option<WholeList> {
        let inner = self.lock();
        inner.listed.filter(|list| inner.generation == generation && list.at.elapsed() < RELIST)
    }

    /// Whether the tool is as it was listed last.
    pub(crate) fn is_unchanged(&self, name: &str, tool: &Arc<KnownTool>) -> bool {
        self.lock().tools.get(name).is_some_and(|known| Arc::ptr_eq(known, tool))
    }

    /// Returns the names of the tools that claim to only read, and of the others.
    pub(crate) fn by_claim(&self) -> (Vec<String>, Vec<String>) {
        let inner = self.lock();
        let mut names: Vec<(&String, bool)> =
            inner.tools.iter().map(|(name, known)| (name, known.facts.claims_to_read())).collect();
        names.sort();
        let (reading, changing): (Vec<_>, Vec<_>) = names.into_iter().partition(|(_, reads)| *reads);
        let named = |names: Vec<(&String, bool)>| names.into_iter().map(|(name, _)| name.clone()).collect();
        (named(reading), named(changing))
    }

    /// Returns the definition of every tool, by name.
    pub(crate) fn definitions(&self) -> Vec<SeenTool> {
        let inner = self.lock();
        let seen = |(name, known): (&String, &Arc<KnownTool>)| SeenTool {
            name: name.clone(),
            digest: Some(known.digest().to_string()),
        };
        let mut definitions: Vec<SeenTool> = inner.tools.iter().map(seen).collect();
        definitions.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        definitions
    }

    /// Returns the tools whose definition has no digest in `covered`, a map by name: they are new,
    /// or they changed.
    pub(crate) fn not_covered(&self, covered: &HashMap<String, String>) -> Vec<String> {
        let inner = self.lock();
        let is_covered = |name: &String, known: &KnownTool| {
            covered.get(name).is_some_and(|digest| **known.digest() == **digest)
        };
        let others = inner.tools.iter().filter(|(name, known)| !is_covered(name, known));
        let mut names: Vec<String> = others.map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names
    }

    /// Returns a digest of all known tool definitions.
    pub(crate) fn server_digest(&self) -> ServerDigest {
        let mut inner = self.lock();
        if let Some(known) = &inner.digest {
            return known.clone();
        }
        let made = ServerDigest::of(inner.tools.iter().map(|(name, known)| (name.as_str(), known.digest())));
        inner.digest = Some(made.clone());
        made
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn note(&mut self, server: &str, declared: Records<'_>, tool: Json<'_>) {
        let Some(name) = view::Tool(tool).name() else { return };
        if !self.tools.get(&*name).is_some_and(|known| known.definition.as_json() == tool) {
            self.insert(&name, || Arc::new(KnownTool::of(server, declared, &name, tool)));
        }
    }

    /// Notes a tool, with what was read of it before if its definition is the same.
    fn note_again(
        &mut self,
        server: &str,
        declared: Records<'_>,
        tool: Json<'_>,
        before: &mut HashMap<String, Arc<KnownTool>>,
    ) {
        let Some(name) = view::Tool(tool).name() else { return };
        match before.remove(&*name).filter(|known| known.definition.as_json() == tool) {
            Some(known) => self.insert(&name, || known),
            None => self.note(server, declared, tool),
        }
    }

    /// Adds a tool. Names are untrusted text and must not grow the map without bound.
    fn insert(&mut self, name: &str, known: impl FnOnce() -> Arc<KnownTool>) {
        if self.tools.len() < MAX_TOOLS || self.tools.contains_key(name) {
            self.tools.insert(name.to_owned(), known());
            self.digest = None;
        }
    }
}

#[cfg(test)]
mod tests;
