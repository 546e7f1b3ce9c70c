//! The front matter of an `ai_help` document (D-25): the union of what the three forms of dashdash
//! require.
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::split;
use crate::dashdash::{SPEC_URL, SPEC_VERSION};
use crate::description::Description;
use crate::markdown::line;
use crate::server_location::ServerLocation;
use crate::yaml;
use overt_policy::finding::{Findings, Pointer, Severity};
use overt_policy::members::Members;
use overt_policy::record::{AccessLevel, Invocation, ServerRequirements, Urls};
use overt_policy::word::string_enum;

/// The word for a missing address in front matter; in JSON it is `null`.
const NONE: &str = "none";
const MOST: usize = 2000;

string_enum! {
    /// The access levels of all three forms; a server has one of the last three.
    pub enum Access {
        None = "none",
        Browse = "browse",
        Read = "read",
        Interact = "interact",
        Full = "full",
    }
}

/// The front matter of an `ai_help` document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatter {
    pub name: String,
    pub description: String,
    pub spec_version: String,
    /// Whether subcommands have help of their own; a server has no subcommands.
    pub subcommand_help: bool,
    pub access_level: Access,
    pub urls: Urls,
    pub install: IndexMap<String, String>,
    pub requires: ServerRequirements,
    pub invocation: Option<Invocation>,
}

// === impl Access ===

impl From<AccessLevel> for Access {
    fn from(level: AccessLevel) -> Self {
        match level {
            AccessLevel::Read => Self::Read,
            AccessLevel::Interact => Self::Interact,
            AccessLevel::Full => Self::Full,
        }
    }
}

impl Access {
    /// Returns the level of a server. To browse is to read; `none` says nothing.
    pub(crate) fn of_server(self) -> Option<AccessLevel> {
        match self {
            Self::None => None,
            Self::Browse | Self::Read => Some(AccessLevel::Read),
            Self::Interact => Some(AccessLevel::Interact),
            Self::Full => Some(AccessLevel::Full),
        }
    }
}

// === impl FrontMatter ===

impl FrontMatter {
    pub fn of(description: &Description, place: &ServerLocation) -> Self {
        let server = &description.server;
        Self {
            name: description.name.clone(),
            description: line(&server.description, MOST),
            spec_version: SPEC_VERSION.to_owned(),
            subcommand_help: false,
            access_level: description.access_level.into(),
            urls: Urls { mcp: place.endpoint(description).map(str::to_owned), ..server.urls.clone() },
            install: server.install.clone(),
            requires: server.requires.clone(),
            invocation: server.invocation.clone().filter(|invocation| *invocation != Invocation::default()),
        }
    }

    /// Returns the front matter, including its two lines of hyphens.
    pub fn render(&self) -> String {
        format!("---\n{}---\n", yaml::write(&self.members()))
    }

    /// Reads the front matter of a file, and also returns the rest of the file.
    pub fn parse(text: &str) -> Result<(Self, &str), Findings> {
        let parts = split(text)?;
        let mut findings = Findings::default();
        let Some(front) = parts.front else {
            findings.error(Pointer::root(), "has no front matter", "begin the file with a line `---`");
            return Err(findings);
        };
        let yaml = yaml::read(front, 2)?;
        match Self::read(&yaml.value, &mut findings) {
            Some(read) if !findings.has_errors() => Ok((read, parts.body)),
            _ => Err(findings),
        }
    }

    fn members(&self) -> Map<String, Value> {
        let url = |url: &Option<String>| json!(url.as_deref().unwrap_or(NONE));
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        put("name", json!(self.name));
        put("description", json!(self.description));
        put("spec-url", json!(SPEC_URL));
        put("spec-version", json!(self.spec_version));
        put("subcommand-help", json!(self.subcommand_help));
        put("access-level", json!(self.access_level));
        put("cli-url", url(&self.urls.cli));
        put("api-url", url(&self.urls.api));
        put("web-url", url(&self.urls.web));
        put("mcp-url", url(&self.urls.mcp));
        if !self.install.is_empty() {
            put("install", json!(self.install));
        }
        if !self.requires.is_empty() {
            put("requires", requires(&self.requires));
        }
        if let Some(invocation) = &self.invocation {
            put("invocation", self::invocation(invocation));
        }
        members
    }

    /// Reads the members. Unknown ones are ignored (D-31).
    fn read(value: &Value, findings: &mut Findings) -> Option<Self> {
        let mut members = Members::of(value, Pointer::root(), findings)?;
        let name = members.required_text("name", "write the server's name");
        let description = members.required_text("description", "say what it does and when to use it");
        if members
            .required_text("spec-url", &format!("write `{SPEC_URL}`"))
            .is_some_and(|url| url != SPEC_URL)
        {
            let at = members.at("spec-url");
            members.findings().push(
                Severity::Note,
                at,
                "is not the address we know",
                format!("write `{SPEC_URL}`"),
            );
        }
        let spec_version =
            members.required_text("spec-version", &format!("write `{SPEC_VERSION}`, in quotes"));
        let subcommand_help = members.flag("subcommand-help");
        let access_level = members.word::<Access>("access-level");
        if members.raw("access-level").is_none() {
            members.missing("access-level", "say what a client may do: `read`, `interact` or `full`");
        }
        let urls = Urls {
            cli: read_url(&mut members, "cli-url"),
            api: read_url(&mut members, "api-url"),
            web: read_url(&mut members, "web-url"),
            mcp: read_url(&mut members, "mcp-url"),
        };
        let install = members.text_map("install").unwrap_or_default();
        let requires = members.object("requires", |requires| ServerRequirements {
            auth: requires.texts("auth").unwrap_or_default(),
            env: requires.texts("env").unwrap_or_default(),
            scopes: requires.texts("scopes").unwrap_or_default(),
        });
        let invocation = members.object("invocation", |invocation| Invocation {
            model_invocable: invocation.flag("model-invocable"),
            user_invocable: invocation.flag("user-invocable"),
            allowed_tools: invocation.texts("allowed-tools").unwrap_or_default(),
        });
        Some(Self {
            name: name?,
            description: description?,
            spec_version: spec_version?,
            subcommand_help: subcommand_help.unwrap_or(false),
            access_level: access_level?,
            urls,
            install,
            requires: requires.unwrap_or_default(),
            invocation,
        })
    }
}

fn read_url(members: &mut Members<'_, '_>, name: &'static str) -> Option<String> {
    match members.raw(name) {
        Some(Value::String(word)) if word == NONE => None,
        // The MCP form does not have all four addresses.
        None => None,
        Some(_) => members.url(name),
    }
}

fn requires(requires: &ServerRequirements) -> Value {
    let lists = [("auth", &requires.auth), ("env", &requires.env), ("scopes", &requires.scopes)];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    lists.map(|(name, list)| (name.to_owned(), json!(list))).collect::<Map<_, _>>().into()
}

fn invocation(invocation: &Invocation) -> Value {
    let mut members = Map::new();
    if let Some(flag) = invocation.model_invocable {
        members.insert("model-invocable".to_owned(), json!(flag));
    }
    if let Some(flag) = invocation.user_invocable {
        members.insert("user-invocable".to_owned(), json!(flag));
    }
    if !invocation.allowed_tools.is_empty() {
        members.insert("allowed-tools".to_owned(), json!(invocation.allowed_tools));
    }
    members.into()
}
