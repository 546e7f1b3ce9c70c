//! A table `[tools.<name>]` of a manifest.
use overt_wire::json::Json;
use serde_json::Value;

use overt_policy::finding::Severity;
use overt_policy::members::Members;
use overt_policy::record::{Example, ToolRecord};

use super::common::{known_error, rate_limit};

pub(super) fn read(members: &mut Members<'_, '_>) -> ToolRecord {
    let record = ToolRecord {
        effect: members.word("effect"),
        operation: members.word("operation"),
        open_world: members.flag("open_world"),
        idempotent: members.flag("idempotent"),
        idempotent_with_key: members.flag("idempotent_with_key"),
        overwrites: members.flag("overwrites").unwrap_or(false),
        reversible: members.flag("reversible"),
        reverse_method: members.text("reverse_method"),
        side_effects: members.texts("side_effects").unwrap_or_default(),
        external_systems: members.texts("external_systems").unwrap_or_default(),
        category: members.text("category"),
        cli_equivalent: members.text("cli_equivalent"),
        api_equivalent: members.text("api_equivalent"),
        rate_limit: rate_limit(members),
        examples: members.objects("examples", example).unwrap_or_default(),
        errors: members.objects("errors", known_error).unwrap_or_default(),
        scopes: members.texts("scopes").unwrap_or_default(),
        intent_template: members.text("intent_template"),
        preview: members.flag("preview").unwrap_or(false),
        pii_exposure: members.word("pii_exposure"),
        secrets_exposure: members.word("secrets_exposure"),
        human_approval: members.flag("human_approval"),
        refusal_modes: members.texts("refusal_modes"),
        version: members.text("version"),
    };
    members.unknown(Severity::Error);
    record
}

fn example(members: &mut Members<'_, '_>) -> Option<Example> {
    let description = members.required_text("description", "say what the example shows");
    let input = value(members, "input", "input_json");
    if input.is_none() && members.raw("input_json").is_none() {
        members.missing("input", "write the arguments of the call as a table");
    }
    let output = value(members, "output", "output_json");
    members.unknown(Severity::Error);
    Some(Example { description: description?, input: input?, output })
}

/// Reads a value in TOML, or as JSON text if TOML can't represent it, such as null.
fn value(members: &mut Members<'_, '_>, plain: &'static str, as_json: &'static str) -> Option<Value> {
    let plain = members.raw(plain).cloned();
    let Some(text) = members.text(as_json) else { return plain };
    let read = Json::parse(&text).ok().and_then(|json| json.read().ok());
    if read.is_none() {
        members.error(as_json, "is not JSON", "write a JSON text, such as '{\"name\": null}'");
    }
    read
}
