//! Results under construction, completed as the client's era requires.
use overt_policy::mark::key;
use overt_wire::ErrorObject;
use overt_wire::era::{self, Cache, Version};
use overt_wire::json::{JsonBuf, Object};

use overt_layers::{Annotated, ResultAnnotation};

/// The result of a request, or its error.
pub(super) type Answer = Result<JsonBuf, ErrorObject>;

/// The members of a result, its `_meta`, and how long it may be cached.
#[derive(Debug)]
pub(super) struct Reply {
    body: Object,
    meta: Option<JsonBuf>,
    cache: Option<Cache>,
    is_error: bool,
    may_have_uris: bool,
    /// Why the settings or the policy do not allow the call, if that is the error.
    refusal: Option<String>,
}

impl Reply {
    pub(super) fn new(body: Object) -> Self {
        Self { body, meta: None, cache: None, is_error: false, may_have_uris: false, refusal: None }
    }

    /// Starts the result of a call that went wrong.
    pub(super) fn error(body: Object) -> Self {
        Self { is_error: true, ..Self::new(body.raw("isError", "true")) }
    }

    /// Adds the call's annotations, and tells the layers what they need to know about the result.
    pub(super) fn annotated(self, annotation: &ResultAnnotation) -> Self {
        annotation.set_written(Annotated { is_error: self.is_error, may_have_uris: self.may_have_uris });
        if let Some(reason) = &self.refusal {
            annotation.set_refusal(reason);
        }
        let Some(intent) = &annotation.intent else { return self };
        let meta = match &self.meta {
            Some(meta) => Object::new().members_of(meta.as_json()),
            None => Object::new(),
        };
        Self { meta: Some(meta.string(key::INTENT, intent).finish()), ..self }
    }

    pub(super) fn with_refusal(self, reason: String) -> Self {
        Self { refusal: Some(reason), ..self }
    }

    pub(super) fn with_meta(self, meta: Option<JsonBuf>) -> Self {
        Self { meta, ..self }
    }

    /// Sets whether a content item may name a resource.
    pub(super) fn naming_resources(self, may_have_uris: bool) -> Self {
        Self { may_have_uris, ..self }
    }

    pub(super) fn cached(self, cache: Cache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Returns the members and the `_meta` object.
    pub(super) fn into_parts(self) -> (JsonBuf, Option<JsonBuf>) {
        (self.body.finish(), self.meta)
    }

    pub(super) fn finish(self, version: Version, server: &JsonBuf) -> JsonBuf {
        era::complete_result(version, self.body, self.meta.as_ref(), self.cache, server)
    }
}

#[cfg(test)]
mod tests {
    use super::super::content::Content;
    use super::super::outcome::Outcome;
    use super::*;

    /// The layers search a result for addresses only if this flag is set.
    #[test]
    fn a_result_says_whether_it_may_name_resources() {
        for (content, expected) in [
            (Content::text("a"), false),
            (Content::link("file:///a", "a", "text/plain"), true),
            (Content::embedded_text("file:///a", "text/plain", "a"), true),
        ] {
            let reply = Outcome::from(vec![content]).into_reply("t", None, Version::V2025_11_25);
            assert_eq!(reply.may_have_uris, expected);
        }
    }
}
