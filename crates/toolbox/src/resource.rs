//! Resources that have one address, and templates that stand for many.
use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_policy::ResourceRecord;
use overt_policy::uri::UriTemplate;
use overt_wire::era::{Cache, Version};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{BoxFuture, ErrorObject};

use super::context::Context;
use super::error::ToolError;
use super::prompt::Completer;
use super::watch::Watch;

/// What a resource holds.
#[derive(Debug, Clone)]
pub struct ResourceContents(Vec<Part>);

#[derive(Debug, Clone)]
struct Part {
    mime_type: String,
    data: Data,
    meta: Option<JsonBuf>,
}

#[derive(Debug, Clone)]
enum Data {
    Text(String),
    Bytes(Vec<u8>),
}

pub(super) type Read = Arc<
    dyn Fn(BTreeMap<String, String>, Context) -> BoxFuture<'static, Result<ResourceContents, ToolError>>
        + Send
        + Sync,
>;

pub(super) type StartWatch = Arc<
    dyn Fn(String, BTreeMap<String, String>, Context) -> BoxFuture<'static, Result<Watch, ToolError>>
        + Send
        + Sync,
>;

/// A resource with one address.
pub struct Resource {
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) about: ResourceMetadata,
    pub(super) read: Read,
}

/// Resources whose addresses follow a pattern.
pub struct ResourceTemplate {
    pub(super) template: String,
    pub(super) parsed: Result<UriTemplate, String>,
    pub(super) name: String,
    pub(super) about: ResourceMetadata,
    pub(super) read: Read,
    pub(super) completers: BTreeMap<String, Completer>,
    pub(super) watch: Option<StartWatch>,
}

/// What a list says about a resource.
#[derive(Debug, Clone, Default)]
pub(super) struct ResourceMetadata {
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    annotations: Option<JsonBuf>,
    meta: Option<JsonBuf>,
    pub(super) record: ResourceRecord,
}

// === impl ResourceContents ===

impl ResourceContents {
    pub fn text(mime_type: &str, text: impl Into<String>) -> Self {
        Self(vec![Part { mime_type: mime_type.into(), data: Data::Text(text.into()), meta: None }])
    }

    pub fn bytes(mime_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self(vec![Part { mime_type: mime_type.into(), data: Data::Bytes(bytes.into()), meta: None }])
    }

    /// The `_meta` of every part so far.
    pub(super) fn with_meta(mut self, meta: &JsonBuf) -> Self {
        self.0.iter_mut().for_each(|part| part.meta = Some(meta.clone()));
        self
    }

    /// Several parts under one address.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    pub(super) fn to_json(&self, uri: &str) -> JsonBuf {
        let mut parts = overt_wire::json::Array::new();
        for part in &self.0 {
            let object = Object::new().string("uri", uri).string("mimeType", &part.mime_type);
            let object = match &part.data {
                Data::Text(text) => object.string("text", text),
                Data::Bytes(bytes) => object.string("blob", &STANDARD.encode(bytes)),
            };
            let object = match &part.meta {
                Some(meta) => object.json("_meta", meta.as_json()),
                None => object,
            };
            parts = parts.json(object.finish().as_json());
        }
        parts.finish()
    }
}

// === impl Resource ===

impl Resource {
    pub fn new<F, Fut>(uri: &str, name: &str, read: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ResourceContents, ToolError>> + Send + 'static,
    {
        let read: Read = Arc::new(move |_, context| Box::pin(read(context)));
        Self { uri: uri.into(), name: name.into(), about: ResourceMetadata::default(), read }
    }

    /// The annotations and `_meta` of its entry in the list.
    pub(super) fn marked(mut self, annotations: JsonBuf, meta: JsonBuf) -> Self {
        (self.about.annotations, self.about.meta) = (Some(annotations), Some(meta));
        self
    }

    pub(super) fn definition(&self) -> JsonBuf {
        self.about.write(Object::new().string("uri", &self.uri).string("name", &self.name))
    }
}

// === impl ResourceTemplate ===

impl ResourceTemplate {
    /// `read` gets the values of the template's variables.
    pub fn new<F, Fut>(template: &str, name: &str, read: F) -> Self
    where
        F: Fn(BTreeMap<String, String>, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ResourceContents, ToolError>> + Send + 'static,
    {
        Self {
            template: template.into(),
            parsed: UriTemplate::parse(template),
            name: name.into(),
            about: ResourceMetadata::default(),
            read: Arc::new(move |variables, context| Box::pin(read(variables, context))),
            completers: BTreeMap::new(),
            watch: None,
        }
    }

    /// Begins to watch a resource that a client subscribes to. `watch` gets its address and the
    /// values of the variables, and announces each change of that address
    /// ([`Changes::resource`](super::Changes::resource)) until what it returned is dropped.
    #[must_use]
    pub fn watch<F, Fut>(mut self, watch: F) -> Self
    where
        F: Fn(String, BTreeMap<String, String>, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Watch, ToolError>> + Send + 'static,
    {
        self.watch = Some(Arc::new(move |uri, variables, context| Box::pin(watch(uri, variables, context))));
        self
    }

    /// Suggests values for a variable while a person types.
    #[must_use]
    pub fn complete(
        mut self,
        variable: &str,
        suggest: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.completers.insert(variable.into(), Arc::new(suggest));
        self
    }

    pub(super) fn definition(&self) -> JsonBuf {
        self.about.write(Object::new().string("uriTemplate", &self.template).string("name", &self.name))
    }
}

/// What can be said about a resource, for both kinds alike.
macro_rules! described {
    ($($resource:ident),*) => {
        $(impl $resource {
            #[must_use]
            pub fn title(mut self, title: &str) -> Self {
                self.about.title = Some(title.into());
                self
            }

            #[must_use]
            pub fn description(mut self, description: &str) -> Self {
                self.about.description = Some(description.into());
                self
            }

            /// What kind of thing it is, whether it changes, and where else it is.
            #[must_use]
            pub fn declare(mut self, record: ResourceRecord) -> Self {
                self.about.record = record;
                self
            }

            #[must_use]
            pub fn mime_type(mut self, mime_type: &str) -> Self {
                self.about.mime_type = Some(mime_type.into());
                self
            }
        })*
    };
}

described!(Resource, ResourceTemplate);

impl ResourceMetadata {
    /// For how long the content may be kept (D-21). Without a word about it, it may change at any
    /// time.
    pub(super) fn cache(&self) -> Cache {
        Cache { ttl_ms: self.record.cache_duration.unwrap_or(0).saturating_mul(1000) }
    }

    fn write(&self, object: Object) -> JsonBuf {
        let object = object
            .maybe("title", self.title.as_deref())
            .maybe("description", self.description.as_deref())
            .maybe("mimeType", self.mime_type.as_deref());
        [("annotations", &self.annotations), ("_meta", &self.meta)]
            .into_iter()
            .filter_map(|(name, members)| Some((name, members.as_ref()?)))
            .fold(object, |object, (name, members)| object.json(name, members.as_json()))
            .finish()
    }
}

impl std::fmt::Debug for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Resource({})", self.uri)
    }
}

impl std::fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ResourceTemplate({})", self.template)
    }
}

/// The address that a request names.
pub(super) fn asked_uri<'a>(
    params: overt_wire::json::Member<'a>,
) -> Result<std::borrow::Cow<'a, str>, ErrorObject> {
    params
        .get("uri")
        .value()
        .and_then(Json::string)
        .ok_or_else(|| ErrorObject::invalid_params("`uri` must be a string"))
}

/// The error for an address that stands for nothing.
pub(super) fn not_found(version: Version, uri: &str) -> ErrorObject {
    ErrorObject::new(version.resource_not_found(), format!("resource not found: `{uri}`"))
        .with_data(Object::new().string("uri", uri).finish())
}
