//! How hosts put a tool into a request to a model: the members that the model gets, under the
//! provider's names.
use overt_documents::live::LiveTool;
use serde_json::{Map, Value, json};

/// The provider whose request format is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    OpenAi,
    Anthropic,
}

impl Shape {
    pub(crate) const ALL: [Self; 2] = [Self::OpenAi, Self::Anthropic];

    /// The name of the shape in JSON.
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

    /// Writes one tool as minified JSON. Title, annotations, output schema and `_meta` are omitted,
    /// because hosts do not pass them to models.
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
