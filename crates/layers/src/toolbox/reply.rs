//! Results under construction, and how each era wants them dressed.
use overt_wire::era::{self, Cache, Version};
use overt_wire::json::{JsonBuf, Object};

/// The members of a result, its `_meta`, and whether it may be kept.
#[derive(Debug)]
pub(super) struct Reply {
    body: Object,
    meta: Option<JsonBuf>,
    cache: Option<Cache>,
}

impl Reply {
    pub(super) fn new(body: Object) -> Self {
        Self { body, meta: None, cache: None }
    }

    pub(super) fn with_meta(self, meta: Option<JsonBuf>) -> Self {
        Self { meta, ..self }
    }

    pub(super) fn cached(self, cache: Cache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    pub(super) fn finish(self, version: Version, server: &JsonBuf) -> JsonBuf {
        era::dress(version, self.body, self.meta.as_ref(), self.cache, server)
    }
}
