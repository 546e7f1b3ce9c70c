//! The record of the official registry (schema of 2025-12-11).
use serde::Serialize;
use serde_json::{Value, json};

use super::common::{Identity, Remote, Repository};
use crate::description::Description;
use overt_policy::finding::Findings;
use overt_policy::members::Members;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// A server that can be installed or reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerJson {
    #[serde(rename = "$schema")]
    pub schema: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub description: String,
    pub version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Repository>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<Package>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<Remote>,
}

/// A package that runs the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Package {
    pub registry_type: String,
    pub identifier: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    pub transport: Transport,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub package_arguments: Vec<Argument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment_variables: Vec<EnvironmentVariable>,
}

/// An argument on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Argument {
    #[serde(rename = "type")]
    pub kind: String,
    /// The name; only named arguments have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// The transport between a client and the package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Transport {
    #[serde(rename = "type")]
    pub kind: String,
}

/// An environment variable that the server needs: its name, never its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentVariable {
    pub name: String,
    pub is_required: bool,
}

impl ServerJson {
    pub fn of(description: &Description) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let Some(identity) = Identity::of(description, &mut findings) else { return Err(findings) };
        let server = &description.server;
        Ok(Self {
            schema: SCHEMA.to_owned(),
            packages: packages(description),
            name: identity.name,
            title: identity.title,
            description: identity.description,
            version: identity.version,
            website_url: server.homepage.clone(),
            repository: Repository::of(description),
            // Only the declared address is known to be public; the current one need not be.
            remotes: server.urls.mcp.iter().map(|url| Remote::at(url)).collect(),
        })
    }

    pub fn render(&self) -> Value {
        json!(self)
    }

    pub fn parse(value: &Value) -> Result<Self, Findings> {
        Members::read_document(value, read)
    }
}

fn read(members: &mut Members<'_, '_>) -> Option<ServerJson> {
    let schema = members.required_text("$schema", &format!("write `{SCHEMA}`"));
    let identity = Identity::read(members);
    let website_url = members.url("websiteUrl");
    let repository = members.object("repository", Repository::read).flatten();
    let packages = members.objects("packages", package).unwrap_or_default();
    let remotes = members.objects("remotes", Remote::read).unwrap_or_default();
    let Identity { name, title, description, version } = identity?;
    Some(ServerJson {
        schema: schema?,
        name,
        title,
        description,
        version,
        website_url,
        repository,
        packages,
        remotes,
    })
}

fn package(members: &mut Members<'_, '_>) -> Option<Package> {
    let registry_type =
        members.required_text("registryType", "write `npm`, `pypi`, `oci`, `nuget` or `mcpb`");
    let identifier = members.required_text("identifier", "write the name of the package");
    let version = members.text("version");
    let transport = members.object("transport", |transport| transport.required_text("type", "write `stdio`"));
    if transport.is_none() {
        members.missing("transport", "write an object such as `{\"type\": \"stdio\"}`");
    }
    let arguments = members.objects("packageArguments", |argument| {
        let kind = argument.required_text("type", "write `positional` or `named`");
        Some(Argument { kind: kind?, name: argument.text("name"), value: argument.text("value") })
    });
    let variables = members.objects("environmentVariables", |variable| {
        let name = variable.required_text("name", "write the name of the variable");
        let is_required = variable.flag("isRequired").unwrap_or(false);
        Some(EnvironmentVariable { name: name?, is_required })
    });
    Some(Package {
        registry_type: registry_type?,
        identifier: identifier?,
        version,
        transport: Transport { kind: transport.flatten()? },
        package_arguments: arguments.unwrap_or_default(),
        environment_variables: variables.unwrap_or_default(),
    })
}

/// Returns the packages whose managers the registry knows.
fn packages(description: &Description) -> Vec<Package> {
    let arguments = description.server.args.iter();
    let arguments: Vec<_> = arguments
        .map(|value| Argument { kind: "positional".to_owned(), name: None, value: Some(value.clone()) })
        .collect();
    let variables = description.server.requires.env.iter();
    let variables: Vec<_> =
        variables.map(|name| EnvironmentVariable { name: name.clone(), is_required: true }).collect();
    let known = description.server.install.iter().filter_map(|(manager, identifier)| {
        // Only a version that is declared with the package counts, because the one that the server
        // reports may differ from it.
        let (registry_type, (identifier, version)) = match manager.as_str() {
            "npm" => (
                "npm",
                versioned(identifier.rsplit_once('@').filter(|(name, _)| !name.is_empty()), identifier),
            ),
            "pip" => ("pypi", versioned(identifier.split_once("=="), identifier)),
            // The name of an image includes its version.
            "docker" => ("oci", (identifier.as_str(), None)),
            _ => return None,
        };
        Some(Package {
            registry_type: registry_type.to_owned(),
            identifier: identifier.to_owned(),
            version: version.map(str::to_owned),
            transport: Transport { kind: "stdio".to_owned() },
            package_arguments: arguments.clone(),
            environment_variables: variables.clone(),
        })
    });
    known.collect()
}

/// Returns a name, and its version if it is written with one.
fn versioned<'a>(parts: Option<(&'a str, &'a str)>, whole: &'a str) -> (&'a str, Option<&'a str>) {
    parts.map_or((whole, None), |(name, version)| (name, Some(version)))
}
