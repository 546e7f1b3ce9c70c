//! Reads a card, and reports everything that is wrong with it at once.
use serde_json::{Map, Value};

use super::model::{Audit, Card, Cost, Identity, InputSchema, Performance, Safety, Schemas, Tested};
use super::version::is_version;
use overt_policy::finding::{Findings, Pointer, Severity};
use overt_policy::members::{Members, brief, kind};
use overt_policy::record::Effect;
use overt_policy::word::{StringEnum, string_enum};
use overt_wire::rfc3339;

string_enum! {
    /// What counts as valid where the specification and its schema disagree.
    pub enum Mode {
        /// As the schema: there must be an `audit`.
        Strict = "strict",
        /// As the specification's text: `audit` may be missing.
        Seed = "seed",
    }
}

/// The most items of a list.
pub(super) const MOST_ITEMS: usize = 1000;

/// Members that published examples of the card have but the card does not, and what to write
/// instead.
const ALIENS: [(&str, &str); 4] = [
    ("log_locations", "write `log_uri`, one URI"),
    ("model", "write `llm`"),
    ("passed", "write `pass_rate`, a number from 0 to 1"),
    ("p95_latency_ms", "write `p99_latency_ms`; the card has no 95th percentile"),
];

type Object<'a, 'm, 'f> = &'m mut Members<'a, 'f>;

/// Returns the card with notes and warnings, or everything that is wrong with it.
pub fn read(value: &Value, mode: Mode) -> Result<(Card, Findings), Findings> {
    let mut findings = Findings::default();
    let card =
        Members::of(value, Pointer::root(), &mut findings).and_then(|mut members| card(&mut members, mode));
    match card {
        Some(card) => findings.into_result(card),
        None => Err(findings),
    }
}

/// Returns the effect that a consumer must assume. Without a valid card it may be anything (C-13).
pub fn assumed_effect(card: Option<&Card>) -> Effect {
    card.map_or(Effect::Destructive, |card| card.safety.side_effect_class)
}

fn card(members: Object<'_, '_, '_>, mode: Mode) -> Option<Card> {
    version(members);
    let tool = section(members, "tool", identity);
    let schema = section(members, "schema", schemas);
    let safety = section(members, "safety", safety);
    let tested_with = members.objects("tested_with", tested);
    bounded(members, "tested_with", tested_with.as_ref());
    let performance = members.object("performance", performance);
    let cost = members.object("cost", cost);
    let audit = members.object("audit", audit);
    if !members.has("audit") {
        let severity = if mode == Mode::Strict { Severity::Error } else { Severity::Note };
        let at = members.at("audit");
        members.findings().push(
            severity,
            at,
            "is missing",
            "say where calls are recorded, with `log_uri` and `retention_days`",
        );
    }
    no_others(members);
    Some(Card {
        tool: tool??,
        schema: schema??,
        safety: safety??,
        tested_with: tested_with.unwrap_or_default(),
        performance,
        cost,
        audit,
    })
}

fn version(members: Object<'_, '_, '_>) {
    let Some(version) = members.required_text("tool_card_version", "write `\"0.1\"`") else { return };
    if version != super::VERSION {
        members.error("tool_card_version", format!("`{}` is not known", brief(&version)), "write `\"0.1\"`");
    }
}

fn identity(members: Object<'_, '_, '_>) -> Option<Identity> {
    let server_id = members.required_text("server_id", "write the name of the server");
    let name = members.required_text("name", "write the name of the tool");
    let version = members.required_text("version", "write a version such as `1.4.0`");
    if version.as_deref().is_some_and(|version| !is_version(version)) {
        members.error("version", "is not a version of three numbers", "write a version such as `1.4.0`");
    }
    let mcp_server_uri = required(members, "mcp_server_uri", "write the URI of the server", Members::uri);
    let description = members.required_text("description", "write what the tool does");
    no_others(members);
    Some(Identity {
        server_id: server_id?,
        name: name?,
        version: version?,
        mcp_server_uri: mcp_server_uri?,
        description: description?,
    })
}

fn schemas(members: Object<'_, '_, '_>) -> Option<Schemas> {
    let inline = json_object(members, "input_schema_inline");
    let uri = members.uri("input_schema_uri");
    let output_inline = json_object(members, "output_schema_inline");
    let output_uri = members.uri("output_schema_uri");
    let input = match (members.has("input_schema_inline"), members.has("input_schema_uri")) {
        (true, true) => {
            let fix = "keep either `input_schema_inline` or `input_schema_uri`";
            members.error("input_schema_uri", "stands beside `input_schema_inline`", fix);
            None
        }
        (false, false) => {
            let fix = "write the JSON Schema of the arguments, or its URI as `input_schema_uri`";
            members.missing("input_schema_inline", fix);
            None
        }
        _ => inline.map(InputSchema::Inline).or(uri.map(InputSchema::Uri)),
    };
    no_others(members);
    Some(Schemas { input: input?, output_inline, output_uri })
}

fn safety(members: Object<'_, '_, '_>) -> Option<Safety> {
    let class: Option<Effect> = required_word(members, "side_effect_class");
    let external_systems = members.texts("external_systems");
    bounded(members, "external_systems", external_systems.as_ref());
    let flag =
        |members: Object<'_, '_, '_>, name| required(members, name, "write `true` or `false`", Members::flag);
    let reversible = flag(members, "reversible");
    let rate_limited = flag(members, "rate_limited");
    let pii_exposure = required_word(members, "pii_exposure");
    let secrets_exposure = required_word(members, "secrets_exposure");
    let approval = flag(members, "human_approval_required");
    let refusal_modes = members.texts("refusal_modes");
    bounded(members, "refusal_modes", refusal_modes.as_ref());
    if class == Some(Effect::Destructive) && approval == Some(false) {
        members.error(
            "human_approval_required",
            "is `false`, but the tool is destructive",
            "write `true`, or another `side_effect_class` if nothing can be destroyed",
        );
    }
    no_others(members);
    Some(Safety {
        side_effect_class: class?,
        external_systems: external_systems.unwrap_or_default(),
        reversible: reversible?,
        rate_limited: rate_limited?,
        pii_exposure: pii_exposure?,
        secrets_exposure: secrets_exposure?,
        human_approval_required: approval?,
        refusal_modes,
    })
}

fn tested(members: Object<'_, '_, '_>) -> Option<Tested> {
    let llm = members.required_text("llm", "write the name of the model");
    let provider = members.text("provider");
    let uri = required(members, "test_suite_uri", "write the URI of the test suite", Members::uri);
    let rate_fix = "write a number from 0 to 1";
    let pass_rate = required(members, "pass_rate", rate_fix, Members::number);
    if pass_rate.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
        members.error("pass_rate", "is not between 0 and 1", rate_fix);
    }
    let sample_size = at_least_one(members, "sample_size");
    let fix = "write a date and time such as `2026-05-08T10:00:00Z`";
    let tested_at = members.required_text("tested_at", fix);
    if tested_at.as_deref().is_some_and(|text| rfc3339::parse(text).is_none()) {
        members.error("tested_at", "is not a date and time of RFC 3339", fix);
    }
    no_others(members);
    Some(Tested {
        llm: llm?,
        provider,
        test_suite_uri: uri?,
        pass_rate: pass_rate?,
        sample_size,
        tested_at: tested_at?,
    })
}

fn performance(members: Object<'_, '_, '_>) -> Performance {
    let performance = Performance {
        p50_latency_ms: members.integer("p50_latency_ms"),
        p99_latency_ms: members.integer("p99_latency_ms"),
        measurement_window: members.text("measurement_window"),
    };
    if performance.p50_latency_ms.zip(performance.p99_latency_ms).is_some_and(|(p50, p99)| p50 > p99) {
        let at = members.at("p50_latency_ms");
        members.findings().warning(at, "is more than `p99_latency_ms`", "measure both from the same calls");
    }
    no_others(members);
    performance
}

fn cost(members: Object<'_, '_, '_>) -> Cost {
    let cost = Cost {
        per_call_amount: members.number("per_call_amount"),
        per_call_currency: members.text("per_call_currency"),
        notes: members.text("notes"),
    };
    if cost.per_call_amount.is_some_and(|amount| amount < 0.0) {
        members.error("per_call_amount", "is less than 0", "write 0 or more");
    }
    let is_currency = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    if cost.per_call_currency.as_deref().is_some_and(|text| !is_currency(text)) {
        members.error(
            "per_call_currency",
            "is not a code of a currency",
            "write three capital letters such as `EUR`",
        );
    }
    no_others(members);
    cost
}

fn audit(members: Object<'_, '_, '_>) -> Audit {
    let audit = Audit {
        log_uri: members.uri("log_uri"),
        retention_days: at_least_one(members, "retention_days"),
        signed_by: members.text("signed_by"),
        incident_response_uri: members.uri("incident_response_uri"),
    };
    if !members.has("log_uri") {
        let at = members.at("log_uri");
        members.findings().note(at, "is missing", "say where calls are recorded, if they are");
    }
    no_others(members);
    audit
}

/// Reads a required object.
fn section<'a, T>(
    members: Object<'a, '_, '_>,
    name: &'static str,
    read: impl FnOnce(&mut Members<'a, '_>) -> T,
) -> Option<T> {
    required(members, name, "write an object", |members, name| members.object(name, read))
}

fn required<'a, 'm, 'f, T>(
    members: Object<'a, 'm, 'f>,
    name: &'static str,
    fix: &str,
    read: impl FnOnce(&mut Members<'a, 'f>, &'static str) -> Option<T>,
) -> Option<T> {
    let value = read(members, name);
    if !members.has(name) {
        members.missing(name, fix);
    }
    value
}

fn required_word<W: StringEnum>(members: Object<'_, '_, '_>, name: &'static str) -> Option<W> {
    required(members, name, &format!("use {}", W::choices()), Members::word)
}

fn json_object(members: Object<'_, '_, '_>, name: &'static str) -> Option<Map<String, Value>> {
    match members.raw(name)? {
        Value::Object(object) => Some(object.clone()),
        other => {
            members.error(name, format!("must be an object, but is {}", kind(other)), "write a JSON Schema");
            None
        }
    }
}

fn at_least_one(members: Object<'_, '_, '_>, name: &'static str) -> Option<u64> {
    let number = members.integer(name);
    if number == Some(0) {
        members.error(name, "is 0", "write 1 or more, or leave it out");
    }
    number
}

fn bounded<T>(members: Object<'_, '_, '_>, name: &'static str, items: Option<&Vec<T>>) {
    if items.is_some_and(|items| items.len() > MOST_ITEMS) {
        members.error(name, format!("has more than {MOST_ITEMS} items"), "keep those that matter");
    }
}

/// Rejects members that the card does not define (C-10).
fn no_others(members: Object<'_, '_, '_>) {
    members.unknown_but(Severity::Error, |name| {
        ALIENS.iter().find(|(alien, _)| *alien == name).map(|(_, fix)| *fix)
    });
}
