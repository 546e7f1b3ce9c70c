//! The server's description of itself: in `initialize` for legacy clients, in `server/discover` for
//! modern ones.
use overt_wire::era::{Era, Version, key};
use overt_wire::json::{JsonBuf, Object};

use super::app;
use super::endpoint::{LIST, ToolServer};
use super::reply::Reply;
use super::serve_skills;

impl ToolServer {
    pub(super) fn initialize(&self, version: Version) -> JsonBuf {
        Object::new()
            .string("protocolVersion", version.as_str())
            .json("capabilities", self.capabilities(Era::Legacy).as_json())
            .json("serverInfo", self.info.as_json())
            .string("instructions", &self.server.instructions)
            .finish()
    }

    pub(super) fn discover(&self, version: Version) -> JsonBuf {
        let body = Object::new()
            .value("supportedVersions", &Version::ALL.map(Version::as_str))
            .json("capabilities", self.capabilities(Era::Modern).as_json())
            .string("instructions", &self.server.instructions);
        Reply::new(body).cached(LIST).finish(version, &self.info)
    }

    fn capabilities(&self, era: Era) -> JsonBuf {
        let list_changed = Object::new().raw("listChanged", "true").finish();
        let mut capabilities = Object::new();
        if !self.tools.is_empty() {
            capabilities = capabilities.json("tools", list_changed.as_json());
        }
        if self.has_resources() {
            let resources = Object::new().raw("subscribe", "true").raw("listChanged", "true").finish();
            capabilities = capabilities.json("resources", resources.as_json());
        }
        if !self.prompts.is_empty() {
            capabilities = capabilities.json("prompts", list_changed.as_json());
        }
        let completes = self.prompts.values().any(|prompt| !prompt.completers.is_empty())
            || self.templates.iter().any(|template| !template.completers.is_empty());
        if completes {
            capabilities = capabilities.json("completions", JsonBuf::empty_object().as_json());
        }
        if self.server.is_literal {
            let experimental = Object::new().raw("policy", "true").finish();
            capabilities = capabilities.json("experimental", experimental.as_json());
        }
        let mut extensions = Object::new();
        if self.tasks.is_some() && era == Era::Modern {
            extensions = extensions.json(key::TASKS, JsonBuf::empty_object().as_json());
        }
        if self.skills.is_some() {
            extensions = serve_skills::capability(extensions);
        }
        if self.has_apps {
            extensions = app::capability(extensions);
        }
        let extensions = extensions.finish();
        if self.server.logs {
            capabilities = capabilities.json("logging", JsonBuf::empty_object().as_json());
        }
        if extensions != JsonBuf::empty_object() {
            capabilities = capabilities.json("extensions", extensions.as_json());
        }
        capabilities.finish()
    }
}
