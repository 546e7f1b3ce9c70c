//! Caches the latest description for each caller for a few seconds, because documents are read in
//! bursts and each needs up to four complete lists.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use overt_documents::Description;
use overt_layers::Revision;
use overt_layers::seal::digest;
use overt_policy::mark::request;
use overt_wire::Exchange;
use overt_wire::json::Json;

/// Descriptions by cache key.
#[derive(Debug, Default)]
pub(super) struct DescriptionCache(Mutex<HashMap<CallerKey, (Instant, Arc<Description>)>>);

/// Callers with the same key share a description.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CallerKey {
    /// The policy and the tools in force.
    revision: Revision,
    /// A digest of the principal, the session, the capabilities with the client's configuration,
    /// and the policy that the request carries.
    caller: String,
}

/// How long a cached description may be used.
const LIFETIME: Duration = Duration::from_secs(2);
/// The largest number of cached callers.
const MOST_CALLERS: usize = 64;

impl DescriptionCache {
    pub(super) fn key(caller: &Exchange, revision: Revision) -> CallerKey {
        let meta = caller.message.meta();
        let text = |name: &str| meta.get(name).value().map_or("", Json::as_str);
        let session = if caller.session.is_one_client() { caller.session.id() } else { "" };
        let capabilities = caller.caller.capabilities.as_json();
        let caller = digest(&[
            &caller.principal().key(),
            session,
            capabilities.as_str(),
            text(request::POLICY),
            text(request::DENIED),
            text(request::POLICY_SOURCE),
        ]);
        CallerKey { revision, caller }
    }

    pub(super) fn get(&self, key: &CallerKey) -> Option<Arc<Description>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(key)
            .filter(|(at, _)| at.elapsed() < LIFETIME)
            .map(|(_, description)| Arc::clone(description))
    }

    pub(super) fn keep(&self, key: CallerKey, description: &Arc<Description>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (at, _)| at.elapsed() < LIFETIME);
        if kept.len() < MOST_CALLERS {
            kept.insert(key, (Instant::now(), Arc::clone(description)));
        }
    }
}
