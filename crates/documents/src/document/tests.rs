//! All documents are made or say why not, and none of them contains a secret.
use super::*;
use crate::description::Description;
use crate::fixture;
use overt_policy::record::{Example, KnownError, PiiExposure, SecretsExposure, Trouble};
use overt_policy::word::StringEnum;

/// A text that looks like a GitHub key but is not one.
fn planted() -> String {
    ["ghp_", "aZ4kQ9mB2xV7nL1pR8sT", "5wY3cE6dF0gH"].concat()
}

/// The example, completed with the facts that its cards need.
fn acme() -> Description {
    let mut acme = fixture::acme();
    for record in acme.tools.iter_mut().filter_map(|tool| tool.record.as_mut()) {
        record.reversible = record.reversible.or(Some(false));
        record.pii_exposure = Some(PiiExposure::Low);
        record.secrets_exposure = Some(SecretsExposure::None);
    }
    acme
}

fn paths(documents: &[Document]) -> Vec<&str> {
    documents.iter().map(|document| document.path.as_str()).collect()
}

#[test]
fn every_document_of_the_example() {
    let place = ServerLocation::at("https://mcp.acme.com/mcp");
    let (documents, findings) = all(&acme(), &place);
    assert_eq!(findings.to_string(), "");
    let cards = [
        "cards/list_projects.json",
        "cards/create_project.json",
        "cards/delete_project.json",
        "cards/index.json",
    ];
    let mut wanted =
        vec!["ai-help.md", "ai-help.json", "dashdash.json", "acme-mcp/SKILL.md", "llms.txt", "llms-full.txt"];
    wanted.extend(cards);
    wanted.extend(["registration.json", "server.json", "server-card.json", "ai-catalog.json"]);
    assert_eq!(paths(&documents), wanted);
    for document in &documents {
        assert!(document.text.ends_with('\n'));
        if document.path.ends_with(".json") {
            assert!(serde_json::from_str::<serde_json::Value>(&document.text).is_ok());
        }
    }
}

/// `corp.de` is an ordinary domain; reversed, it reads like an internal host.
#[test]
fn a_name_in_the_registry_is_no_internal_host() {
    let mut acme = acme();
    acme.server.registry_name = Some("de.corp/acme-mcp".to_owned());
    let (documents, findings) = all(&acme, &ServerLocation::default());
    assert!(!findings.has_errors(), "{findings}");
    assert!(documents.iter().any(|document| document.text.contains("de.corp/acme-mcp")));
    acme.server.summary = Some("Talks to build.de.corp/acme-mcp for you.".to_owned());
    assert!(all(&acme, &ServerLocation::default()).1.has_errors(), "the host of a network is still one");
}

#[test]
fn what_can_not_be_made_says_what_to_declare_once() {
    let mut bare = acme();
    bare.server.registry_name = None;
    let (documents, findings) = all(&bare, &ServerLocation::default());
    assert_eq!(documents.len(), Kind::ALL.len() - 3 + bare.tools.len());
    assert!(!findings.has_errors());
    let text = findings.to_string();
    assert!(
        text.contains("/server/registry_name: is not declared, so there is no server-json, no server-card, no ai-catalog;"),
        "{text}"
    );
    assert!(render(Kind::ServerJson, &bare, &ServerLocation::default()).is_err());
}

#[test]
fn a_tool_of_which_too_little_is_declared_has_no_card_and_the_others_do() {
    let mut some = acme();
    some.tools[0].record = None;
    let (documents, findings) = all(&some, &ServerLocation::default());
    let cards: Vec<&Document> = documents.iter().filter(|document| document.kind == Kind::Card).collect();
    assert_eq!(cards.len(), 3);
    let index: serde_json::Value = serde_json::from_str(&cards[2].text).unwrap();
    assert_eq!(index["cards"][0]["uri"], "create_project.json");
    assert!(findings.iter().any(|finding| finding.at.as_str() == "/tools/list_projects"));
    assert_eq!(render(Kind::Card, &some, &ServerLocation::default()).unwrap().len(), 3);
    some.tools.iter_mut().for_each(|tool| tool.record = None);
    assert!(render(Kind::Card, &some, &ServerLocation::default()).is_err());
}

/// More tools than findings are kept one by one.
#[test]
fn what_many_tools_lack_is_counted_for_all_of_them() {
    let mut many = fixture::acme();
    let tool = many.tools.swap_remove(0);
    many.tools = (0..300)
        .map(|index| {
            let mut tool = tool.clone();
            tool.live.name = format!("tool-{index}");
            if let Some(record) = tool.record.as_mut() {
                record.pii_exposure = None;
            }
            tool
        })
        .collect();
    let (_, findings) = all(&many, &ServerLocation::default());
    let of = |name: &str| {
        let counts = findings.counted().filter(|(finding, _)| finding.at.as_str().ends_with(name));
        counts.map(|(_, count)| count).sum::<usize>()
    };
    assert_eq!(of("/pii_exposure"), 300, "{findings}");
    assert_eq!(findings.more(), 0);
}

/// CARD-09.
#[test]
fn card_09_paths_lead_to_documents_and_nowhere_else() {
    let at = |path| ServedDocument::at(path, "/v1/mcp");
    assert_eq!(at("/llms.txt"), Some(ServedDocument::One(Kind::Llms)));
    assert_eq!(at("/.well-known/llms.txt"), at("/llms.txt"));
    assert_eq!(at("/llms-full.txt"), Some(ServedDocument::One(Kind::LlmsFull)));
    assert_eq!(at("/v1/mcp/server-card"), Some(ServedDocument::One(Kind::ServerCard)));
    assert_eq!(at("/.well-known/ai-catalog.json"), Some(ServedDocument::One(Kind::AiCatalog)));
    assert_eq!(at("/.well-known/ard.json"), at("/.well-known/ai-catalog.json"));
    assert_eq!(at("/.well-known/mcp-tools/index.json"), Some(ServedDocument::Cards));
    assert_eq!(
        at("/.well-known/mcp-tools/read_file.json"),
        Some(ServedDocument::Card("read_file".to_owned()))
    );
    for path in [
        "/",
        "/v1/mcp",
        "/server-card",
        "/LLMS.txt",
        "/llms.txt/",
        "/.well-known/mcp-tools/",
        "/.well-known/mcp-tools/../llms.txt",
        "/.well-known/mcp-tools/a/b.json",
        "/.well-known/mcp-tools/...json",
        "/.well-known/mcp-tools/%2e%2e.json",
        "/.well-known/mcp-tools/a.json.json/x",
    ] {
        assert_eq!(at(path), None, "{path}");
    }
}

/// A document that is served on a private network may contain the address that its reader just
/// used.
#[test]
fn the_address_of_the_server_itself_is_no_secret() {
    let place = ServerLocation::served("http://192.168.1.5:8080/mcp");
    assert!(render(Kind::ServerCard, &acme(), &place).is_ok());
    assert!(render(Kind::Llms, &acme(), &place).is_ok());
    for other in ["http://192.168.1.6/", "http://192.168.1.50/", "http://192.168.1.5.internal/"] {
        let mut description = acme();
        description.server.homepage = Some(other.to_owned());
        assert!(render(Kind::Llms, &description, &place).is_err(), "{other}");
        assert!(render(Kind::ServerCard, &description, &place).is_err(), "{other}");
    }
    // A file may be passed on to anybody.
    let place = ServerLocation::at("http://192.168.1.5:8080/mcp");
    for kind in [Kind::AiHelp, Kind::Llms, Kind::ServerCard] {
        assert!(render(kind, &acme(), &place).is_err(), "{kind}");
    }
}

/// D-30: no document contains a secret that was planted in any field, and no finding repeats it.
#[test]
fn d_30_a_planted_secret_stops_every_document_that_would_show_it() {
    type Plant = fn(&mut Description, String);
    let fields: [(&str, Plant); 17] = [
        ("description", |d, s| d.server.description = format!("Use when {s}")),
        ("summary", |d, s| d.server.summary = Some(s)),
        ("title", |d, s| d.server.title = Some(s)),
        ("when_to_use", |d, s| d.server.when_to_use = vec![s]),
        ("not_for", |d, s| d.server.not_for = vec![s]),
        ("urls", |d, s| d.server.urls.api = Some(format!("https://acme.com/?token={s}"))),
        ("install", |d, s| _ = d.server.install.insert("npm".to_owned(), s)),
        ("args", |d, s| d.server.args = vec![s]),
        ("authentication", |d, s| d.server.authentication = Some(format!("export KEY={s}"))),
        ("best_practices", |d, s| d.server.best_practices = vec![s]),
        ("troubleshooting", |d, s| {
            d.server.troubleshooting = vec![Trouble { problem: s.clone(), cause: s.clone(), solution: s }];
        }),
        ("categories", |d, s| d.server.categories = vec![s]),
        ("homepage", |d, s| d.server.homepage = Some(format!("https://user:{s}@acme.com/"))),
        ("tool description", |d, s| d.tools[0].live.description = Some(s)),
        ("parameter", |d, s| {
            d.tools[0].live.definition.change(|definition| {
                definition["inputSchema"]["properties"]["status"]["default"] = s.into();
            });
        }),
        ("example", |d, s| {
            d.tools[1].record.as_mut().unwrap().examples = vec![Example {
                description: "x".to_owned(),
                input: serde_json::json!({ "a": s }),
                output: None,
            }];
        }),
        ("error", |d, s| {
            d.tools[1].record.as_mut().unwrap().errors =
                vec![KnownError { code: "A".to_owned(), description: s.clone(), resolution: s }];
        }),
    ];
    for (field, plant) in fields {
        let mut description = acme();
        plant(&mut description, planted());
        let (documents, findings) = all(&description, &ServerLocation::default());
        assert!(findings.has_errors(), "{field}");
        assert!(!findings.to_string().contains(&planted()), "{field}");
        for document in documents {
            assert!(!document.text.contains(&planted()), "{field} in {}", document.path);
        }
    }
}

#[test]
fn a_finding_names_the_document_and_the_field() {
    let mut description = acme();
    description.server.best_practices = vec!["fine".to_owned(), planted()];
    let findings = render(Kind::AiHelp, &description, &ServerLocation::default()).unwrap_err();
    let places: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(places, ["/ai-help.md/sections/bestPractices/1"]);
}

#[test]
fn a_card_for_each_tool_that_is_declared_well_enough() {
    let mut acme = acme();
    acme.tools[1].record.as_mut().unwrap().pii_exposure = None;
    let place = ServerLocation::served("https://mcp.acme.com/mcp");
    let (documents, findings) = all(&acme, &place);
    assert_eq!(paths(&documents).iter().filter(|path| path.starts_with("cards/")).count(), 3);
    assert_eq!(
        findings.to_string().split(';').next(),
        Some("warning: /tools/create_project/pii_exposure: is not declared, so there is no card")
    );
    assert!(card("list_projects", &acme, &place).unwrap().text.contains("\"side_effect_class\": \"read\""));
    assert_eq!(card("create_project", &acme, &place), None);
    assert_eq!(card("../list_projects", &acme, &place), None);
    let index = card_index(&acme, &place).unwrap().text;
    assert!(index.contains("https://mcp.acme.com/.well-known/mcp-tools/delete_project.json"), "{index}");
    assert!(!index.contains("create_project"));
    acme.tools[0].live.description = Some(planted());
    assert_eq!(card("list_projects", &acme, &place), None);
    assert!(!card_index(&acme, &place).unwrap().text.contains("list_projects"), "nor is it in the list");
}
