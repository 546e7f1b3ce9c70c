//! MCP Apps (`io.modelcontextprotocol/ui`): a page of the server that a client shows beside the
//! result of a tool (H-12).
use overt_policy::ResourceRecord;
use overt_policy::mark::key::APPLICATION;
use overt_wire::era::key;
use overt_wire::json::{JsonBuf, Object};

use super::{Resource, ResourceContents};

/// The media type by which clients recognise an app.
const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// The URI scheme of apps.
const SCHEME: &str = "ui://";

/// A page of the server: one self-contained HTML document.
#[derive(Debug, Clone)]
pub struct App {
    pub(super) uri: String,
    name: String,
    title: String,
    description: String,
    html: &'static str,
}

impl App {
    /// Declares an app. `uri` begins with `ui://`. The document must not load anything, because
    /// clients forbid it.
    pub fn new(uri: &str, name: &str, html: &'static str) -> Self {
        Self { uri: uri.into(), name: name.into(), title: name.into(), description: String::new(), html }
    }

    /// Sets the name that people see.
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        Self { title: title.into(), ..self }
    }

    #[must_use]
    pub fn description(self, description: &str) -> Self {
        Self { description: description.into(), ..self }
    }

    /// Returns why the app can't be served, or `None` if it can.
    pub(super) fn problem(&self) -> Option<String> {
        (!self.uri.starts_with(SCHEME))
            .then(|| format!("app `{}`: its address must begin with `{SCHEME}`", self.uri))
    }

    /// Returns the resource that a client reads.
    pub(super) fn resource(&self) -> Resource {
        let html = self.html;
        let read = move |_| async move { Ok(ResourceContents::text(MIME_TYPE, html).with_meta(&settings())) };
        Resource::new(&self.uri, &self.name, read)
            .title(&self.title)
            .description(&self.description)
            .mime_type(MIME_TYPE)
            .declare(ResourceRecord {
                resource_type: Some("application".to_owned()),
                refreshable: Some(false),
                ..ResourceRecord::default()
            })
            .marked(Object::new().string("type", "application").finish(), listed())
    }
}

/// Returns the app's settings: it needs no domains and no permissions, and draws its own frame.
fn settings() -> JsonBuf {
    let ui =
        Object::new().json("csp", JsonBuf::empty_object().as_json()).raw("prefersBorder", "false").finish();
    Object::new().json("ui", ui.as_json()).finish()
}

/// Returns the `_meta` of the app in a list: typed clients drop annotations that they don't know.
fn listed() -> JsonBuf {
    Object::new().raw(APPLICATION, "true").members_of(settings().as_json()).finish()
}

/// Adds the address of the app to the `_meta` of a tool's definition. Older clients read the flat
/// name.
pub(super) fn of_tool(meta: Object, uri: &str) -> Object {
    let ui = Object::new().string("resourceUri", uri).finish();
    meta.json("ui", ui.as_json()).string("ui/resourceUri", uri)
}

/// Adds the extension that the server declares as a capability.
pub(super) fn capability(extensions: Object) -> Object {
    extensions.json(key::UI, JsonBuf::empty_object().as_json())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, Server, Tool, Toolbox};

    fn toolbox(uri: &str, named: &str) -> Toolbox {
        let tool =
            Tool::raw("show", "Shows it.", serde_json::json!({ "type": "object" }), None, |_, _| async {
                Ok(crate::Outcome::content(vec![Content::text("")]))
            });
        let app = App::new(uri, "page", "<!doctype html>").title("A page");
        Toolbox::new(Server::new("apps", "1.0.0", "Only for tests."))
            .app(app)
            .tool(tool.read_only().app(named))
    }

    #[test]
    fn a_tool_names_an_app_that_is_there() {
        assert!(toolbox("ui://apps/page.html", "ui://apps/page.html").build().is_ok());
        let problem = |uri, named| toolbox(uri, named).build().unwrap_err().to_string();
        assert!(
            problem("ui://apps/page.html", "ui://apps/other.html").contains("no app `ui://apps/other.html`")
        );
        assert!(
            problem("https://apps/page.html", "https://apps/page.html").contains("must begin with `ui://`")
        );
    }
}
