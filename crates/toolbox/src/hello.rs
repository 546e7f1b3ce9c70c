//! What a server says about itself: in `initialize` to older clients, in `server/discover` to newer ones.
use overt_wire::era::{Version, key};
use overt_wire::json::{JsonBuf, Object};

use super::endpoint::{LIST, ToolServer};
use super::reply::Reply;

impl ToolServer {
    pub(super) fn initialize(&self, version: Version) -> JsonBuf {
        Object::new()
            .string("protocolVersion", version.as_str())
            .json("capabilities", self.capabilities().as_json())
            .json("serverInfo", self.info.as_json())
            .string("instructions", &self.server.instructions)
            .finish()
    }

    pub(super) fn discover(&self, version: Version) -> JsonBuf {
        let body = Object::new()
            .value("supportedVersions", &Version::ALL.map(Version::as_str))
            .json("capabilities", self.modern_capabilities().as_json())
            .string("instructions", &self.server.instructions);
        Reply::new(body).cached(LIST).finish(version, &self.info)
    }

    fn capabilities(&self) -> JsonBuf {
        let list_changed = Object::new().raw("listChanged", "true").finish();
        let mut capabilities = Object::new();
        if !self.tools.is_empty() {
            capabilities = capabilities.json("tools", list_changed.as_json());
        }
        if !(self.resources.is_empty() && self.templates.is_empty()) {
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
        capabilities.json("logging", JsonBuf::empty_object().as_json()).finish()
    }

    /// The same with the extensions, which only the newer era has.
    fn modern_capabilities(&self) -> JsonBuf {
        let capabilities = self.capabilities();
        if self.tasks.is_none() {
            return capabilities;
        }
        let extensions = Object::new().json(key::TASKS, JsonBuf::empty_object().as_json()).finish();
        Object::new().members_of(capabilities.as_json()).json("extensions", extensions.as_json()).finish()
    }
}
