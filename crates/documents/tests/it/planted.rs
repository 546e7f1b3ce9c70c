//! D-30: a secret in any field of a manifest is found and reported with its field, and is not
//! repeated.
use overt_documents::manifest::{Manifest, to_value};
use overt_policy::rate::RateLimit;
use overt_policy::record::{
    AccessLevel, Audit, Effect, Example, Invocation, KnownError, Operation, PiiExposure, SecretsExposure,
    ServerRequirements, Trouble, Urls,
};
use overt_policy::{Declaration, Pointer, ResourceRecord, ServerRecord, ToolRecord};
use overt_settings::toml_file::FileError;
use serde_json::{Value, json};

/// One secret of each kind.
fn secrets() -> [(&'static str, String); 7] {
    let letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
    [
        ("a token", format!("ghp_{letters}")),
        ("a key", format!("sk-proj-{letters}{letters}")),
        ("a cloud key", "AKIAQ3EGXR7LM2ZK5WNT".to_owned()),
        ("a private key", format!("-----BEGIN PRIVATE KEY-----\n{letters}\n-----END PRIVATE KEY-----")),
        ("a password in a URL", "https://ada:hunter2secret@db.acme.com/x".to_owned()),
        ("an internal address", "http://10.20.30.40/admin".to_owned()),
        ("a bearer token", format!("Authorization: Bearer {letters}")),
    ]
}

/// A declaration with every field that a manifest can have.
fn everything() -> Declaration {
    let text = || Some("text".to_owned());
    let list = || vec!["text".to_owned()];
    Declaration {
        server: ServerRecord {
            name: text(),
            title: text(),
            description: "Use when asked.".into(),
            summary: text(),
            emoji: text(),
            access_level: Some(AccessLevel::Full),
            when_to_use: list(),
            not_for: list(),
            urls: Urls { cli: text(), api: text(), web: text(), mcp: text() },
            install: [("npm".to_owned(), "text".to_owned())].into(),
            args: list(),
            requires: ServerRequirements { auth: list(), env: list(), scopes: list() },
            invocation: Some(Invocation {
                model_invocable: Some(true),
                user_invocable: Some(true),
                allowed_tools: list(),
            }),
            rate_limit: RateLimit::parse("1/day"),
            homepage: text(),
            repository: text(),
            status_page: text(),
            content_version: text(),
            last_updated: text(),
            authentication: text(),
            best_practices: list(),
            troubleshooting: vec![Trouble { problem: "p".into(), cause: "c".into(), solution: "s".into() }],
            errors: vec![KnownError { code: "C".into(), description: "d".into(), resolution: "r".into() }],
            categories: list(),
            license: text(),
            registry_name: text(),
            audit: Audit {
                log_uri: text(),
                retention_days: Some(1),
                signed_by: text(),
                incident_response_uri: text(),
            },
        },
        tools: [("tool".to_owned(), tool())].into(),
        resources: [(
            "x://y".to_owned(),
            ResourceRecord {
                scopes: Vec::new(),
                resource_type: text(),
                refreshable: Some(true),
                cache_duration: Some(1),
                web_equivalent: text(),
                api_equivalent: text(),
            },
        )]
        .into(),
    }
}

fn tool() -> ToolRecord {
    let text = || Some("text".to_owned());
    let list = || vec!["text".to_owned()];
    ToolRecord {
        effect: Some(Effect::Destructive),
        operation: Some(Operation::Admin),
        open_world: Some(true),
        idempotent: Some(true),
        idempotent_with_key: Some(true),
        overwrites: true,
        reversible: Some(true),
        reverse_method: text(),
        side_effects: list(),
        external_systems: list(),
        category: text(),
        cli_equivalent: text(),
        api_equivalent: text(),
        rate_limit: RateLimit::parse("1/day"),
        examples: vec![Example {
            description: "d".into(),
            input: json!({"a": ["b"]}),
            output: Some(json!("c")),
        }],
        errors: vec![KnownError { code: "C".into(), description: "d".into(), resolution: "r".into() }],
        scopes: list(),
        intent_template: text(),
        preview: true,
        pii_exposure: Some(PiiExposure::Low),
        secrets_exposure: Some(SecretsExposure::None),
        human_approval: Some(true),
        refusal_modes: Some(list()),
        version: text(),
    }
}

#[test]
fn a_secret_in_any_field_is_found_and_not_repeated() {
    let whole = to_value(&everything());
    let mut places = Vec::new();
    leaves(&whole, &Pointer::root(), &mut places);
    assert!(places.len() > 50, "{}", places.len());
    for place in &places {
        for (kind, secret) in secrets() {
            let mut planted = whole.clone();
            *planted.pointer_mut(place.as_str()).unwrap() = json!(format!("see {secret} there"));
            let text = toml(&planted);
            let error = Manifest::parse(&text).expect_err(&format!("{place}: {kind} was not found"));
            let FileError::Wrong { findings } = &error else { panic!("{place}: {error}") };
            assert!(findings.iter().any(|(_, finding)| finding.at == *place), "{place}: {kind}: {error}");
            let shown = error.to_string();
            assert!(
                secret
                    .split([' ', '\n', '/'])
                    .filter(|part| part.len() > 12)
                    .all(|part| !shown.contains(part)),
                "{shown}"
            );
        }
    }
}

/// Names of tools, resources and package managers are checked too.
#[test]
fn a_secret_in_a_name_is_found() {
    for (kind, secret) in secrets() {
        for head in ["[tools.{}]", "[resources.{}]", "[server.install]\n{} = 'x'"] {
            let quoted = inline(&json!(secret));
            let text =
                format!("[server]\ndescription = 'Use when asked.'\n{}\n", head.replace("{}", &quoted));
            let error =
                Manifest::parse(&text).expect_err(&format!("{head}: {kind} was not found")).to_string();
            assert!(
                secret
                    .split([' ', '\n', '/'])
                    .filter(|part| part.len() > 12)
                    .all(|part| !error.contains(part)),
                "{error}"
            );
        }
    }
}

/// Collects the places of all texts.
fn leaves(value: &Value, at: &Pointer, found: &mut Vec<Pointer>) {
    match value {
        Value::String(_) => found.push(at.clone()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| leaves(item, &at.index(index), found));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| leaves(value, &at.join(name), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn toml(value: &Value) -> String {
    let members = value.as_object().unwrap().iter();
    members.map(|(name, value)| format!("{name} = {}\n", inline(value))).collect()
}

/// JSON strings are valid TOML strings.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{} = {}", json!(name), inline(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
