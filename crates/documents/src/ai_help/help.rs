//! The help in its parts, and its two formats.
use serde_json::{Map, Value, json};

use super::section::Section;
use crate::dashdash::{InvocationObject, RequiresObject, SPEC_URL};
use crate::front_matter::FrontMatter;
use crate::text_source::SourcedLine;
use overt_policy::word::string_enum;

string_enum! {
    /// The forms of the answer (D-22).
    pub enum Format {
        Markdown = "markdown",
        Json = "json",
    }
}

/// The whole help.
#[derive(Debug, Clone, PartialEq)]
pub struct Help {
    pub front: FrontMatter,
    pub title: SourcedLine,
    pub summary: SourcedLine,
    /// The parts, in the order of the sections. When to Use and Quick Reference are always present.
    pub parts: Vec<Part>,
}

/// A section with its content in both formats.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub section: Section,
    pub heading: String,
    /// Markdown without the section's heading, ending with a line break. Its own headings are of
    /// the third level or deeper.
    pub text: String,
    /// The members that the part adds to the JSON.
    pub data: Map<String, Value>,
}

// === impl Help ===

impl Help {
    /// Returns the sections that the help has.
    pub fn sections(&self) -> impl Iterator<Item = Section> {
        self.parts.iter().map(|part| part.section)
    }

    pub fn part(&self, section: Section) -> Option<&Part> {
        self.parts.iter().find(|part| part.section == section)
    }

    /// Returns the Markdown with front matter.
    pub fn markdown(&self) -> String {
        format!("{}\n{}", self.front.render(), self.body())
    }

    /// Returns the Markdown without front matter.
    pub fn body(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(Part::markdown).collect();
        format!("# {}\n\n> {}\n\n{}", self.title.markdown(), self.summary.markdown(), parts.join("\n"))
    }

    /// Returns the result of `ai_help` (D-23), for one section if one is named. Returns `None` if
    /// the help does not have that section.
    pub fn result(&self, format: Format, section: Option<Section>) -> Option<Value> {
        let only = match section {
            Some(section) => Some(self.part(section)?),
            None => None,
        };
        Some(match format {
            Format::Markdown => markdown_result(&only.map_or_else(|| self.markdown(), Part::markdown)),
            Format::Json => {
                let sections = only.map_or_else(|| self.sections_json(), |part| part.data.clone());
                json!({ "metadata": self.metadata(), "sections": sections, "contentType": "application/json" })
            }
        })
    }

    /// Returns the whole help in JSON.
    pub fn json(&self) -> Value {
        json!({ "metadata": self.metadata(), "sections": self.sections_json(), "contentType": "application/json" })
    }

    /// Authentication and rate limits are always members, because readers expect them.
    fn sections_json(&self) -> Map<String, Value> {
        let mut members = Map::new();
        for part in &self.parts {
            members.extend(part.data.clone());
        }
        for section in [Section::Authentication, Section::RateLimits] {
            members.entry(section.camel()).or_insert(Value::Null);
        }
        members
    }

    fn metadata(&self) -> Value {
        let FrontMatter { name, description, spec_version, access_level, urls, install, .. } = &self.front;
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        put("name", json!(name));
        put("description", json!(description));
        put("specVersion", json!(spec_version));
        put("specUrl", json!(SPEC_URL));
        put("title", json!(self.title.text));
        put("summary", json!(self.summary.text));
        put("accessLevel", json!(access_level));
        put("alternativeAccess", json!({ "cliUrl": urls.cli, "apiUrl": urls.api, "webUrl": urls.web }));
        put("mcpUrl", json!(urls.mcp));
        if !install.is_empty() {
            put("install", json!(install));
        }
        if !self.front.requires.is_empty() {
            let requires = self.front.requires.clone();
            put(
                "requires",
                json!(RequiresObject { auth: requires.auth, env: requires.env, scopes: requires.scopes }),
            );
        }
        if let Some(invocation) = self.front.invocation.clone() {
            put(
                "invocation",
                json!(InvocationObject {
                    model_invocable: invocation.model_invocable,
                    user_invocable: invocation.user_invocable,
                    allowed_tools: invocation.allowed_tools,
                }),
            );
        }
        members.into()
    }
}

// === impl Part ===

impl Part {
    /// Creates a section whose JSON is one member under the section's name.
    pub fn new(section: Section, text: String, data: Value) -> Self {
        let data = Map::from_iter([(section.camel(), data)]);
        Self { section, heading: section.heading().to_owned(), text, data }
    }

    /// Returns the Markdown with its heading.
    pub fn markdown(&self) -> String {
        format!("## {}\n\n{}", self.heading, self.text)
    }
}

/// Wraps Markdown as a result of `ai_help`.
fn markdown_result(text: &str) -> Value {
    json!({ "content": text, "contentType": "text/markdown" })
}
