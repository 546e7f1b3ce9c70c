//! How hosts write a tool into a request to a model: the members that a model is given, under the
//! names of the provider.
use overt_documents::live::LiveTool;
use serde_json::{Map, Value, json};

/// Whose requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    OpenAi,
    Anthropic,
}

impl Shape {
    pub(crate) const ALL: [Self; 2] = [Self::OpenAi, Self::Anthropic];

    /// How it is called in data.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// The form of one tool, for people to read.
    pub(crate) fn form(self) -> &'static str {
        match self {
            Self::OpenAi => {
                r#"{"type":"function","function":{"name":…,"description":…,"parameters":<inputSchema>}}"#
            }
            Self::Anthropic => r#"{"name":…,"description":…,"input_schema":<inputSchema>}"#,
        }
    }

    /// One tool as minified JSON. Title, annotations, output schema and `_meta` are for hosts, not
    /// for models.
    pub(crate) fn write(self, tool: &LiveTool) -> String {
        let mut members = Map::new();
        members.insert("name".into(), json!(tool.name));
        if let Some(description) = &tool.description {
            members.insert("description".into(), json!(description));
        }
        let schema = match self {
            Self::OpenAi => "parameters",
            Self::Anthropic => "input_schema",
        };
        if !tool.input_schema().is_null() {
            members.insert(schema.into(), tool.input_schema().clone());
        }
        match self {
            Self::OpenAi => json!({ "type": "function", "function": members }).to_string(),
            Self::Anthropic => Value::Object(members).to_string(),
        }
    }
}
