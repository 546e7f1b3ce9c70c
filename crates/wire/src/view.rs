//! Read-only views of the lists and results of a server. Members that a view doesn't name are still
//! in the text.
use std::borrow::Cow;

use crate::json::{Json, Member};

/// The result of a list request: its items, and the cursor of the next page.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a>(pub Json<'a>);

/// An entry of `tools/list`.
#[derive(Debug, Clone, Copy)]
pub struct Tool<'a>(pub Json<'a>);

/// An entry of `resources/list` or `resources/templates/list`.
#[derive(Debug, Clone, Copy)]
pub struct Resource<'a>(pub Json<'a>);

/// An entry of `prompts/list`.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a>(pub Json<'a>);

/// The result of `tools/call`.
#[derive(Debug, Clone, Copy)]
pub struct CallResult<'a>(pub Json<'a>);

/// One item of a result's `content`.
#[derive(Debug, Clone, Copy)]
pub struct Content<'a>(pub Json<'a>);

impl<'a> Page<'a> {
    /// The entries of the list called `name`, such as `tools`.
    pub fn items(self, name: &str) -> impl Iterator<Item = Json<'a>> + use<'a> {
        self.0.get(name).value().into_iter().flat_map(Json::elements)
    }

    pub fn next_cursor(self) -> Option<Cow<'a, str>> {
        self.0.get("nextCursor").string()
    }
}

macro_rules! strings {
    ($view:ident { $($(#[$doc:meta])* $method:ident = $member:literal,)* }) => {
        impl<'a> $view<'a> {
            $($(#[$doc])* pub fn $method(self) -> Option<Cow<'a, str>> {
                self.0.get($member).string()
            })*
        }
    };
}

strings!(Tool { name = "name", title = "title", description = "description", });
strings!(Resource {
    uri = "uri",
    uri_template = "uriTemplate",
    name = "name",
    title = "title",
    description = "description",
    mime_type = "mimeType",
});
strings!(Prompt { name = "name", title = "title", description = "description", });
strings!(Content {
    kind = "type",
    text = "text",
    data = "data",
    mime_type = "mimeType",
    uri = "uri",
});

impl<'a> Tool<'a> {
    pub fn input_schema(self) -> Member<'a> {
        self.0.get("inputSchema")
    }

    pub fn annotation(self, name: &str) -> Member<'a> {
        self.0.get("annotations").get(name)
    }
}

impl<'a> Prompt<'a> {
    /// The names of the arguments, and whether each is required.
    pub fn arguments(self) -> impl Iterator<Item = (Cow<'a, str>, bool)> {
        self.0.get("arguments").value().into_iter().flat_map(Json::elements).filter_map(|argument| {
            let required = argument.get("required").value().and_then(Json::bool).unwrap_or(false);
            Some((argument.get("name").string()?, required))
        })
    }
}

impl<'a> CallResult<'a> {
    pub fn is_error(self) -> bool {
        self.0.get("isError").value().and_then(Json::bool).unwrap_or(false)
    }

    pub fn content(self) -> impl Iterator<Item = Content<'a>> {
        self.0.get("content").value().into_iter().flat_map(Json::elements).map(Content)
    }

    pub fn structured(self) -> Member<'a> {
        self.0.get("structuredContent")
    }
}

impl<'a> Content<'a> {
    /// The embedded resource of an item of type `resource`.
    pub fn resource(self) -> Option<Content<'a>> {
        self.0.get("resource").value().map(Content)
    }
}
