//! The record with which a server registers with a discovery service (D-33).
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Value, json};

use crate::dashdash::{AlternativeAccess, SPEC_VERSION};
use crate::description::Description;
use crate::markdown::line;
use overt_policy::finding::Findings;
use overt_policy::members::Members;

/// The record that a discovery service stores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    pub name: String,
    pub description: String,
    pub spec_version: String,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub install: IndexMap<String, String>,
    pub alternative_access: AlternativeAccess,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Whether the service has verified the server. Only the service can say so, so this is read
    /// and never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
}

impl Registration {
    pub fn of(description: &Description) -> Self {
        let server = &description.server;
        Self {
            name: description.name.clone(),
            description: line(&server.description, 2000),
            spec_version: SPEC_VERSION.to_owned(),
            install: server.install.clone(),
            alternative_access: AlternativeAccess {
                cli_url: server.urls.cli.clone(),
                api_url: server.urls.api.clone(),
                web_url: server.urls.web.clone(),
            },
            categories: server.categories.clone(),
            verified: None,
        }
    }

    pub fn render(&self) -> Value {
        json!(self)
    }

    pub fn parse(value: &Value) -> Result<Self, Findings> {
        Members::read_document(value, |members| {
            let [name, description, spec_version] = [
                ("name", "write the server's name"),
                ("description", "say what it does and when to use it"),
                ("specVersion", "write `0.2.0`"),
            ]
            .map(|(name, fix)| members.required_text(name, fix));
            let install = members.text_map("install").unwrap_or_default();
            let access = members.object("alternativeAccess", |access| {
                let [cli_url, api_url, web_url] =
                    ["cliUrl", "apiUrl", "webUrl"].map(|name| match access.raw(name) {
                        None | Some(Value::Null) => None,
                        Some(_) => access.url(name),
                    });
                AlternativeAccess { cli_url, api_url, web_url }
            });
            let categories = members.texts("categories").unwrap_or_default();
            let verified = members.flag("verified");
            Some(Self {
                name: name?,
                description: description?,
                spec_version: spec_version?,
                install,
                alternative_access: access.unwrap_or_default(),
                categories,
                verified,
            })
        })
    }
}
