//! The types of a card. The members have the order of the specification's example.
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use overt_policy::record::{Effect, PiiExposure, SecretsExposure};

/// One tool, as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    pub tool: Identity,
    pub schema: Schemas,
    pub safety: Safety,
    /// The models with which it was tested. Measured, never declared.
    pub tested_with: Vec<Tested>,
    pub performance: Option<Performance>,
    pub cost: Option<Cost>,
    pub audit: Option<Audit>,
}

/// The server, name and version of the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    pub server_id: String,
    pub name: String,
    pub version: String,
    pub mcp_server_uri: String,
    pub description: String,
}

/// The schemas of the arguments and the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Schemas {
    pub input: InputSchema,
    pub output_inline: Option<Map<String, Value>>,
    pub output_uri: Option<String>,
}

/// Either an inline schema or a URI, never both.
#[derive(Debug, Clone, PartialEq)]
pub enum InputSchema {
    Inline(Map<String, Value>),
    Uri(String),
}

/// The effects and risks of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Safety {
    pub side_effect_class: Effect,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub external_systems: Vec<String>,
    pub reversible: bool,
    pub rate_limited: bool,
    pub pii_exposure: PiiExposure,
    pub secrets_exposure: SecretsExposure,
    pub human_approval_required: bool,
    /// `None` if not declared. An empty list means that the tool never refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal_modes: Option<Vec<String>>,
}

/// The result of a test with one model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tested {
    pub llm: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    pub test_suite_uri: String,
    /// From 0 to 1.
    pub pass_rate: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_size: Option<u64>,
    /// RFC 3339.
    pub tested_at: String,
}

/// The measured latency of the tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Performance {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_latency_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_latency_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measurement_window: Option<String>,
}

/// The cost of a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cost {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_call_amount: Option<f64>,
    /// Three capital letters, such as `EUR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_call_currency: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// The audit log of the calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Audit {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident_response_uri: Option<String>,
}

// === impl Card ===

impl Card {
    /// Returns the card as an indented JSON document that ends with a line break.
    pub fn render(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a card has only text as keys");
        text.push('\n');
        text
    }

    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("a card has only text as keys")
    }
}

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("tool_card_version", super::VERSION)?;
        map.serialize_entry("tool", &self.tool)?;
        map.serialize_entry("schema", &self.schema)?;
        map.serialize_entry("safety", &self.safety)?;
        if !self.tested_with.is_empty() {
            map.serialize_entry("tested_with", &self.tested_with)?;
        }
        if let Some(performance) = &self.performance {
            map.serialize_entry("performance", performance)?;
        }
        if let Some(cost) = &self.cost {
            map.serialize_entry("cost", cost)?;
        }
        if let Some(audit) = &self.audit {
            map.serialize_entry("audit", audit)?;
        }
        map.end()
    }
}

// === impl Schemas ===

impl Serialize for Schemas {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.input {
            InputSchema::Inline(schema) => map.serialize_entry("input_schema_inline", schema)?,
            InputSchema::Uri(uri) => map.serialize_entry("input_schema_uri", uri)?,
        }
        if let Some(schema) = &self.output_inline {
            map.serialize_entry("output_schema_inline", schema)?;
        }
        if let Some(uri) = &self.output_uri {
            map.serialize_entry("output_schema_uri", uri)?;
        }
        map.end()
    }
}
