//! The dashdash object on the server (D-01 to D-14).
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::SPEC_VERSION;
use crate::Description;
use crate::description::is_canonical_name;
use crate::front_matter::Access;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::Members;
use overt_policy::record::{AccessLevel, Invocation, ServerRecord, ServerRequirements, Urls};

/// What dashdash says about a server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "dashdash server object", extend("required" = ["specVersion", "identity", "accessLevel", "alternativeAccess"]))]
pub struct ServerObject {
    /// The version of the proposal: 0.2.0 or later.
    #[schemars(regex(pattern = r"^\d+\.\d+\.\d+"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// Documentation only: it decides nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_level: Option<AccessLevel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternative_access: Option<AlternativeAccess>,
    /// From the name of a package manager to the name of the package there.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub install: IndexMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires: Option<RequiresObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invocation: Option<InvocationObject>,
    /// For people, such as `1000/hour`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(url)]
    pub homepage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(url)]
    pub repository: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(url)]
    pub status_page: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_version: Option<String>,
    /// An ISO 8601 date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<String>,
}

/// Who the server is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(extend("required" = ["name", "description"]))]
pub struct Identity {
    #[schemars(length(min = 1, max = 64), regex(pattern = "^[a-z0-9-]+$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it does and when to use it.
    #[schemars(length(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
}

/// Where else the same thing is. All three are always there; null means that there is none (D-08).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("required" = ["cliUrl", "apiUrl", "webUrl"]))]
pub struct AlternativeAccess {
    #[schemars(url)]
    pub cli_url: Option<String>,
    #[schemars(url)]
    pub api_url: Option<String>,
    #[schemars(url)]
    pub web_url: Option<String>,
}

/// What the server needs: names, never values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequiresObject {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub auth: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// Who may start it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvocationObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_invocable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_invocable: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
}

impl ServerObject {
    /// Builds the object from the description of a server.
    pub fn of(description: &Description) -> Self {
        let server = &description.server;
        let Urls { cli, api, web, mcp: _ } = server.urls.clone();
        let ServerRequirements { auth, env, scopes } = server.requires.clone();
        Self {
            spec_version: Some(SPEC_VERSION.to_owned()),
            identity: Some(Identity {
                name: Some(description.name.clone()),
                description: Some(server.description.trim().to_owned()),
                emoji: server.emoji.clone(),
            }),
            access_level: Some(description.access_level),
            alternative_access: Some(AlternativeAccess { cli_url: cli, api_url: api, web_url: web }),
            install: server.install.clone(),
            requires: (!server.requires.is_empty()).then_some(RequiresObject { auth, env, scopes }),
            invocation: server.invocation.clone().map(|invocation| {
                let Invocation { model_invocable, user_invocable, allowed_tools } = invocation;
                InvocationObject { model_invocable, user_invocable, allowed_tools }
            }),
            rate_limit: server.rate_limit.map(|limit| limit.to_string()),
            homepage: server.homepage.clone(),
            repository: server.repository.clone(),
            status_page: server.status_page.clone(),
            content_version: server.content_version.clone(),
            last_updated: server.last_updated.clone(),
        }
    }

    /// Reads all well-formed members, and reports the malformed ones. Unknown members are ignored.
    pub fn read(value: &Value) -> (Self, Findings) {
        let mut findings = Findings::default();
        let object = Members::of(value, Pointer::root(), &mut findings).map(|mut members| read(&mut members));
        (object.unwrap_or_default(), findings)
    }

    /// Converts the object to a record, for a first manifest that takes over what the server says.
    pub fn into_record(self) -> ServerRecord {
        let identity = self.identity.unwrap_or_default();
        let access = self.alternative_access.unwrap_or_default();
        let requires = self.requires.unwrap_or_default();
        ServerRecord {
            name: identity.name,
            description: identity.description.unwrap_or_default(),
            emoji: identity.emoji,
            access_level: self.access_level,
            urls: Urls { cli: access.cli_url, api: access.api_url, web: access.web_url, mcp: None },
            install: self.install,
            requires: ServerRequirements { auth: requires.auth, env: requires.env, scopes: requires.scopes },
            invocation: self.invocation.map(|invocation| Invocation {
                model_invocable: invocation.model_invocable,
                user_invocable: invocation.user_invocable,
                allowed_tools: invocation.allowed_tools,
            }),
            rate_limit: self.rate_limit.as_deref().and_then(overt_policy::rate::RateLimit::parse),
            homepage: self.homepage,
            repository: self.repository,
            status_page: self.status_page,
            content_version: self.content_version,
            last_updated: self.last_updated,
            ..ServerRecord::default()
        }
    }
}

fn read(members: &mut Members<'_, '_>) -> ServerObject {
    let spec_version = members.required_text("specVersion", "write `0.2.0`");
    if spec_version.as_deref().is_some_and(|version| !is_supported(version)) {
        members.error("specVersion", "is not a version from 0.2.0 on", "write `0.2.0`");
    }
    let identity = members.object("identity", |members| Identity {
        name: name(members),
        description: members.required_text("description", "say what the server does and when to use it"),
        emoji: members.text("emoji"),
    });
    if identity.is_none() {
        required(members, "identity", "write an object with `name` and `description`");
    }
    // Five values are read and three are written (X-19).
    let written = members.word::<Access>("accessLevel");
    let access_level = written.and_then(Access::of_server);
    if written.is_none() {
        required(members, "accessLevel", "write `read`, `interact` or `full`");
    }
    let alternative_access = members.object("alternativeAccess", |members| AlternativeAccess {
        cli_url: url_or_null(members, "cliUrl"),
        api_url: url_or_null(members, "apiUrl"),
        web_url: url_or_null(members, "webUrl"),
    });
    if alternative_access.is_none() {
        required(members, "alternativeAccess", "write an object with `cliUrl`, `apiUrl` and `webUrl`");
    }
    ServerObject {
        spec_version,
        identity,
        access_level,
        alternative_access,
        install: members.text_map("install").unwrap_or_default(),
        requires: members.object("requires", |members| RequiresObject {
            auth: members.texts("auth").unwrap_or_default(),
            env: members.texts("env").unwrap_or_default(),
            scopes: members.texts("scopes").unwrap_or_default(),
        }),
        invocation: members.object("invocation", |members| InvocationObject {
            model_invocable: members.flag("modelInvocable"),
            user_invocable: members.flag("userInvocable"),
            allowed_tools: members.texts("allowedTools").unwrap_or_default(),
        }),
        rate_limit: members.text("rateLimit"),
        homepage: members.url("homepage"),
        repository: members.url("repository"),
        status_page: members.url("statusPage"),
        content_version: members.text("contentVersion"),
        last_updated: members.text("lastUpdated"),
    }
}

fn required(members: &mut Members<'_, '_>, name: &'static str, fix: &str) {
    if members.raw(name).is_none() {
        members.missing(name, fix);
    }
}

fn name(members: &mut Members<'_, '_>) -> Option<String> {
    let fix = "use 1 to 64 lower-case letters, digits and hyphens";
    let name = members.required_text("name", fix)?;
    if !is_canonical_name(&name) {
        members.error("name", "is not a canonical name", fix);
        return None;
    }
    Some(name)
}

/// Reads a URL. The member must be present, and is null if there is no URL (D-08).
fn url_or_null(members: &mut Members<'_, '_>, name: &'static str) -> Option<String> {
    match members.raw(name) {
        Some(Value::Null) => None,
        Some(_) => members.url(name),
        None => {
            members.missing(name, "write a URL, or `null` if there is none");
            None
        }
    }
}

/// Returns whether the version is 0.2.0 or later (D-02).
fn is_supported(version: &str) -> bool {
    let mut numbers = version.split(['-', '+']).next().unwrap_or_default().split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor)), Some(Ok(_)), None) => (major, minor) >= (0, 2),
        _ => false,
    }
}
