//! First manifests, compared as text.
use overt_wire::json::Json;
use serde_json::json;

use super::*;
use crate::Description;
use crate::live::{LiveResource, ServerInfo};
use crate::manifest::Manifest;
use overt_policy::Pointer;
use overt_policy::record::{AccessLevel, Example, Invocation, KnownError, ResourceRecord, Urls};

fn live(tools: &str) -> Live {
    let tools = Json::parse(tools).expect("the test's tools are JSON");
    Live {
        info: ServerInfo {
            name: "Secure/Filesystem_Server".to_owned(),
            version: "0.2.0".to_owned(),
            ..ServerInfo::default()
        },
        tools: tools
            .elements()
            .map(|tool| LiveTool::read(tool).expect("the test's tools have names"))
            .collect(),
        resources: vec![LiveResource {
            uri: "demo://a".to_owned(),
            is_template: false,
            name: "a".to_owned(),
            title: None,
            description: None,
            mime_type: None,
        }],
        prompts: Vec::new(),
    }
}

const TOOLS: &str = r#"[
    {"name": "read_file", "description": "Reads the complete contents of a file.\nSecond line.", "annotations": {"readOnlyHint": true, "idempotentHint": false}},
    {"name": "move.it", "annotations": {"destructiveHint": true, "idempotentHint": false, "openWorldHint": false}},
    {"name": "shuffle", "description": "Shuffles\u001b[31m cards"}
]"#;

#[test]
fn every_guess_is_marked() {
    let text = init(&live(TOOLS), &Declaration::default());
    let body = text.split_once("\n\n").expect("a head").1;
    assert_eq!(
        body,
        r##"[server]
# Lower case letters, digits and hyphens.
name = "secure-filesystem-server" # guessed from `Secure/Filesystem_Server`, which is not a canonical name
# What it does and when to use it, with a phrase such as "Use when".
description = "Secure/Filesystem_Server, an MCP server. Use when the user asks to read the complete contents of a file, to move it." # guessed from its name, its description and its tools
# Each completes: use this server when the user asks to …
when_to_use = ["read the complete contents of a file", "move it"] # guessed from the tools' descriptions and names
# not_for = ["editing images (use an image server)"] # what it is not for, and what is better
# repository = "https://example.com/someone/server"
# install = { npm = "@someone/server" } # or `pip`, `docker`, `cargo`, `brew`
# license = "MIT"
# categories = ["files"]
# registry_name = "io.github.someone/server" # for server.json
guessed = ["name", "description", "when_to_use"]

# Reads the complete contents of a file.
[tools.read_file]
effect = "read" # claimed by its hint `readOnlyHint: true`
# category = "files"
# reversible = false # with `reverse_method` if another tool undoes it
# refusal_modes = [] # when it refuses by design; empty: it never does
# pii_exposure = "none" | "low" | "medium" | "high"
# secrets_exposure = "none" | "reads_secret_material" | "writes_secret_material" | "handles_keys"
guessed = ["effect"]

[tools."move.it"]
effect = "destructive" # claimed by its hint `destructiveHint: true`
idempotent = false # claimed by its hint `idempotentHint`
open_world = false # claimed by its hint `openWorldHint`
# category = "files"
# reversible = false # with `reverse_method` if another tool undoes it
# refusal_modes = [] # when it refuses by design; empty: it never does
# pii_exposure = "none" | "low" | "medium" | "high"
# secrets_exposure = "none" | "reads_secret_material" | "writes_secret_material" | "handles_keys"
guessed = ["effect", "idempotent", "open_world"]

# Shuffles\u{1b}[31m cards
[tools.shuffle]
# effect = "read" # or `mutating`, `external`, `destructive`
# category = "files"
# reversible = false # with `reverse_method` if another tool undoes it
# refusal_modes = [] # when it refuses by design; empty: it never does
# pii_exposure = "none" | "low" | "medium" | "high"
# secrets_exposure = "none" | "reads_secret_material" | "writes_secret_material" | "handles_keys"

# A table for each resource, or resource template, that has more to say, such as:
# [resources."demo://a"]
# resource_type = "document" # what kind of thing it is
# refreshable = true # whether its content changes
# cache_duration = 60 # for how many seconds it may be kept
"##
    );
}

#[test]
fn what_the_server_declares_is_taken_over() {
    let mut said = Declaration {
        server: ServerRecord {
            name: Some("files".to_owned()),
            rate_limit: overt_policy::rate::RateLimit::parse("10/minute"),
            invocation: Some(Invocation { model_invocable: Some(true), ..Invocation::default() }),
            ..ServerRecord::new("Reads files. Use when the user asks for one.")
        },
        ..Declaration::default()
    };
    let record = ToolRecord {
        reversible: Some(true),
        examples: vec![Example {
            description: "a call".to_owned(),
            input: json!({"path": "a", "depth": 1}),
            output: None,
        }],
        errors: vec![KnownError {
            code: "NOT_FOUND".to_owned(),
            description: "no file".to_owned(),
            resolution: "look".to_owned(),
        }],
        ..ToolRecord::new(Effect::Read)
    };
    said.tools.insert("read_file".to_owned(), record);
    said.resources.insert(
        "demo://a".to_owned(),
        ResourceRecord { refreshable: Some(true), ..ResourceRecord::default() },
    );
    let mut live = live(TOOLS);
    live.tools.truncate(1);
    let text = init(&live, &said);
    let body = text.split_once("\n\n").expect("a head").1;
    assert_eq!(
        body,
        r##"[server]
# As the server declares it.
name = "files"
description = "Reads files. Use when the user asks for one."
invocation = { model_invocable = true }
rate_limit = "10/minute"
# Not declared by the server:
# Each completes: use this server when the user asks to …
when_to_use = ["read the complete contents of a file"] # guessed from the tools' descriptions and names
# not_for = ["editing images (use an image server)"] # what it is not for, and what is better
# repository = "https://example.com/someone/server"
# install = { npm = "@someone/server" } # or `pip`, `docker`, `cargo`, `brew`
# license = "MIT"
# categories = ["files"]
# registry_name = "io.github.someone/server" # for server.json
guessed = ["when_to_use"]

# Reads the complete contents of a file.
[tools.read_file]
# As the server declares it.
effect = "read"
reversible = true
examples = [{ description = "a call", input = { path = "a", depth = 1 } }]
errors = [{ code = "NOT_FOUND", description = "no file", resolution = "look" }]
# Not declared by the server:
# category = "files"
# refusal_modes = [] # when it refuses by design; empty: it never does
# pii_exposure = "none" | "low" | "medium" | "high"
# secrets_exposure = "none" | "reads_secret_material" | "writes_secret_material" | "handles_keys"
guessed = ["effect", "reversible"]

# As the server declares it.
[resources."demo://a"]
refreshable = true
"##
    );
}

/// A claim waits for confirmation, and a wrong declaration does not make the first manifest
/// unreadable.
#[test]
fn claims_wait_for_somebody_and_what_is_wrong_is_left_out() {
    let tools = r#"[{"name": "delete_all"}, {"name": "read_file", "annotations": {"readOnlyHint": false}}]"#;
    let mut said = Declaration {
        server: ServerRecord {
            access_level: Some(AccessLevel::Interact),
            urls: Urls { cli: Some("javascript:alert(1)".to_owned()), ..Urls::default() },
            ..ServerRecord::new("Reads files")
        },
        ..Declaration::default()
    };
    said.tools.insert("delete_all".to_owned(), ToolRecord::new(Effect::Read));
    said.tools.insert("read_file".to_owned(), ToolRecord::new(Effect::Read));
    let text = init(&live(tools), &said);
    let shown = |line: &&str| {
        let starts = ["[", "access", "# Not taken", "description", "effect", "guessed"];
        starts.iter().any(|start| line.starts_with(start)) && !line.starts_with("[resources")
    };
    let lines: Vec<&str> = text.lines().filter(shown).collect();
    assert_eq!(
        lines.join("\n"),
        r#"[server]
access_level = "interact"
# Not taken over from the server: `description` does not say when to use the server
# Not taken over from the server: `urls/cli` is not a URL
description = "Reads files. Use when the user asks to delete all, to read file." # guessed from its name, its description and its tools
guessed = ["access_level", "name", "description", "when_to_use"]
[tools.delete_all]
effect = "read" # but it may be `destructive`, guessed from `delete` in its name
guessed = ["effect"]
[tools.read_file]
# Not taken over from the server: `effect` is `read`, but the server says `readOnlyHint: false`
effect = "destructive" # claimed by its hint `readOnlyHint: false`; without `destructiveHint` it may destroy something
guessed = ["effect"]"#
    );
    let manifest = Manifest::parse(&text).expect("it parses");
    assert_eq!(manifest.declaration.tools["delete_all"], ToolRecord::default());
}

/// As written, the manifest declares no guesses. Once the marks are removed, it describes the
/// server it was made from.
#[test]
fn a_first_manifest_describes_the_server_once_somebody_has_looked() {
    let text = init(&live(TOOLS), &Declaration::default());
    let manifest = Manifest::parse(&text).expect("it parses");
    assert_eq!(manifest.declaration.server, ServerRecord::default());
    let guesses: Vec<&str> = manifest.guesses.iter().map(Pointer::as_str).collect();
    assert_eq!(
        guesses,
        [
            "/server/name",
            "/server/description",
            "/server/when_to_use",
            "/tools/read_file/effect",
            "/tools/move.it/effect",
            "/tools/move.it/idempotent",
            "/tools/move.it/open_world",
        ]
    );
    let confirmed: Vec<&str> = text.lines().filter(|line| !line.starts_with("guessed = ")).collect();
    let manifest = Manifest::parse(&confirmed.join("\n")).expect("it still parses");
    let (description, findings) = Description::join(&manifest.declaration, live(TOOLS));
    assert!(!findings.has_errors(), "{findings}");
    assert_eq!(description.name, "secure-filesystem-server");
    assert_eq!(
        description.tools[1].record.as_ref().and_then(|record| record.effect),
        Some(Effect::Destructive)
    );
}

/// H-39: a description is never an empty phrase. Without tools there is no use to name, so a person
/// has to write it.
#[test]
fn h_39_a_description_names_what_the_server_is_for() {
    let description = |tools: &str| {
        let text = init(&live(tools), &Declaration::default());
        let is_description =
            |line: &&str| line.starts_with("description") || line.starts_with("# description");
        text.lines().find(is_description).unwrap_or_default().to_owned()
    };
    assert_eq!(
        description(r#"[{"name": "shuffle"}, {"name": "dealCards", "title": "Deal cards"}]"#),
        "description = \"Secure/Filesystem_Server, an MCP server. Use for shuffle, Deal cards.\" # guessed from its name, its \
         description and its tools"
    );
    assert_eq!(description("[]"), "# description = \"… Use when the user asks to …\" # required");
}

#[test]
fn names_become_ones_that_every_document_takes() {
    for (name, expected) in [
        ("everything", "everything"),
        ("example-servers/everything", "example-servers-everything"),
        ("Ünï Code", "n-code"),
        ("3d--print-", "d-print"),
        ("", "mcp-server"),
    ] {
        assert_eq!(name_of(name), expected);
        assert!(is_name(expected));
    }
    assert_eq!(name_of(&"a-".repeat(50)), "a-".repeat(32).trim_end_matches('-'));
}

#[test]
fn requests_begin_with_what_is_done() {
    assert_eq!(request("Reads a file").as_deref(), Some("read a file"));
    assert_eq!(request("Searches it").as_deref(), Some("search it"));
    assert_eq!(request("Use to get a text back").as_deref(), Some("get a text back"));
    assert_eq!(request("List"), None);
    assert_eq!(request("A tool that reads"), None);
    assert_eq!(request(&format!("Reads {}", "x".repeat(200))), None);
}
