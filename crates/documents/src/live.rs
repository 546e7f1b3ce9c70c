//! What the running server says about itself. It is another party's text, so reading it never
//! fails: what can't be read is left out.
use std::collections::BTreeSet;
use std::fmt;

use overt_policy::finding::Findings;
use overt_policy::record::Hints;
use overt_policy::secrets;
use overt_wire::json::Json;
use overt_wire::view;
use serde_json::{Map, Value, json};

pub use definition::ToolDefinition;

mod definition;

/// A server as it answers now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Live {
    pub info: ServerInfo,
    pub tools: Vec<LiveTool>,
    pub resources: Vec<LiveResource>,
    pub prompts: Vec<LivePrompt>,
}

/// The name that the server gives itself, and what goes with it.
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
    /// The codes that it can answer with, where they are known: a server written with the Toolbox
    /// says so.
    pub error_codes: Option<BTreeSet<String>>,
    pub definition: ToolDefinition,
    /// The declaration was checked against this tool before, and neither has changed.
    pub is_checked: bool,
}

/// An entry of `resources/list` or `resources/templates/list`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveResource {
    /// Its URI, or the pattern of its URIs.
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

/// Something in the server's own text was replaced, because it must be in no document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// Whose text it is, such as ``tool `search` ``.
    pub owner: String,
    pub kinds: Vec<secrets::Kind>,
}

impl Live {
    /// Replaces what must not be in any document (D-30): one example value in a description must
    /// not prevent all documents.
    pub fn redact(&mut self) -> Vec<Redaction> {
        let mut redactions = Vec::new();
        let mut note = |owner: &dyn Fn() -> String, kinds: Vec<secrets::Kind>| {
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
            // Nothing of a tool that was checked elsewhere changes.
            if tool.is_checked {
                continue;
            }
            let mut kinds = tool.definition.change(secrets::withhold);
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

    /// What the server says that must be in no document (D-30).
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
        for found in secrets::scan(&said) {
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

fn redact_text(text: &mut String) -> Vec<secrets::Kind> {
    let mut value = Value::String(std::mem::take(text));
    let kinds = secrets::withhold(&mut value);
    if let Value::String(shown) = value {
        *text = shown;
    }
    kinds
}

fn redact_optional(text: &mut Option<String>) -> Vec<secrets::Kind> {
    text.as_mut().map(redact_text).unwrap_or_default()
}

fn merge(kinds: &mut Vec<secrets::Kind>, more: Vec<secrets::Kind>) {
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
            secrets::HIDDEN
        )
    }
}

impl ServerInfo {
    /// `info` is the `serverInfo` object.
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
    /// An entry of any server. None if it has no name or can't be read.
    pub fn read(tool: Json<'_>) -> Option<Self> {
        Self::with(tool, ToolDefinition::read(tool)?)
    }

    /// An entry of a server of ours, which can be read. None if it has no name.
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

    /// `null` if it has none.
    pub fn input_schema(&self) -> &Value {
        self.definition.value().get("inputSchema").unwrap_or(&Value::Null)
    }

    pub fn output_schema(&self) -> Option<&Value> {
        self.definition.value().get("outputSchema")
    }

    /// Whether its input schema is an object, as that of every tool should be.
    pub fn has_input_schema(&self) -> bool {
        self.definition.has_object("inputSchema")
    }

    /// The names of its parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.input_schema()
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|properties| properties.keys().map(String::as_str))
    }
}

impl LiveResource {
    /// None for an entry that has no address.
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
