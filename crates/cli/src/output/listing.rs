//! What a server offers, as data and as JSON.
use overt_transport::client::Server;
use overt_wire::json::{Array, JsonBuf, Object};

/// The requested lists. Each entry is the server's exact text.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    pub(crate) server: &'a Server,
    pub(crate) tools: Option<Vec<JsonBuf>>,
    pub(crate) resources: Option<Vec<JsonBuf>>,
    pub(crate) templates: Option<Vec<JsonBuf>>,
    pub(crate) prompts: Option<Vec<JsonBuf>>,
    pub(crate) skills: Option<Vec<JsonBuf>>,
}

impl Listing<'_> {
    /// All lists as one object; lists that were not requested are omitted.
    pub(crate) fn to_json(&self) -> JsonBuf {
        let nobody = JsonBuf::empty_object();
        let info = self.server.info.as_ref().unwrap_or(&nobody);
        let mut object = Object::new()
            .json("server", info.as_json())
            .string("protocolVersion", self.server.version.as_str())
            .json("capabilities", self.server.capabilities.as_json());
        let lists = [
            ("tools", &self.tools),
            ("resources", &self.resources),
            ("resourceTemplates", &self.templates),
            ("prompts", &self.prompts),
            ("skills", &self.skills),
        ];
        for (name, list) in lists {
            if let Some(list) = list {
                object = object.json(name, array(list).as_json());
            }
        }
        object.maybe("instructions", self.server.instructions.as_deref()).finish()
    }
}

fn array(entries: &[JsonBuf]) -> JsonBuf {
    entries.iter().fold(Array::new(), |array, entry| array.json(entry.as_json())).finish()
}

/// The name of a JSON list in words for people.
pub(crate) fn kind_words(member: &str) -> &str {
    match member {
        "resourceTemplates" => "resource templates",
        other => other,
    }
}
