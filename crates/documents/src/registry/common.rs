//! The parts that the registry's record and the server card share.
use serde::Serialize;
use url::Url;

use crate::description::{Description, is_registry_name};
use crate::markdown::line;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::Members;

/// The registry's limit for a description or a title, in characters.
const MOST: usize = 100;

/// An address at which the server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remote {
    #[serde(rename = "type")]
    pub kind: String,
    pub url: String,
}

/// The source repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repository {
    pub url: String,
    /// The service that hosts it, such as `github`.
    pub source: String,
}

/// The server's identity in a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) version: String,
}

// === impl Remote ===

impl Remote {
    pub(super) fn at(url: &str) -> Self {
        Self { kind: "streamable-http".to_owned(), url: url.to_owned() }
    }

    pub(super) fn read(members: &mut Members<'_, '_>) -> Option<Self> {
        let kind = members.required_text("type", "write `streamable-http` or `sse`");
        if kind.as_deref().is_some_and(|kind| !["streamable-http", "sse"].contains(&kind)) {
            members.error(
                "type",
                "is not a transport of a remote server",
                "write `streamable-http` or `sse`",
            );
        }
        let url = members.required_text("url", "write the address of the endpoint");
        Some(Self { kind: kind?, url: url? })
    }
}

// === impl Repository ===

impl Repository {
    /// Returns `None` if nothing is declared, or if the registry's name for the host is unknown.
    pub(super) fn of(description: &Description) -> Option<Self> {
        let url = description.server.repository.as_ref()?;
        let source = match Url::parse(url).ok()?.host_str()? {
            "github.com" => "github",
            "gitlab.com" => "gitlab",
            "bitbucket.org" => "bitbucket",
            "codeberg.org" => "codeberg",
            _ => return None,
        };
        Some(Self { url: url.clone(), source: source.to_owned() })
    }

    pub(super) fn read(members: &mut Members<'_, '_>) -> Option<Self> {
        let url = members.url("url");
        let source = members.required_text("source", "name the host, such as `github`");
        Some(Self { url: url?, source: source? })
    }
}

// === impl Identity ===

impl Identity {
    /// Returns `None` if something is missing, with findings that say what to declare.
    pub(super) fn of(description: &Description, findings: &mut Findings) -> Option<Self> {
        let server = &description.server;
        let at = |name: &str| Pointer::root().join("server").join(name);
        if server.registry_name.is_none() {
            let fix = "declare `registry_name`: the reverse of a domain you own, a slash and a name, such as \
                       `io.github.someone/server`";
            findings.error(at("registry_name"), "is not declared", fix);
        }
        let summary = line(server.summary(), MOST * 4);
        let length = summary.chars().count();
        if length == 0 || length > MOST {
            let fix = format!("declare a `summary` of at most {MOST} characters");
            findings.error(at("summary"), format!("has {length} characters"), fix);
        }
        let version = &description.info.version;
        if !is_exact_version(version) {
            let at = Pointer::root().join("serverInfo").join("version");
            findings.error(at, "is not an exact version", "let the server tell its version, such as `1.0.2`");
        }
        let title = server.title.as_ref().or(description.info.title.as_ref()).map(|title| line(title, MOST));
        let complete =
            server.registry_name.is_some() && (1..=MOST).contains(&length) && is_exact_version(version);
        complete.then(|| Self {
            name: server.registry_name.clone().unwrap_or_default(),
            title: title.filter(|title| !title.is_empty()),
            description: summary,
            version: version.clone(),
        })
    }

    pub(super) fn read(members: &mut Members<'_, '_>) -> Option<Self> {
        let name = members.required_text("name", "write a name such as `io.github.someone/server`");
        if name.as_deref().is_some_and(|name| !is_registry_name(name)) {
            members.error(
                "name",
                "is not the name of the registry",
                "write a name such as `io.github.someone/server`",
            );
        }
        let [description, version] = [
            ("description", "say in at most 100 characters what the server does"),
            ("version", "write the version of the server, such as `1.0.2`"),
        ]
        .map(|(name, fix)| members.required_text(name, fix));
        let title = members.text("title");
        for (name, text) in [("description", &description), ("title", &title)] {
            if text.as_ref().is_some_and(|text| text.chars().count() > MOST) {
                members.error(name, format!("has more than {MOST} characters"), "shorten it");
            }
        }
        if version.as_deref().is_some_and(|version| !is_exact_version(version)) {
            members.error(
                "version",
                "is not an exact version",
                "write one version, not a range, such as `1.0.2`",
            );
        }
        Some(Self { name: name?, title, description: description?, version: version? })
    }
}

/// Returns whether this is a single version: neither a range nor a word for the newest one.
fn is_exact_version(version: &str) -> bool {
    let is_range = version.starts_with(['^', '~', '>', '<', '=']) || version.contains(['*', '|', ' ']);
    let has_x = version.split('.').any(|part| part.eq_ignore_ascii_case("x"));
    !version.is_empty() && version.len() <= 255 && version != "latest" && !is_range && !has_x
}
