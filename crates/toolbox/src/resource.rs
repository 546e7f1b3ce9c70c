//! Resources with one address, and templates that stand for many resources.
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

/// The contents of a resource.
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

/// What `resources/list` and `resources/templates/list` say about a resource.
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

    /// Sets the `_meta` of every part so far.
    pub(super) fn with_meta(mut self, meta: &JsonBuf) -> Self {
        self.0.iter_mut().for_each(|part| part.meta = Some(meta.clone()));
        self
    }

    /// Adds further parts under the same address.
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

    /// Sets the annotations and the `_meta` of its entry in the list.
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
    /// Declares a template. `read` receives the values of the template's variables.
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

    /// Watches a resource while a client is subscribed to it. `watch` receives the address and the
    /// values of the variables. It announces each change of that address
    /// ([`Changes::resource`](super::Changes::resource)) until the value it returned is dropped.
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

/// Builder methods that resources and templates have in common.
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

            /// Declares the resource's type, how it changes, and where else it is available.
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
    /// Returns how long the content may be cached (D-21). Without a declaration, it may change at
    /// any time.
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

/// Returns the address that a request names.
pub(super) fn asked_uri<'a>(
    params: overt_wire::json::Member<'a>,
) -> Result<std::borrow::Cow<'a, str>, ErrorObject> {
    params
        .get("uri")
        .value()
        .and_then(Json::string)
        .ok_or_else(|| ErrorObject::invalid_params("`uri` must be a string"))
}

/// Returns the error for an address without a resource.
pub(super) fn not_found(version: Version, uri: &str) -> ErrorObject {
    ErrorObject::new(version.resource_not_found(), format!("resource not found: `{uri}`"))
        .with_data(Object::new().string("uri", uri).finish())
}
