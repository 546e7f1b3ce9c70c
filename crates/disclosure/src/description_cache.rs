//! Caches the latest description for each caller for a few seconds, because documents are read in
//! bursts and each needs up to four complete lists.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use overt_documents::Description;
use overt_layers::seal::digest;
use overt_policy::mark::request;
use overt_wire::Exchange;
use overt_wire::json::Json;

/// Descriptions by cache key.
#[derive(Debug, Default)]
pub(super) struct DescriptionCache(Mutex<HashMap<String, (Instant, Arc<Description>)>>);

/// How long a cached description may be used.
const LIFETIME: Duration = Duration::from_secs(2);
/// The largest number of cached callers.
const MOST: usize = 64;

impl DescriptionCache {
    /// Returns the cache key. Callers with the same key share a description. The key covers the
    /// policy and tools in force (`revision`), the session, the capabilities with the client's
    /// configuration, and the policy that the request carries.
    pub(super) fn key(caller: &Exchange, revision: &str) -> String {
        let meta = caller.message.meta();
        let text = |name: &str| meta.get(name).value().map_or("", Json::as_str);
        let session = if caller.session.is_one_client() { caller.session.id() } else { "" };
        let capabilities = caller.caller.capabilities.as_json();
        digest(&[
            revision,
            session,
            capabilities.as_str(),
            text(request::POLICY),
            text(request::DENIED),
            text(request::POLICY_SOURCE),
        ])
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<Description>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(key)
            .filter(|(at, _)| at.elapsed() < LIFETIME)
            .map(|(_, description)| Arc::clone(description))
    }

    pub(super) fn keep(&self, key: String, description: &Arc<Description>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (at, _)| at.elapsed() < LIFETIME);
        if kept.len() < MOST {
            kept.insert(key, (Instant::now(), Arc::clone(description)));
        }
    }
}
