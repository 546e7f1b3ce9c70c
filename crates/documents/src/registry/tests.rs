//! Documents fit their published schemas (we keep copies without examples), survive a round trip,
//! and report what is missing if they can't be made.
use serde_json::{Value, json};

use super::*;
use crate::description::Description;
use crate::fixture::acme;
use crate::server_location::ServerLocation;

fn remote() -> ServerLocation {
    ServerLocation::served("https://mcp.acme.com/mcp")
}

#[track_caller]
fn valid(schema: &str, reference: Option<&str>, document: &Value) {
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    if let Some(reference) = reference {
        schema["$ref"] = json!(reference);
    }
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{document:#}");
}

fn places(findings: &overt_policy::Findings) -> Vec<&str> {
    findings.iter().map(|finding| finding.at.as_str()).collect()
}

#[test]
fn the_registry_record_is_valid_and_reads_back() {
    let mut acme = acme();
    acme.server.install.insert("brew".to_owned(), "acme/tap/mcp".to_owned());
    acme.server.urls.mcp = Some("https://mcp.acme.com/mcp".to_owned());
    let record = ServerJson::of(&acme).unwrap();
    let json = record.render();
    valid(include_str!("../../tests/data/server-json-2025-12-11.json"), None, &json);
    assert_eq!(ServerJson::parse(&json), Ok(record));
    assert_eq!(json["name"], "com.acme/acme-mcp");
    assert_eq!(json["repository"]["source"], "github");
    assert_eq!(json["remotes"], json!([{ "type": "streamable-http", "url": "https://mcp.acme.com/mcp" }]));
    let packages = json["packages"].as_array().unwrap();
    assert_eq!(packages.len(), 2, "the registry does not know brew");
    assert_eq!(packages[0]["registryType"], "npm");
    assert_eq!(packages[0].get("version"), None, "nobody has said which");
    assert_eq!(packages[0]["packageArguments"][0], json!({ "type": "positional", "value": "--workspace" }));
    assert_eq!(packages[0]["environmentVariables"][0], json!({ "name": "ACME_API_KEY", "isRequired": true }));
    assert_eq!(packages[1]["registryType"], "oci");
}

/// The version that a server reports is not always that of its package.
#[test]
fn a_package_has_the_version_that_is_declared_with_it() {
    for (manager, declared, identifier, version) in [
        ("npm", "@acme/mcp-server@2.1.0", "@acme/mcp-server", Some("2.1.0")),
        ("npm", "@acme/mcp-server", "@acme/mcp-server", None),
        ("npm", "acme@2.1.0", "acme", Some("2.1.0")),
        ("pip", "acme-mcp==2.1.0", "acme-mcp", Some("2.1.0")),
        ("pip", "acme-mcp", "acme-mcp", None),
    ] {
        let mut acme = acme();
        acme.server.install = [(manager.to_owned(), declared.to_owned())].into();
        let packages = ServerJson::of(&acme).unwrap().packages;
        assert_eq!((packages[0].identifier.as_str(), packages[0].version.as_deref()), (identifier, version));
    }
}

#[test]
fn the_server_card_is_valid_and_reads_back() {
    let card = ServerCard::of(&acme(), &remote()).unwrap();
    let json = card.render();
    valid(include_str!("../../tests/data/server-card-v1.json"), Some("#/$defs/ServerCard"), &json);
    assert_eq!(ServerCard::parse(&json), Ok(card));
    assert_eq!(json["remotes"][0]["url"], "https://mcp.acme.com/mcp");
}

#[test]
fn the_catalogue_points_to_the_card() {
    let catalog = AiCatalog::of(&acme(), &remote()).unwrap();
    let json = catalog.render();
    assert_eq!(
        json,
        json!({ "specVersion": "1.0", "entries": [{
            "identifier": "urn:air:acme.com:acme-mcp",
            "displayName": "Acme MCP Server",
            "type": "application/mcp-server-card+json",
            "mediaType": "application/mcp-server-card+json",
            "url": "https://mcp.acme.com/mcp/server-card",
            "description": "MCP server for project management and task tracking",
            "version": "1.0.0",
        }]})
    );
    assert_eq!(AiCatalog::parse(&json), Ok(catalog));

    // A third-party server need not serve a card, so in files the entry links to the file.
    let files = AiCatalog::of(&acme(), &ServerLocation::at("https://mcp.acme.com/mcp")).unwrap();
    assert_eq!(files.entries[0].url, "server-card.json");
    assert_eq!(AiCatalog::parse(&files.render()), Ok(files));
    for wrong in ["javascript:alert(1)", "//evil.example/x", "file:///x"] {
        let mut json = json.clone();
        json["entries"][0]["url"] = wrong.into();
        assert_eq!(places(&AiCatalog::parse(&json).unwrap_err()), ["/entries/0/url"], "{wrong}");
    }
}

/// D-33.
#[test]
fn the_registration_record_of_the_specification_goes_there_and_back() {
    let example: Value =
        serde_json::from_str(include_str!("../../tests/data/seed-registration.json")).unwrap();
    assert_eq!(example["verified"], true);
    assert_eq!(Registration::parse(&example).unwrap().render(), example);

    let own = Registration::of(&acme());
    assert_eq!(own.verified, None);
    assert!(own.render().get("verified").is_none());
    assert_eq!(Registration::parse(&own.render()), Ok(own));
}

#[test]
fn what_is_not_declared_is_named_and_nothing_is_made() {
    let mut bare: Description = acme();
    bare.server = overt_policy::ServerRecord::new("It does things of which we say nothing");
    bare.server.summary = Some("x".repeat(101));
    bare.info.version = "latest".to_owned();
    let wanted = ["/server/registry_name", "/server/summary", "/serverInfo/version"];
    assert_eq!(places(&ServerJson::of(&bare).unwrap_err()), wanted);
    let nowhere = ServerLocation::default();
    let card = ServerCard::of(&bare, &nowhere).unwrap_err();
    assert_eq!(places(&card), [&wanted[..], &["/server/urls/mcp"]].concat());
    let catalog = AiCatalog::of(&acme(), &nowhere).unwrap_err();
    assert_eq!(places(&catalog), ["/server/urls/mcp"]);
    assert!(catalog.to_string().contains("only if that is public and begins with `https`"), "{catalog}");
}

#[test]
fn everything_that_is_wrong_is_found_at_once() {
    let wrong = json!({ "name": "acme", "description": "x".repeat(101), "version": "^1.0", "packages": [{}], "remotes": [{ "type": "ws", "url": 1 }] });
    assert_eq!(
        places(&ServerJson::parse(&wrong).unwrap_err()),
        [
            "/$schema",
            "/name",
            "/description",
            "/version",
            "/packages/0/registryType",
            "/packages/0/identifier",
            "/packages/0/transport",
            "/remotes/0/type",
            "/remotes/0/url",
        ]
    );
    assert_eq!(
        places(&AiCatalog::parse(&json!({ "specVersion": "1.0", "entries": [{}] })).unwrap_err()),
        ["/entries/0/identifier", "/entries/0/displayName", "/entries/0/type", "/entries/0/url"]
    );
    assert_eq!(
        places(
            &Registration::parse(&json!({ "name": 1, "install": { "npm": 2 }, "verified": "yes" }))
                .unwrap_err()
        ),
        ["/name", "/description", "/specVersion", "/install/npm", "/verified"]
    );
}
