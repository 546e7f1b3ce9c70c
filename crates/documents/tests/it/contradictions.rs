//! Invalid declarations about a server: each contradiction prevents the start and is reported with
//! its place (X-26, CARD-04).
use overt_documents::Description;
use overt_policy::record::{AccessLevel, Audit, Effect, Example, KnownError, Operation};
use overt_policy::{Declaration, Finding, Severity};
use serde_json::json;

use crate::acme;

type Change = fn(&mut Declaration);

fn findings(change: Change) -> Vec<Finding> {
    let mut declaration = acme::declaration();
    change(&mut declaration);
    Description::join(&declaration, acme::live()).1.into_iter().collect()
}

#[test]
fn a_contradiction_names_its_place() {
    let table: &[(Change, &str, &str)] = &[
        // X-26
        (
            |d| d.tools["delete_project"].effect = Some(Effect::Read),
            "/tools/delete_project/effect",
            "destructiveHint: true",
        ),
        (
            |d| d.tools["delete_project"].effect = Some(Effect::Mutating),
            "/tools/delete_project/effect",
            "destructiveHint: true",
        ),
        (
            |d| d.tools["create_project"].operation = Some(Operation::Delete),
            "/tools/create_project/operation",
            "`mutating` can't be",
        ),
        (
            |d| d.tools["delete_project"].human_approval = Some(false),
            "/tools/delete_project/human_approval",
            "destructive",
        ),
        (
            |d| {
                d.tools["create_project"] = overt_policy::ToolRecord {
                    side_effects: vec!["mails".into()],
                    ..overt_policy::ToolRecord::new(Effect::Read)
                }
            },
            "/tools/create_project/side_effects",
            "the effect is `read`",
        ),
        (
            |d| {
                d.tools["create_project"] = overt_policy::ToolRecord {
                    scopes: vec!["write:projects".into()],
                    ..overt_policy::ToolRecord::new(Effect::Read)
                }
            },
            "/tools/create_project/scopes/0",
            "the effect is `read`",
        ),
        // D-16
        (
            |d| d.tools["create_project"].reverse_method = Some("undo".into()),
            "/tools/create_project/reverse_method",
            "`undo`",
        ),
        (
            |d| d.tools["create_project"].reverse_method = Some("create_project".into()),
            "/tools/create_project/reverse_method",
            "the tool itself",
        ),
        (
            |d| d.tools["create_project"].reversible = Some(false),
            "/tools/create_project/reverse_method",
            "`reversible` is `false`",
        ),
        // D-17
        (
            |d| d.tools["create_project"].cli_equivalent = Some("acme {nmae}".into()),
            "/tools/create_project/cli_equivalent",
            "`{nmae}`",
        ),
        (
            |d| d.tools["create_project"].api_equivalent = Some("projects".into()),
            "/tools/create_project/api_equivalent",
            "not a request",
        ),
        (
            |d| d.tools["create_project"].intent_template = Some("Create {x}".into()),
            "/tools/create_project/intent_template",
            "`{x}`",
        ),
        // D-19
        (
            |d| {
                d.tools["create_project"].examples =
                    vec![Example { description: "x".into(), input: json!({"name": 7}), output: None }];
            },
            "/tools/create_project/examples/0/input/name",
            "input schema",
        ),
        (
            |d| {
                d.tools["create_project"].examples =
                    vec![Example { description: "x".into(), input: json!({}), output: None }];
            },
            "/tools/create_project/examples/0/input",
            "input schema",
        ),
        // C-02
        (
            |d| d.tools["create_project"].version = Some("1".into()),
            "/tools/create_project/version",
            "not a version",
        ),
        // A tool or resource that does not exist.
        (|d| drop(d.tools.insert("nope".into(), Default::default())), "/tools/nope", "no such tool"),
        (
            |d| drop(d.resources.insert("acme://x".into(), Default::default())),
            "/resources/acme:~1~1x",
            "no such resource",
        ),
        // D-03 to D-14
        (|d| d.server.name = Some("Acme".into()), "/server/name", "not a canonical name"),
        (|d| d.server.description = "Manages projects.".into(), "/server/description", "when to use"),
        (|d| d.server.description = " ".into(), "/server/description", "missing"),
        (|d| d.server.emoji = Some("📊📊".into()), "/server/emoji", "not one emoji"),
        (|d| d.server.emoji = Some("A".into()), "/server/emoji", "not one emoji"),
        (|d| d.server.access_level = Some(AccessLevel::Read), "/server/access_level", "`create_project`"),
        (|d| d.server.urls.cli = Some("javascript:alert(1)".into()), "/server/urls/cli", "not a URL"),
        (|d| d.server.homepage = Some("acme.com".into()), "/server/homepage", "not a URL"),
        (|d| d.server.requires.env = vec!["KEY=value".into()], "/server/requires/env/0", "not the name"),
        (
            |d| d.server.last_updated = Some("yesterday".into()),
            "/server/last_updated",
            "not an ISO 8601 date",
        ),
        (|d| d.server.registry_name = Some("acme".into()), "/server/registry_name", "registry"),
        (
            |d| d.server.audit = Audit { retention_days: Some(0), ..Audit::default() },
            "/server/audit/retention_days",
            "is 0",
        ),
    ];
    for (change, at, problem) in table {
        let found = findings(*change);
        let errors: Vec<&Finding> = found.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(
            errors.len() == 1 && errors[0].at.as_str() == *at && errors[0].problem.contains(problem),
            "{at}: {problem}: {found:#?}"
        );
        assert!(!errors[0].fix.is_empty());
    }
}

/// D-20: if the codes of a tool are known, exactly those must be described.
#[test]
fn errors_are_those_that_the_tool_can_give() {
    let mut live = acme::live();
    live.tools[0].error_codes = Some(["DUPLICATE_NAME".to_owned(), "FULL".to_owned()].into());
    let mut declaration = acme::declaration();
    let other = KnownError { code: "OTHER".into(), description: "d".into(), resolution: "r".into() };
    declaration.tools["create_project"].errors.push(other);
    let found: Vec<String> =
        Description::join(&declaration, live).1.iter().map(|finding| finding.problem.clone()).collect();
    assert_eq!(
        found,
        ["the tool can't answer with `OTHER`", "say nothing of `FULL`, which the tool can answer with"]
    );
}

/// CARD-04: a declaration that is more careful than the server's hints is kept, with a warning.
#[test]
fn the_more_careful_word_stands() {
    let mut live = acme::live();
    live.tools[0].hints.read_only = Some(true);
    let (description, findings) = Description::join(&acme::declaration(), live);
    assert!(!findings.has_errors());
    assert!(findings.iter().any(|finding| finding.at.as_str() == "/tools/create_project/effect"));
    assert!(description.tools[0].record.is_some());
}

/// X-26: a declaration that is less careful than the server's hints never passes, whatever the
/// other hints are.
#[test]
fn nothing_is_less_careful_than_the_hints() {
    for effect in [Effect::Read, Effect::Mutating, Effect::External] {
        for read_only in [None, Some(true), Some(false)] {
            let mut live = acme::live();
            live.tools[0].hints.destructive = Some(true);
            live.tools[0].hints.read_only = read_only;
            let mut declaration = acme::declaration();
            declaration.tools["create_project"].effect = Some(effect);
            let findings = Description::join(&declaration, live).1;
            assert!(findings.has_errors(), "{effect} {read_only:?}");
        }
    }
}

/// A wrong record of one tool is left out, and the rest is kept.
#[test]
fn a_wrong_record_is_left_out_alone() {
    let mut declaration = acme::declaration();
    declaration.tools["create_project"].reverse_method = Some("undo".into());
    let (description, findings) = Description::join(&declaration, acme::live());
    assert!(findings.has_errors());
    assert!(description.tools[0].record.is_none() && description.tools[1].record.is_some());
}

/// If no access level is declared, it follows from the tools (D-06).
#[test]
fn the_access_level_follows_from_the_effects() {
    let mut declaration = acme::declaration();
    let level = |declaration: &Declaration, live| Description::join(declaration, live).0.access_level;
    assert_eq!(level(&declaration, acme::live()), AccessLevel::Interact);
    let mut reading = acme::live();
    reading.tools.truncate(1);
    declaration.tools.shift_remove("delete_project");
    declaration.tools["create_project"] = overt_policy::ToolRecord::new(Effect::Read);
    assert_eq!(level(&declaration, reading.clone()), AccessLevel::Read);
    declaration.tools.clear();
    assert_eq!(level(&declaration, reading), AccessLevel::Interact, "nobody has said that it only reads");
}

/// D-05: a single emoji may consist of several characters.
#[test]
fn one_emoji_may_have_many_characters() {
    for emoji in ["📊", "👩‍💻", "🇫🇷", "✈️", "👍🏽"] {
        let mut declaration = acme::declaration();
        declaration.server.emoji = Some(emoji.into());
        let findings = Description::join(&declaration, acme::live()).1;
        assert!(findings.is_empty(), "{emoji}: {findings}");
    }
}

/// CARD-10: a schema is never fetched, and no pattern takes long.
#[test]
fn a_hostile_schema_checks_nothing_and_costs_nothing() {
    for schema in [
        json!({"$ref": "http://169.254.169.254/latest"}),
        json!({"$ref": "file:///etc/passwd"}),
        json!({"type": "object", "properties": {"name": {"pattern": "^(a+)+$"}}}),
        json!({"$ref": "#"}),
        json!(7),
    ] {
        let mut live = acme::live();
        live.tools[0].definition.change(|definition| definition["inputSchema"] = schema);
        let mut declaration = acme::declaration();
        let record = &mut declaration.tools["create_project"];
        record.cli_equivalent = None;
        record.examples = vec![Example {
            description: "x".into(),
            input: json!({"name": "a".repeat(60) + "!"}),
            output: None,
        }];
        drop(Description::join(&declaration, live));
    }
}
