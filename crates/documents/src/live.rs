//! What the running server says about itself. This is another party's text, so reading it never
//! fails: unreadable parts are left out.
use std::collections::BTreeSet;
use std::fmt;

use overt_policy::finding::Findings;
use overt_policy::record::Hints;
use overt_wire::json::Json;
use overt_wire::view;
use serde_json::{Map, Value, json};

pub use definition::ToolDefinition;

mod definition;

/// The server's current answers to `initialize` and the list requests.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Live {
    pub info: ServerInfo,
    pub tools: Vec<LiveTool>,
    pub resources: Vec<LiveResource>,
    pub prompts: Vec<LivePrompt>,
}

/// The server's name for itself, and the related facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerInfo {
    pub name: String,
    pub version: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub website: Option<String>,
    pub instructions: Option<String>,
}

/// An entry of `tools/list`.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveTool {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub hints: Hints,
    /// The error codes that the tool can return, if they are known. Servers written with the
    /// Toolbox report them.
    pub error_codes: Option<BTreeSet<String>>,
    pub definition: ToolDefinition,
    /// Whether the declaration was already checked against this tool, and neither has changed
    /// since.
    pub is_checked: bool,
}

/// An entry of `resources/list` or `resources/templates/list`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveResource {
    /// The URI, or the template of its URIs.
    pub uri: String,
    pub is_template: bool,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
}

/// An entry of `prompts/list`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LivePrompt {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
}

/// A replacement of text by the server that must not be in any document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The owner of the text, such as ``tool `search` ``.
    pub owner: String,
    pub kinds: Vec<overt_secrets::Kind>,
}

impl Live {
    /// Replaces text that must not be in any document (D-30), so that one example value in a
    /// description does not prevent all documents.
    pub fn redact(&mut self) -> Vec<Redaction> {
        let mut redactions = Vec::new();
        let mut note = |owner: &dyn Fn() -> String, kinds: Vec<overt_secrets::Kind>| {
            if !kinds.is_empty() {
                redactions.push(Redaction { owner: owner(), kinds });
            }
        };
        let ServerInfo { name: _, version, title, description, website, instructions } = &mut self.info;
        let mut kinds = redact_text(version);
        for text in [title, description, website, instructions] {
            merge(&mut kinds, redact_optional(text));
        }
        note(&|| "the server".to_owned(), kinds);
        for tool in &mut self.tools {
            // A tool that was checked already is not changed here.
            if tool.is_checked {
                continue;
            }
            let mut kinds = tool.definition.change(overt_secrets::withhold);
            for text in [&mut tool.title, &mut tool.description] {
                merge(&mut kinds, redact_optional(text));
            }
            note(&|| format!("tool `{}`", tool.name), kinds);
        }
        for resource in &mut self.resources {
            let mut kinds = redact_text(&mut resource.name);
            for text in [&mut resource.title, &mut resource.description] {
                merge(&mut kinds, redact_optional(text));
            }
            note(&|| format!("resource `{}`", resource.uri), kinds);
        }
        for prompt in &mut self.prompts {
            let mut kinds = redact_optional(&mut prompt.title);
            merge(&mut kinds, redact_optional(&mut prompt.description));
            note(&|| format!("prompt `{}`", prompt.name), kinds);
        }
        redactions
    }

    /// Finds text by the server that must not be in any document (D-30).
    pub fn secrets(&self) -> Findings {
        let resources = self.resources.iter().map(|resource| {
            (resource.uri.clone(), json!([resource.name, resource.title, resource.description]))
        });
        let prompts = self
            .prompts
            .iter()
            .map(|prompt| (prompt.name.clone(), json!([prompt.title, prompt.description])));
        let ServerInfo { name, version, title, description, website, instructions } = &self.info;
        let said = json!({
            "server": [name, version, title, description, website, instructions],
            "tools": self.tools.iter().map(|tool| (tool.name.clone(), tool.definition.value().clone())).collect::<Map<_, _>>(),
            "resources": resources.collect::<Map<_, _>>(),
            "prompts": prompts.collect::<Map<_, _>>(),
        });
        let mut findings = Findings::default();
        for found in Findings::of_secrets(&said) {
            findings.push(
                found.severity,
                found.at,
                format!("what the server says {}", found.problem),
                found.fix,
            );
        }
        findings
    }
}

fn redact_text(text: &mut String) -> Vec<overt_secrets::Kind> {
    let mut value = Value::String(std::mem::take(text));
    let kinds = overt_secrets::withhold(&mut value);
    if let Value::String(shown) = value {
        *text = shown;
    }
    kinds
}

fn redact_optional(text: &mut Option<String>) -> Vec<overt_secrets::Kind> {
    text.as_mut().map(redact_text).unwrap_or_default()
}

fn merge(kinds: &mut Vec<overt_secrets::Kind>, more: Vec<overt_secrets::Kind>) {
    for kind in more {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
}

impl fmt::Display for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<String> = self.kinds.iter().map(ToString::to_string).collect();
        write!(
            f,
            "{}: its own text holds {}; the documents have `{}` instead",
            self.owner,
            kinds.join(" and "),
            overt_secrets::HIDDEN
        )
    }
}

impl ServerInfo {
    /// Reads the `serverInfo` object.
    pub fn read(info: Json<'_>, instructions: Option<&str>) -> Self {
        let text = |name: &str| info.get(name).string().map(String::from);
        Self {
            name: text("name").unwrap_or_default(),
            version: text("version").unwrap_or_default(),
            title: text("title"),
            description: text("description"),
            website: text("websiteUrl"),
            instructions: instructions.filter(|text| !text.trim().is_empty()).map(String::from),
        }
    }
}

impl LiveTool {
    /// Reads a tool of any server. Returns `None` if it has no name or can't be read.
    pub fn read(tool: Json<'_>) -> Option<Self> {
        Self::with(tool, ToolDefinition::read(tool)?)
    }

    /// Reads a tool of a server of ours, which is known to be readable. Returns `None` if it has no
    /// name.
    pub fn read_later(tool: Json<'_>) -> Option<Self> {
        Self::with(tool, ToolDefinition::read_later(tool))
    }

    fn with(tool: Json<'_>, definition: ToolDefinition) -> Option<Self> {
        let view = view::Tool(tool);
        let annotations: Option<Value> = tool.get("annotations").value().and_then(|value| value.read().ok());
        Some(Self {
            name: view.name()?.into_owned(),
            title: view.title().or_else(|| view.annotation("title").string()).map(String::from),
            description: view.description().map(String::from),
            hints: Hints::read(annotations.as_ref()),
            error_codes: None,
            definition,
            is_checked: false,
        })
    }

    /// Returns the input schema, or `null` if there is none.
    pub fn input_schema(&self) -> &Value {
        self.definition.value().get("inputSchema").unwrap_or(&Value::Null)
    }

    pub fn output_schema(&self) -> Option<&Value> {
        self.definition.value().get("outputSchema")
    }

    /// Returns whether the input schema is an object, as it should be for every tool.
    pub fn has_input_schema(&self) -> bool {
        self.definition.has_object("inputSchema")
    }

    /// Returns the names of the parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.input_schema()
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|properties| properties.keys().map(String::as_str))
    }
}

impl LiveResource {
    /// Reads an entry. Returns `None` if it has no URI.
    pub fn read(resource: Json<'_>) -> Option<Self> {
        let view = view::Resource(resource);
        let (uri, is_template) = match view.uri() {
            Some(uri) => (uri, false),
            None => (view.uri_template()?, true),
        };
        Some(Self {
            uri: uri.into_owned(),
            is_template,
            name: view.name().unwrap_or_default().into_owned(),
            title: view.title().map(String::from),
            description: view.description().map(String::from),
            mime_type: view.mime_type().map(String::from),
        })
    }
}

impl LivePrompt {
    pub fn read(prompt: Json<'_>) -> Option<Self> {
        let view = view::Prompt(prompt);
        Some(Self {
            name: view.name()?.into_owned(),
            title: view.title().map(String::from),
            description: view.description().map(String::from),
        })
    }
}
