//! The dashdash object on a resource (D-21).
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::Members;
use overt_policy::record::ResourceRecord;

/// What dashdash says about a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "dashdash resource object")]
pub struct ResourceObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// Whether its content changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refreshable: Option<bool>,
    /// For how many seconds its content may be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_duration: Option<u64>,
    #[schemars(url)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_equivalent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_equivalent: Option<String>,
}

impl ResourceObject {
    pub fn of(record: &ResourceRecord) -> Self {
        // Scopes are between the operator and Overt, so the object does not contain them.
        let ResourceRecord {
            scopes: _,
            resource_type,
            refreshable,
            cache_duration,
            web_equivalent,
            api_equivalent,
        } = record.clone();
        Self { resource_type, refreshable, cache_duration, web_equivalent, api_equivalent }
    }

    pub fn into_record(self) -> ResourceRecord {
        let Self { resource_type, refreshable, cache_duration, web_equivalent, api_equivalent } = self;
        let scopes = Vec::new();
        ResourceRecord { scopes, resource_type, refreshable, cache_duration, web_equivalent, api_equivalent }
    }

    /// Reads all well-formed members, and reports the malformed ones. Unknown members are ignored.
    pub fn read(value: &Value) -> (Self, Findings) {
        let mut findings = Findings::default();
        let object = Members::of(value, Pointer::root(), &mut findings).map(|mut members| Self {
            resource_type: members.text("resourceType"),
            refreshable: members.flag("refreshable"),
            cache_duration: members.integer("cacheDuration"),
            web_equivalent: members.url("webEquivalent"),
            api_equivalent: members.text("apiEquivalent"),
        });
        (object.unwrap_or_default(), findings)
    }
}
