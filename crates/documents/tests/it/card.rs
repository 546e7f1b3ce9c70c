//! Tool Cards: the specification's example, invalid cards, levels, our schema, and cards made from
//! a declaration.
use overt_documents::card::{self, Card, Level, Mode};
use overt_documents::live::ServerInfo;
use overt_documents::{Description, ServerLocation};
use overt_policy::Findings;
use overt_policy::rate::RateLimit;
use overt_policy::record::{Effect, PiiExposure, SecretsExposure};
use overt_policy::word::StringEnum as _;
use overt_wire::rfc3339;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{acme, arbitrary};

/// The specification's own example.
pub(crate) fn example() -> Value {
    serde_json::from_str(include_str!("../data/seed-card.json")).unwrap()
}

pub(crate) fn read(value: &Value) -> Card {
    card::read(value, Mode::Strict).unwrap().0
}

/// Returns the example with a member changed or removed.
pub(crate) fn with(path: &str, value: Option<Value>) -> Value {
    let mut card = example();
    let (parent, name) = path.rsplit_once('/').unwrap();
    let parent = card.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(parent), Some(value)) => _ = parent.insert(name.to_owned(), value),
        (Value::Object(parent), None) => _ = parent.shift_remove(name),
        (parent, value) => parent[name.parse::<usize>().unwrap()] = value.unwrap(),
    }
    card
}

fn schema() -> jsonschema::Validator {
    jsonschema::options().should_validate_formats(true).build(&card::schema()).unwrap()
}

#[test]
fn the_example_round_trips() {
    let (card, findings) = card::read(&example(), Mode::Strict).unwrap();
    assert_eq!(findings, Findings::default());
    assert_eq!(card.to_value().to_string(), example().to_string());
    assert_eq!(serde_json::from_str::<Value>(&card.render()).unwrap(), example());
    assert!(schema().is_valid(&example()));
}

/// C-01 to C-10, X-25, X-27, CARD-11: each fault is reported with its place. Our schema rejects the
/// same cards.
#[test]
fn card_11_broken_cards_are_refused_with_the_place() {
    let remove = None;
    let both = json!({"input_schema_inline": {}, "input_schema_uri": "https://example.com/s.json"});
    let many = json!(vec!["x"; 1001]);
    for (path, value, at, problem) in [
        ("/tool_card_version", remove.clone(), "/tool_card_version", "is missing"),
        ("/tool_card_version", Some(json!("0.2")), "/tool_card_version", "`0.2` is not known"),
        ("/tool_card_version", Some(json!(0.1)), "/tool_card_version", "must be a string, but is a number"),
        ("/tool", remove.clone(), "/tool", "is missing"),
        ("/tool/server_id", remove.clone(), "/tool/server_id", "is missing"),
        ("/tool/name", Some(json!(" ")), "/tool/name", "is empty"),
        ("/tool/version", Some(json!("1.4")), "/tool/version", "is not a version of three numbers"),
        ("/tool/mcp_server_uri", Some(json!("billing")), "/tool/mcp_server_uri", "is not a URI"),
        ("/tool/mcp_server_uri", remove.clone(), "/tool/mcp_server_uri", "is missing"),
        ("/tool/description", Some(json!("")), "/tool/description", "is empty"),
        ("/schema", Some(json!({})), "/schema/input_schema_inline", "is missing"),
        ("/schema", Some(both), "/schema/input_schema_uri", "stands beside `input_schema_inline`"),
        (
            "/schema/input_schema_inline",
            Some(json!("x")),
            "/schema/input_schema_inline",
            "must be an object, but is a string",
        ),
        ("/schema/output_schema_uri", Some(json!("x")), "/schema/output_schema_uri", "is not a URI"),
        (
            "/safety/side_effect_class",
            Some(json!("write")),
            "/safety/side_effect_class",
            "`write` is not one of its values",
        ),
        ("/safety/side_effect_class", remove.clone(), "/safety/side_effect_class", "is missing"),
        (
            "/safety/reversible",
            Some(json!("yes")),
            "/safety/reversible",
            "must be `true` or `false`, but is a string",
        ),
        ("/safety/rate_limited", remove.clone(), "/safety/rate_limited", "is missing"),
        (
            "/safety/pii_exposure",
            Some(json!("some")),
            "/safety/pii_exposure",
            "`some` is not one of its values",
        ),
        (
            "/safety/secrets_exposure",
            Some(json!("low")),
            "/safety/secrets_exposure",
            "`low` is not one of its values",
        ),
        ("/safety/human_approval_required", remove.clone(), "/safety/human_approval_required", "is missing"),
        (
            "/safety/side_effect_class",
            Some(json!("destructive")),
            "/safety/human_approval_required",
            "is `false`, but the tool is destructive",
        ),
        (
            "/safety/external_systems",
            Some(json!("stripe")),
            "/safety/external_systems",
            "must be a list, but is a string",
        ),
        (
            "/safety/refusal_modes",
            Some(json!([1])),
            "/safety/refusal_modes/0",
            "must be a string, but is a number",
        ),
        ("/safety/refusal_modes", Some(many), "/safety/refusal_modes", "has more than 1000 items"),
        ("/tested_with/0/llm", remove.clone(), "/tested_with/0/llm", "is missing"),
        ("/tested_with/0/test_suite_uri", Some(json!("")), "/tested_with/0/test_suite_uri", "is not a URI"),
        ("/tested_with/0/pass_rate", Some(json!(1.7)), "/tested_with/0/pass_rate", "is not between 0 and 1"),
        ("/tested_with/0/pass_rate", Some(json!(-0.1)), "/tested_with/0/pass_rate", "is not between 0 and 1"),
        (
            "/tested_with/0/tested_at",
            Some(json!("2026-05-08")),
            "/tested_with/0/tested_at",
            "is not a date and time of RFC 3339",
        ),
        ("/tested_with/0/sample_size", Some(json!(0)), "/tested_with/0/sample_size", "is 0"),
        ("/tested_with/0", Some(json!("x")), "/tested_with/0", "must be an object, but is a string"),
        (
            "/performance/p50_latency_ms",
            Some(json!(-1)),
            "/performance/p50_latency_ms",
            "must be a whole number, 0 or more, but is a number",
        ),
        (
            "/performance/p99_latency_ms",
            Some(json!(1.5)),
            "/performance/p99_latency_ms",
            "must be a whole number, 0 or more, but is a number",
        ),
        ("/cost", Some(json!({"per_call_amount": -1})), "/cost/per_call_amount", "is less than 0"),
        (
            "/cost",
            Some(json!({"per_call_currency": "eur"})),
            "/cost/per_call_currency",
            "is not a code of a currency",
        ),
        ("/audit", remove.clone(), "/audit", "is missing"),
        ("/audit/retention_days", Some(json!(0)), "/audit/retention_days", "is 0"),
        ("/audit/log_uri", Some(json!(7)), "/audit/log_uri", "must be a string, but is a number"),
        ("/extra", Some(json!(1)), "/extra", "is not known"),
        ("/tool/extra", Some(json!(1)), "/tool/extra", "is not known"),
        ("/schema/extra", Some(json!(1)), "/schema/extra", "is not known"),
        ("/safety/extra", Some(json!(1)), "/safety/extra", "is not known"),
        ("/tested_with/0/extra", Some(json!(1)), "/tested_with/0/extra", "is not known"),
        ("/performance/extra", Some(json!(1)), "/performance/extra", "is not known"),
        ("/cost", Some(json!({"extra": 1})), "/cost/extra", "is not known"),
        ("/audit/extra", Some(json!(1)), "/audit/extra", "is not known"),
    ] {
        let broken = with(path, value);
        let findings = card::read(&broken, Mode::Strict).unwrap_err();
        let found: Vec<(&str, &str)> =
            findings.iter().map(|finding| (finding.at.as_str(), finding.problem.as_str())).collect();
        assert_eq!(found, [(at, problem)]);
        assert!(!schema().is_valid(&broken), "our schema accepts {path} {broken}");
    }
    for no_card in [json!(null), json!([]), json!({}), json!("0.1")] {
        assert!(card::read(&no_card, Mode::Seed).is_err());
        assert!(!schema().is_valid(&no_card));
    }
}

/// members that published examples have by mistake are reported with the member that is
/// meant.
#[test]
fn aliens_are_named_with_what_is_meant() {
    for (path, fix) in [
        ("/audit/log_locations", "write `log_uri`, one URI"),
        ("/tested_with/0/model", "write `llm`"),
        ("/tested_with/0/passed", "write `pass_rate`, a number from 0 to 1"),
        ("/performance/p95_latency_ms", "write `p99_latency_ms`; the card has no 95th percentile"),
    ] {
        let findings = card::read(&with(path, Some(json!(1))), Mode::Strict).unwrap_err();
        assert_eq!(findings.to_string(), format!("error: {path}: is not known; {fix}"));
    }
}

#[test]
fn other_good_cards_are_read() {
    for (path, value) in [
        (
            "/schema",
            json!({"input_schema_uri": "https://example.com/s.json", "output_schema_inline": {}, "output_schema_uri": "urn:x:y"}),
        ),
        ("/tool/version", json!("1.4.0-rc.1+build")),
        ("/tool/mcp_server_uri", json!("overt:stdio/acme")),
        ("/tested_with", json!([])),
        ("/tested_with/0/sample_size", json!(1)),
        ("/tested_with/0/tested_at", json!("2026-05-08T10:00:00.25+02:00")),
        ("/performance", json!({})),
        ("/cost", json!({"per_call_amount": 0.002, "per_call_currency": "EUR", "notes": "about"})),
        ("/audit", json!({})),
        ("/audit/incident_response_uri", json!("mailto:security@example.com")),
    ] {
        let good = with(path, Some(value));
        read(&good);
        assert!(schema().is_valid(&good), "our schema refuses {path}");
    }
}

///
#[test]
fn a_card_without_audit_is_valid_in_seed_mode_only() {
    let card = with("/audit", None);
    assert!(card::read(&card, Mode::Strict).is_err());
    let (_, findings) = card::read(&card, Mode::Seed).unwrap();
    assert_eq!(
        findings.to_string(),
        "note: /audit: is missing; say where calls are recorded, with `log_uri` and `retention_days`"
    );
}

/// C-13, CARD-11: without a valid card, the effect may be anything.
#[test]
fn card_11_what_no_valid_card_says_counts_as_destructive() {
    let assumed = |card: &Value| {
        let read = card::read(card, Mode::Strict).ok();
        card::assumed_effect(read.as_ref().map(|(card, _)| card))
    };
    assert_eq!(assumed(&example()), Effect::Read);
    for value in [None, Some(json!("harmless")), Some(json!(null)), Some(json!("READ"))] {
        assert_eq!(assumed(&with("/safety/side_effect_class", value)), Effect::Destructive);
    }
    assert_eq!(assumed(&with("/tool/name", None)), Effect::Destructive, "it says `read`, and is broken");
    assert_eq!(assumed(&json!("read")), Effect::Destructive);
}

/// C-12, with a given date.
#[test]
fn levels_follow_from_refusals_and_fresh_tests() {
    let day = |text: &str| rfc3339::parse_date(text).unwrap();
    for (card, today, level) in [
        (example(), "2026-05-08", Level::Tested),
        (example(), "2026-08-06", Level::Tested),
        (example(), "2026-08-07", Level::Refusals),
        (example(), "2026-05-07", Level::Refusals),
        (with("/tested_with", None), "2026-05-08", Level::Refusals),
        (with("/safety/refusal_modes", Some(json!([]))), "2026-05-08", Level::Tested),
        (with("/safety/refusal_modes", None), "2026-05-08", Level::Valid),
    ] {
        let card = read(&card);
        assert_eq!(card::level(&card, day(today)), level, "{today}");
        for wanted in [Level::Valid, Level::Refusals, Level::Tested] {
            assert_eq!(card::lacks(&card, wanted, day(today)).has_errors(), wanted > level);
        }
    }
    let lacks = card::lacks(&read(&example()), Level::Tested, day("2026-10-01"));
    assert_eq!(
        lacks.to_string(),
        "error: /tested_with: the newest test is 146 days old, too old for level 3; test it with a model; a test counts for 90 days"
    );
}

#[test]
fn the_committed_schema_is_current() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/tool-card.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&card::schema()).unwrap());
    if std::env::var_os("OVERT_BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), text, "run with OVERT_BLESS=1");
}

fn described() -> Description {
    let mut declaration = acme::declaration();
    declaration.server.rate_limit = RateLimit::parse("1000/hour");
    let create = declaration.tools.get_mut("create_project").unwrap();
    create.pii_exposure = Some(PiiExposure::Low);
    create.secrets_exposure = Some(SecretsExposure::None);
    create.refusal_modes = Some(vec!["duplicate_name".into()]);
    Description::join(&declaration, acme::live()).0
}

#[test]
fn a_card_follows_from_the_declaration() {
    let description = described();
    let card = card::of(&description.tools[0], &description, &ServerLocation::default()).unwrap();
    assert_eq!(card.tool.mcp_server_uri, "overt:stdio/acme-mcp");
    assert_eq!(card.tool.version, "1.0.0");
    assert_eq!(
        json!(card.safety),
        json!({
            "side_effect_class": "mutating", "reversible": true, "rate_limited": true, "pii_exposure": "low",
            "secrets_exposure": "none", "human_approval_required": false, "refusal_modes": ["duplicate_name"],
        })
    );
    assert_eq!(json!(card.schema)["input_schema_inline"], acme::tool()["inputSchema"]);
    assert_eq!((card.tested_with.len(), &card.performance, card.audit.is_some()), (0, &None, true));
    assert_eq!(read(&card.to_value()), card);
    let place = ServerLocation::at("http://127.0.0.1:8080/mcp");
    let card = card::of(&description.tools[0], &description, &place).unwrap();
    assert_eq!(card.tool.mcp_server_uri, "http://127.0.0.1:8080/mcp");
}

#[test]
fn what_is_not_declared_is_asked_for_all_at_once() {
    let mut description = described();
    description.info = ServerInfo { version: "nightly".into(), ..description.info };
    description.tools[1].record = None;
    description.tools[1].live.description = None;
    let findings = card::of(&description.tools[1], &description, &ServerLocation::default()).unwrap_err();
    let found: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(
        found,
        [
            "/tools/delete_project/version",
            "/tools/delete_project",
            "/tools/delete_project/effect",
            "/tools/delete_project/pii_exposure",
            "/tools/delete_project/secrets_exposure",
        ]
    );
}

proptest! {
    /// Any written card is read back unchanged, and fits our schema.
    #[test]
    fn any_card_round_trips(card in arbitrary::card()) {
        let value: Value = serde_json::from_str(&card.render()).unwrap();
        prop_assert!(schema().is_valid(&value), "{}", value);
        let (back, _) = card::read(&value, Mode::Strict).map_err(|wrong| TestCaseError::fail(wrong.to_string()))?;
        prop_assert_eq!(&back, &card);
        prop_assert_eq!(card::diff(&card, &back), []);
    }

    /// A card that follows from a declaration is valid (C-14).
    #[test]
    fn cards_of_any_declaration_are_valid((declaration, live) in arbitrary::described()) {
        let (description, _) = Description::join(&declaration, live);
        for tool in &description.tools {
            let made = card::of(tool, &description, &ServerLocation::default());
            prop_assert_eq!(card::has_all_for(tool, &description, &ServerLocation::default()), made.is_ok());
            if let Ok(card) = made {
                let (back, _) = card::read(&card.to_value(), Mode::Strict)
                    .map_err(|wrong| TestCaseError::fail(wrong.to_string()))?;
                prop_assert_eq!(back, card);
            }
        }
    }
}

#[test]
fn every_word_of_the_classes_is_read() {
    for effect in Effect::ALL {
        let mut card = with("/safety/side_effect_class", Some(json!(effect)));
        card["safety"]["human_approval_required"] = json!(true);
        assert_eq!(read(&card).safety.side_effect_class, *effect);
    }
}
