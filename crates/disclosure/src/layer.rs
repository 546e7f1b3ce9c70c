//! The layer itself: the inner handler, the declaration, and the caches.
use std::sync::Arc;

use overt_documents::Description;
use overt_layers::ReadRecords;
use overt_wire::{ErrorObject, Exchange};

use super::description_cache::DescriptionCache;
use super::disclosure::Disclosure;
use super::lists::DecoratedEntries;
use super::reader::Reader;
use super::survey;

/// Wraps a handler and tells clients what is declared about it.
#[derive(Debug)]
pub struct Disclose<H> {
    pub(super) inner: H,
    pub(super) disclosure: Disclosure,
    pub(super) reader: Reader,
    pub(super) entries: DecoratedEntries,
    descriptions: DescriptionCache,
}

impl<H: ReadRecords> Disclose<H> {
    pub fn new(inner: H, disclosure: Disclosure) -> Self {
        Self {
            inner,
            disclosure,
            reader: Reader::default(),
            entries: DecoratedEntries::default(),
            descriptions: DescriptionCache::default(),
        }
    }

    /// Describes the server as this caller may see it, at most once every few seconds. The read is
    /// counted and recorded.
    pub(super) async fn describe(
        &self,
        caller: &Exchange,
        target: &str,
    ) -> Result<Arc<Description>, ErrorObject> {
        self.inner.count_read(caller, target)?;
        self.description_for(caller).await
    }

    /// Describes the server as this caller may see it, for a read that is counted elsewhere.
    pub(super) async fn description_for(&self, caller: &Exchange) -> Result<Arc<Description>, ErrorObject> {
        let key = DescriptionCache::key(caller, self.inner.revision());
        if let Some(description) = self.descriptions.get(&key) {
            return Ok(description);
        }
        let live = survey::survey(&self.inner, caller, self.disclosure.offers).await?;
        let (description, findings) = self.disclosure.describe(live);
        for finding in findings.iter() {
            tracing::debug!("left out of what is told: {finding}");
        }
        let description = Arc::new(description);
        self.descriptions.keep(key, &description);
        Ok(description)
    }
}
