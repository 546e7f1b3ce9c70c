//! The server card, which a client reads before it connects to a remote server. It lists no tools;
//! a client gets them over the connection.
use serde::Serialize;
use serde_json::{Value, json};

use super::common::{Identity, Remote, Repository};
use crate::description::Description;
use crate::server_location::ServerLocation;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::Members;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
/// The media type of the card.
pub const CARD_TYPE: &str = "application/mcp-server-card+json";

/// The identity of a server, and where it is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerCard {
    #[serde(rename = "$schema")]
    pub schema: String,
    pub name: String,
    pub version: String,
    pub description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Repository>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<Remote>,
}

impl ServerCard {
    pub fn of(description: &Description, place: &ServerLocation) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let identity = Identity::of(description, &mut findings);
        let endpoint = endpoint(description, place, &mut findings);
        let (Some(identity), Some(endpoint)) = (identity, endpoint) else { return Err(findings) };
        let Identity { name, title, description: text, version } = identity;
        Ok(Self {
            schema: SCHEMA.to_owned(),
            name,
            version,
            description: text,
            title,
            website_url: description.server.homepage.clone(),
            repository: Repository::of(description),
            remotes: vec![Remote::at(endpoint)],
        })
    }

    pub fn render(&self) -> Value {
        json!(self)
    }

    pub fn parse(value: &Value) -> Result<Self, Findings> {
        Members::read_document(value, read)
    }
}

fn read(members: &mut Members<'_, '_>) -> Option<ServerCard> {
    let schema = members.required_text("$schema", &format!("write `{SCHEMA}`"));
    if schema.as_deref().is_some_and(|schema| schema != SCHEMA) {
        members.error("$schema", "is not the schema of server cards", format!("write `{SCHEMA}`"));
    }
    let identity = Identity::read(members);
    let website_url = members.url("websiteUrl");
    let repository = members.object("repository", Repository::read).flatten();
    let remotes = members.objects("remotes", Remote::read).unwrap_or_default();
    let Identity { name, title, description, version } = identity?;
    Some(ServerCard { schema: schema?, name, version, description, title, website_url, repository, remotes })
}

/// Returns the endpoint for clients. A finding reports its absence: both documents describe only
/// remote servers.
pub(super) fn endpoint<'a>(
    description: &'a Description,
    place: &'a ServerLocation,
    findings: &mut Findings,
) -> Option<&'a str> {
    let endpoint = place.endpoint(description);
    if endpoint.is_none() {
        let at = Pointer::root().join("server").join("urls").join("mcp");
        let fix = "declare the public address of the MCP endpoint; where it is reached now counts only if that is \
                   public and begins with `https`";
        findings.error(at, "is not declared", fix);
    }
    endpoint
}
