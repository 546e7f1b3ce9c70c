//! Strategies for any valid declaration, with a running server that fits it.
use indexmap::IndexMap;
use overt_documents::card::{self, Card, Identity, InputSchema, Performance, Safety, Schemas, Tested};
use overt_documents::live::{Live, LiveResource, ServerInfo};
use overt_policy::rate::{Per, RateLimit};
use overt_policy::record::{
    Audit, Effect, Example, Invocation, KnownError, Operation, PiiExposure, SecretsExposure,
    ServerRequirements, Trouble, Urls,
};
use overt_policy::word::StringEnum;
use overt_policy::{Declaration, ResourceRecord, ServerRecord, ToolRecord};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

use crate::acme;

/// A declaration and its server.
pub(crate) fn described() -> impl Strategy<Value = (Declaration, Live)> {
    let names = btree_set("[a-z][a-z_]{0,12}", 0..4);
    (server(), names, vec(tool(), 4), vec((resource(), "[a-z]{1,8}"), 0..3)).prop_map(
        |(server, names, tools, resources)| {
            let tools: IndexMap<String, ToolRecord> = names.into_iter().zip(tools).collect();
            let resources: IndexMap<String, ResourceRecord> =
                resources.into_iter().map(|(record, name)| (format!("x://{name}"), record)).collect();
            let live = live(&tools, &resources);
            (Declaration { server, tools, resources }, live)
        },
    )
}

fn live(tools: &IndexMap<String, ToolRecord>, resources: &IndexMap<String, ResourceRecord>) -> Live {
    let definition = |name: &String| {
        json!({"name": name, "description": "does it", "inputSchema": {
            "type": "object", "properties": {"name": {"type": "string"}, "count": {"type": "integer"}}}})
    };
    Live {
        info: ServerInfo { name: "any-server".into(), version: "1.2.3".into(), ..ServerInfo::default() },
        tools: tools.keys().map(|name| acme::live_tool(&definition(name))).collect(),
        resources: resources
            .keys()
            .map(|uri| LiveResource {
                uri: uri.clone(),
                is_template: false,
                name: "r".into(),
                title: None,
                description: None,
                mime_type: None,
            })
            .collect(),
        ..Live::default()
    }
}

/// Text of every kind, including characters that formats treat specially.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{1,40}",
        "\\PC{1,20}",
        Just("---".to_owned()),
        Just("# heading\n\"quoted\" \\ 'single'\t| > - : {x}".replace("{x}", "x")),
        Just("yes".to_owned()),
        Just("0.10".to_owned()),
    ]
    .prop_filter("nothing but blanks is not text", |text| !text.trim().is_empty())
}

fn words<W: StringEnum + std::fmt::Debug>() -> impl Strategy<Value = W> {
    proptest::sample::select(W::ALL)
}

fn url() -> impl Strategy<Value = String> {
    "https://[a-z]{1,10}\\.example/[a-z]{0,8}"
}

fn limit() -> impl Strategy<Value = RateLimit> {
    (1..100_000u32, words::<Per>())
        .prop_map(|(calls, per)| RateLimit { calls: std::num::NonZeroU32::new(calls).unwrap(), per })
}

fn server() -> impl Strategy<Value = ServerRecord> {
    let identity = (option::of("[a-z][a-z0-9-]{0,20}"), option::of(text()), text(), option::of(text()));
    let lists = (vec(text(), 0..3), vec(text(), 0..3), vec(text(), 0..3), vec("[a-z]{1,8}", 0..3));
    let urls = (option::of(url()), option::of(url()), option::of(url()), option::of(url()));
    let requires = (vec("[a-z]{1,8}", 0..2), vec("[A-Z][A-Z_]{0,8}", 0..2), vec("read:[a-z]{1,8}", 0..2));
    let invocation =
        option::of((option::of(any::<bool>()), option::of(any::<bool>()), vec("[a-z]{1,8}", 0..2)));
    let rest =
        (option::of(limit()), option::of(url()), option::of(text()), vec((text(), text(), text()), 0..2));
    let audit = (option::of(url()), option::of(1..4000u32));
    (identity, lists, urls, requires, invocation, rest, audit).prop_map(
        |(identity, lists, urls, requires, invocation, rest, audit)| ServerRecord {
            name: identity.0,
            title: identity.1,
            description: format!("{} Use when asked.", identity.2),
            summary: identity.3,
            when_to_use: lists.0,
            not_for: lists.1,
            best_practices: lists.2,
            categories: lists.3,
            urls: Urls { cli: urls.0, api: urls.1, web: urls.2, mcp: urls.3 },
            install: [("npm".to_owned(), "@a/b".to_owned())].into(),
            requires: ServerRequirements { auth: requires.0, env: requires.1, scopes: requires.2 },
            invocation: invocation.map(|(model_invocable, user_invocable, allowed_tools)| Invocation {
                model_invocable,
                user_invocable,
                allowed_tools,
            }),
            rate_limit: rest.0,
            homepage: rest.1,
            authentication: rest.2,
            troubleshooting: rest
                .3
                .into_iter()
                .map(|(problem, cause, solution)| Trouble { problem, cause, solution })
                .collect(),
            audit: Audit { log_uri: audit.0, retention_days: audit.1, ..Audit::default() },
            ..ServerRecord::default()
        },
    )
}

fn tool() -> impl Strategy<Value = ToolRecord> {
    let effect =
        (option::of(words::<Effect>()), any::<bool>(), option::of(any::<bool>()), option::of(any::<bool>()));
    let texts = (option::of("[a-z]{1,8}"), vec(text(), 0..2), vec("[a-z]{1,8}", 0..2), any::<bool>());
    let more = (vec(text(), 0..2), vec((text(), text()), 0..2), option::of(limit()), any::<bool>());
    let card = (
        option::of(words::<PiiExposure>()),
        option::of(words::<SecretsExposure>()),
        option::of(vec("[a-z_]{1,12}", 0..3)),
        option::of(Just("1.4.0".to_owned())),
    );
    (effect, texts, more, card).prop_map(|(effect, texts, more, card)| {
        let reads = effect.0 == Some(Effect::Read);
        let destroys = effect.0 == Some(Effect::Destructive);
        ToolRecord {
            effect: effect.0,
            operation: (destroys && effect.1).then_some(Operation::Admin),
            idempotent: effect.2.filter(|_| !reads),
            // Overwriting requires that the former state can be restored; otherwise the effect is
            // destructive.
            overwrites: effect.0 == Some(Effect::Mutating)
                && effect.1
                && effect.3 == Some(true)
                && texts.2.is_empty(),
            reversible: effect.3,
            category: texts.0,
            side_effects: if reads { Vec::new() } else { texts.1 },
            external_systems: texts.2,
            cli_equivalent: texts.3.then(|| "do --name {name}".to_owned()),
            api_equivalent: texts.3.then(|| "POST /x".to_owned()),
            intent_template: texts.3.then(|| "Do {name}".to_owned()),
            preview: texts.3,
            examples: more
                .0
                .into_iter()
                .map(|text| Example {
                    input: json!({"name": text, "count": 3}),
                    output: Some(json!({"id": null, "large": u64::MAX, "list": [1.5, text]})),
                    description: text,
                })
                .collect(),
            errors: more
                .1
                .into_iter()
                .enumerate()
                .map(|(index, (description, resolution))| KnownError {
                    code: format!("CODE_{index}"),
                    description,
                    resolution,
                })
                .collect(),
            rate_limit: more.2,
            scopes: if more.3 { vec!["read:things".to_owned()] } else { Vec::new() },
            pii_exposure: card.0,
            secrets_exposure: card.1,
            refusal_modes: card.2,
            version: card.3,
            human_approval: more.3.then_some(true),
            ..ToolRecord::default()
        }
    })
}

fn resource() -> impl Strategy<Value = ResourceRecord> {
    (option::of("[a-z]{1,8}"), option::of(any::<bool>()), option::of(0..100_000u64), option::of(url()))
        .prop_map(|(resource_type, refreshable, cache_duration, web_equivalent)| ResourceRecord {
            scopes: Vec::new(),
            resource_type,
            refreshable,
            cache_duration,
            web_equivalent,
            api_equivalent: Some("GET /x".to_owned()),
        })
}

/// Any valid card.
pub(crate) fn card() -> impl Strategy<Value = Card> {
    let identity = (text(), text(), "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}(-[a-z.]{1,5})?", url(), text());
    let exposure = (words::<Effect>(), words::<PiiExposure>(), words::<SecretsExposure>());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let lists = (vec(text(), 0..3), option::of(vec(text(), 0..3)), vec(tested(), 0..3));
    let performance = option::of((option::of(0..100u64), option::of(100..900u64), option::of(text())));
    let cost = option::of((option::of(0.0..9.0f64), option::of("[A-Z]{3}"), option::of(text())));
    let audit = (option::of(url()), option::of(1..4000u64), option::of(text()), option::of(url()));
    (identity, schemas(), exposure, flags, lists, performance, cost, audit).prop_map(
        |(identity, schema, exposure, flags, lists, performance, cost, audit)| Card {
            tool: Identity {
                server_id: identity.0,
                name: identity.1,
                version: identity.2,
                mcp_server_uri: identity.3,
                description: identity.4,
            },
            schema,
            safety: Safety {
                side_effect_class: exposure.0,
                external_systems: lists.0,
                reversible: flags.0,
                rate_limited: flags.1,
                pii_exposure: exposure.1,
                secrets_exposure: exposure.2,
                human_approval_required: flags.2 || exposure.0 == Effect::Destructive,
                refusal_modes: lists.1,
            },
            tested_with: lists.2,
            performance: performance.map(|(p50_latency_ms, p99_latency_ms, measurement_window)| {
                Performance { p50_latency_ms, p99_latency_ms, measurement_window }
            }),
            cost: cost.map(|(per_call_amount, per_call_currency, notes)| card::Cost {
                per_call_amount,
                per_call_currency,
                notes,
            }),
            audit: Some(card::Audit {
                log_uri: audit.0,
                retention_days: audit.1,
                signed_by: audit.2,
                incident_response_uri: audit.3,
            }),
        },
    )
}

fn schemas() -> impl Strategy<Value = Schemas> {
    let object = || text().prop_map(|text| serde_json::Map::from_iter([("title".to_owned(), json!(text))]));
    let input = prop_oneof![object().prop_map(InputSchema::Inline), url().prop_map(InputSchema::Uri)];
    (input, option::of(object()), option::of(url())).prop_map(|(input, output_inline, output_uri)| Schemas {
        input,
        output_inline,
        output_uri,
    })
}

fn tested() -> impl Strategy<Value = Tested> {
    let at = "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T[01][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]0[0-9]:30)";
    (text(), option::of(text()), url(), 0.0..=1.0f64, option::of(1..999u64), at).prop_map(
        |(llm, provider, test_suite_uri, pass_rate, sample_size, tested_at)| Tested {
            llm,
            provider,
            test_suite_uri,
            pass_rate,
            sample_size,
            tested_at,
        },
    )
}
