//! Differences between two cards: all breaking changes, and harmless ones.
use overt_documents::card::{Change, ChangeSeverity, diff};
use serde_json::{Value, json};

use crate::card::{example, read, with};

fn changes(old: &Value, new: &Value) -> Vec<Change> {
    diff(&read(old), &read(new))
}

fn shown(changes: &[Change]) -> Vec<String> {
    let text = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
    changes
        .iter()
        .map(|change| {
            format!(
                "{} {}: {}: {} -> {}",
                change.weight,
                change.at,
                change.what,
                text(&change.was),
                text(&change.is)
            )
        })
        .collect()
}

/// C-16: each breaking change alone. Its reverse is not breaking.
#[test]
fn breaking_changes_break_in_one_direction() {
    let provider = |provider: &str, rate: f64| {
        json!([{ "llm": "m", "provider": provider, "test_suite_uri": "https://example.com/s",
            "pass_rate": rate, "tested_at": "2026-05-08T10:00:00Z" }])
    };
    for (path, old, new, expected) in [
        (
            "/safety/reversible",
            Some(json!(true)),
            Some(json!(false)),
            "it can't be undone any more: true -> false",
        ),
        (
            "/safety/rate_limited",
            Some(json!(true)),
            Some(json!(false)),
            "the rate limit is gone: true -> false",
        ),
        (
            "/safety/pii_exposure",
            Some(json!("low")),
            Some(json!("high")),
            "the exposure of personal data is graver: \"low\" -> \"high\"",
        ),
        (
            "/safety/secrets_exposure",
            Some(json!("none")),
            Some(json!("handles_keys")),
            "the exposure of secrets is graver: \"none\" -> \"handles_keys\"",
        ),
        (
            "/safety/human_approval_required",
            Some(json!(true)),
            Some(json!(false)),
            "nobody must agree to a call any more: true -> false",
        ),
        (
            "/safety/external_systems",
            None,
            Some(json!(["stripe"])),
            "an external system is new: nothing -> \"stripe\"",
        ),
        (
            "/safety/refusal_modes",
            Some(json!(["a"])),
            Some(json!([])),
            "a refusal mode is gone: \"a\" -> nothing",
        ),
        (
            "/safety/refusal_modes",
            Some(json!(["a"])),
            None,
            "nobody says any more when it refuses: [\"a\"] -> nothing",
        ),
        (
            "/safety/refusal_modes",
            Some(json!([])),
            None,
            "nobody says any more when it refuses: [] -> nothing",
        ),
        (
            "/tested_with",
            Some(provider("P", 0.9)),
            None,
            "a tested provider is gone: {\"provider\":\"P\",\"pass_rate\":0.9} -> nothing",
        ),
        (
            "/tested_with",
            Some(provider("P", 0.9)),
            Some(provider("P", 0.4)),
            "a tested provider fails now: {\"provider\":\"P\",\"pass_rate\":0.9} -> {\"provider\":\"P\",\"pass_rate\":0.4}",
        ),
        (
            "/audit/log_uri",
            Some(json!("https://example.com/l")),
            None,
            "the place of the audit log is gone: \"https://example.com/l\" -> nothing",
        ),
        (
            "/audit/retention_days",
            Some(json!(365)),
            Some(json!(30)),
            "the audit log is kept for a shorter time: 365 -> 30",
        ),
        (
            "/audit/retention_days",
            Some(json!(365)),
            None,
            "the audit log is kept for a shorter time: 365 -> nothing",
        ),
    ] {
        let (old, new) = (with(path, old), with(path, new));
        assert_eq!(shown(&changes(&old, &new)), [format!("breaking {path}: {expected}")]);
        let back = changes(&new, &old);
        assert_eq!(
            back.iter().map(|change| change.weight).collect::<Vec<_>>(),
            [ChangeSeverity::Change],
            "{path}"
        );
    }
}

#[test]
fn another_input_schema_breaks_in_both_directions() {
    let other = with("/schema", Some(json!({"input_schema_uri": "https://example.com/s.json"})));
    for (old, new) in [(example(), other.clone()), (other, example())] {
        let changes = changes(&old, &new);
        assert_eq!(
            (changes.len(), changes[0].weight, changes[0].at.as_str()),
            (1, ChangeSeverity::Breaking, "/schema")
        );
    }
    // A different order of members is not a change.
    let reordered = with(
        "/schema/input_schema_inline",
        Some(
            json!({"properties": {"customer_id": {"type": "string"}}, "required": ["customer_id"], "type": "object"}),
        ),
    );
    assert_eq!(changes(&example(), &reordered), []);
}

/// C-13: another class of side effects requires a newer version, even a less grave class.
#[test]
fn another_class_without_a_newer_version_is_an_error() {
    let card = |class: &str, version: &str| {
        let mut card = with("/safety/side_effect_class", Some(json!(class)));
        card["tool"]["version"] = json!(version);
        card
    };
    for (old, new, expected) in [
        (("read", "1.4.0"), ("mutating", "1.5.0"), vec![ChangeSeverity::Change, ChangeSeverity::Breaking]),
        (("read", "1.4.0"), ("mutating", "1.4.0"), vec![ChangeSeverity::Breaking, ChangeSeverity::Error]),
        (
            ("read", "1.4.0"),
            ("external", "1.3.9"),
            vec![ChangeSeverity::Change, ChangeSeverity::Breaking, ChangeSeverity::Error],
        ),
        (("mutating", "1.4.0"), ("read", "1.4.0"), vec![ChangeSeverity::Change, ChangeSeverity::Error]),
        (("mutating", "1.4.0-rc.1"), ("read", "1.4.0"), vec![ChangeSeverity::Change, ChangeSeverity::Change]),
        (("read", "1.4.0"), ("read", "1.4.0"), vec![]),
    ] {
        let found = changes(&card(old.0, old.1), &card(new.0, new.1));
        assert_eq!(found.iter().map(|change| change.weight).collect::<Vec<_>>(), expected, "{old:?} {new:?}");
    }
}

#[test]
fn everything_else_is_worth_knowing() {
    for (path, value) in [
        ("/tool/description", json!("Another")),
        ("/tool/mcp_server_uri", json!("https://example.com/mcp")),
        ("/schema/output_schema_inline", json!({"type": "object"})),
        ("/performance/p50_latency_ms", json!(9)),
        ("/cost", json!({"per_call_amount": 1})),
        ("/tested_with/0/pass_rate", json!(0.97)),
        ("/audit/log_uri", json!("https://example.com/l")),
        ("/audit/signed_by", json!("somebody")),
    ] {
        let found = changes(&example(), &with(path, Some(value)));
        assert_eq!(
            found.iter().map(|change| change.weight).collect::<Vec<_>>(),
            [ChangeSeverity::Change],
            "{path}"
        );
    }
    assert_eq!(
        changes(&example(), &with("/tool/name", Some(json!("other"))))[0].weight,
        ChangeSeverity::Breaking
    );
}
