//! A server that describes itself: wrong parts are left out, and the rest is never treated as
//! Markdown (CARD-06, D-31).
use overt_documents::document::{Kind, ServerLocation, render};
use overt_documents::live::ServerInfo;
use overt_documents::{Description, Live, TextSource};
use overt_policy::record::{Invocation, ServerRequirements, Trouble, Urls};
use overt_policy::{Declaration, ResourceRecord, ServerRecord, ToolRecord};
use overt_wire::json::Json;

const EVIL: &str = r"\\[click](http://evil.example/p) \<img src=x onerror=alert(1)>";

fn live() -> Live {
    let tool = Json::parse(r#"{"name":"look","inputSchema":{"type":"object"}}"#).unwrap();
    let page = Json::parse(r#"{"uri":"x://y","name":"y"}"#).unwrap();
    Live {
        info: ServerInfo { name: "acme".into(), version: "1.0.0".into(), ..ServerInfo::default() },
        tools: overt_documents::live::LiveTool::read(tool).into_iter().collect(),
        resources: overt_documents::live::LiveResource::read(page).into_iter().collect(),
        ..Live::default()
    }
}

#[test]
fn fields_with_findings_are_left_out_and_the_others_stay() {
    let server = ServerRecord {
        name: Some("Not A Name".into()),
        emoji: Some("ab".into()),
        urls: Urls {
            cli: Some("javascript:alert(1)".into()),
            api: Some("https://acme.example/api".into()),
            web: Some("https://acme.example/ <img src=x>".into()),
            mcp: Some("mcp.acme.example".into()),
        },
        homepage: Some("file:///etc/passwd".into()),
        repository: Some("https://github.com/acme/x".into()),
        last_updated: Some("soon".into()),
        registry_name: Some("acme".into()),
        requires: ServerRequirements {
            env: ["A=1", "GOOD", "2B", "FINE"].map(String::from).into(),
            ..ServerRequirements::default()
        },
        ..ServerRecord::new("Looks things up.")
    };
    let page =
        ResourceRecord { web_equivalent: Some("javascript:alert(1)".into()), ..ResourceRecord::default() };
    let said = Declaration {
        server: server.clone(),
        resources: [("x://y".to_owned(), page)].into(),
        ..Declaration::default()
    };
    let (description, findings) = Description::described_by_server(&said, live());
    assert!(findings.has_errors());
    assert_eq!(description.source, TextSource::Server);
    assert_eq!(description.name, "not-a-name");
    assert_eq!(description.resources[0].record, None);
    let wanted = ServerRecord {
        urls: Urls { api: server.urls.api, ..Urls::default() },
        repository: server.repository,
        requires: ServerRequirements {
            env: vec!["GOOD".into(), "FINE".into()],
            ..ServerRequirements::default()
        },
        ..ServerRecord::new("Looks things up.")
    };
    assert_eq!(description.server, wanted);
}

/// CARD-06.
#[test]
fn card_06_what_a_server_says_of_itself_is_no_markdown() {
    let evil = || EVIL.to_owned();
    let said = Declaration {
        server: ServerRecord {
            title: Some(evil()),
            summary: Some(evil()),
            when_to_use: vec![evil()],
            not_for: vec![evil()],
            install: [(EVIL[..30].to_owned(), evil())].into(),
            authentication: Some(format!("# Sign in\n{EVIL}")),
            best_practices: vec![evil()],
            troubleshooting: vec![Trouble { problem: evil(), cause: evil(), solution: evil() }],
            urls: Urls { web: Some("https://acme.example/[a](http://b.example)".into()), ..Urls::default() },
            ..ServerRecord::new(&format!("Use when {EVIL}"))
        },
        tools: [(
            "look".to_owned(),
            ToolRecord { category: Some(evil()), side_effects: vec![evil()], ..ToolRecord::default() },
        )]
        .into(),
        ..Declaration::default()
    };
    let (description, _) = Description::described_by_server(&said, live());
    for kind in [Kind::AiHelp, Kind::LlmsFull, Kind::Llms] {
        let text = render(kind, &description, &ServerLocation::default()).unwrap().remove(0).text;
        // The front matter is YAML, which has no markup.
        let body = text.split_once("\n---\n").map_or(text.as_str(), |(_, body)| body);
        let mut before = ' ';
        let mut is_escaped = false;
        for (at, c) in body.char_indices() {
            is_escaped = before == '\\' && !is_escaped;
            let line = body[..at].rsplit('\n').next().unwrap_or_default();
            // Our own links in `llms.txt` begin a line.
            let is_ours = kind == Kind::Llms && (line == "- " || line.starts_with("- ["));
            let is_code = line.matches('`').count() % 2 == 1;
            assert!(!matches!(c, '[' | '<') || is_escaped || is_ours || is_code, "{kind}: {}", &body[at..]);
            before = c;
        }
    }
}

/// A server can't declare what a client may do without asking.
#[test]
fn a_skill_takes_no_permissions_from_a_server() {
    let said = Declaration {
        server: ServerRecord {
            invocation: Some(Invocation { allowed_tools: vec!["Bash(*)".into()], ..Invocation::default() }),
            ..ServerRecord::new("Looks things up. Use when asked.")
        },
        ..Declaration::default()
    };
    let skill = |description: &Description| {
        render(Kind::Skill, description, &ServerLocation::default()).unwrap().remove(0).text
    };
    assert!(!skill(&Description::described_by_server(&said, live()).0).contains("allowed-tools"));
    assert!(skill(&Description::join(&said, live()).0).contains("allowed-tools"));
}
