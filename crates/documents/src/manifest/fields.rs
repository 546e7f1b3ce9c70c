//! The fields of a declaration under their names in a manifest. Undeclared fields are absent.
use serde_json::{Map, Value, json};

use overt_policy::record::{Declaration, ResourceRecord, ServerRecord, ToolRecord};

/// The fields of a table, in the order in which they are written.
pub(super) type Fields = Vec<(&'static str, Option<Value>)>;

/// Returns the whole declaration as one value, with each field at the place that findings name.
pub fn to_value(declaration: &Declaration) -> Value {
    let whole = |fields: Fields| object(fields).unwrap_or_else(|| json!({}));
    let tools = declaration.tools.iter().map(|(name, record)| (name.clone(), whole(tool(record))));
    let resources = declaration.resources.iter().map(|(uri, record)| (uri.clone(), whole(resource(record))));
    json!({
        "server": whole(server(&declaration.server)),
        "tools": tools.collect::<Map<_, _>>(),
        "resources": resources.collect::<Map<_, _>>(),
    })
}

pub(super) fn server(record: &ServerRecord) -> Fields {
    let urls = &record.urls;
    let requires = &record.requires;
    let audit = &record.audit;
    vec![
        ("name", text(record.name.as_ref())),
        ("title", text(record.title.as_ref())),
        ("description", Some(json!(record.description))),
        ("summary", text(record.summary.as_ref())),
        ("emoji", text(record.emoji.as_ref())),
        ("access_level", record.access_level.map(|level| json!(level))),
        ("when_to_use", list(&record.when_to_use)),
        ("not_for", list(&record.not_for)),
        (
            "urls",
            object(vec![
                ("cli", text(urls.cli.as_ref())),
                ("api", text(urls.api.as_ref())),
                ("web", text(urls.web.as_ref())),
                ("mcp", text(urls.mcp.as_ref())),
            ]),
        ),
        ("install", (!record.install.is_empty()).then(|| json!(record.install))),
        ("args", list(&record.args)),
        (
            "requires",
            object(vec![
                ("auth", list(&requires.auth)),
                ("env", list(&requires.env)),
                ("scopes", list(&requires.scopes)),
            ]),
        ),
        (
            "invocation",
            record.invocation.as_ref().map(|invocation| {
                let fields = vec![
                    ("model_invocable", flag(invocation.model_invocable)),
                    ("user_invocable", flag(invocation.user_invocable)),
                    ("allowed_tools", list(&invocation.allowed_tools)),
                ];
                object(fields).unwrap_or_else(|| json!({}))
            }),
        ),
        ("rate_limit", record.rate_limit.map(|limit| json!(limit))),
        ("homepage", text(record.homepage.as_ref())),
        ("repository", text(record.repository.as_ref())),
        ("status_page", text(record.status_page.as_ref())),
        ("content_version", text(record.content_version.as_ref())),
        ("last_updated", text(record.last_updated.as_ref())),
        ("authentication", text(record.authentication.as_ref())),
        ("best_practices", list(&record.best_practices)),
        (
            "troubleshooting",
            many(
                &record.troubleshooting,
                |trouble| json!({"problem": trouble.problem, "cause": trouble.cause, "solution": trouble.solution}),
            ),
        ),
        (
            "errors",
            many(
                &record.errors,
                |error| json!({"code": error.code, "description": error.description, "resolution": error.resolution}),
            ),
        ),
        ("categories", list(&record.categories)),
        ("license", text(record.license.as_ref())),
        ("registry_name", text(record.registry_name.as_ref())),
        (
            "audit",
            object(vec![
                ("log_uri", text(audit.log_uri.as_ref())),
                ("retention_days", audit.retention_days.map(|days| json!(days))),
                ("signed_by", text(audit.signed_by.as_ref())),
                ("incident_response_uri", text(audit.incident_response_uri.as_ref())),
            ]),
        ),
    ]
}

pub(super) fn tool(record: &ToolRecord) -> Fields {
    vec![
        ("effect", record.effect.map(|effect| json!(effect))),
        ("operation", record.operation.map(|operation| json!(operation))),
        ("open_world", flag(record.open_world)),
        ("idempotent", flag(record.idempotent)),
        ("idempotent_with_key", flag(record.idempotent_with_key)),
        ("overwrites", record.overwrites.then(|| json!(true))),
        ("reversible", flag(record.reversible)),
        ("reverse_method", text(record.reverse_method.as_ref())),
        ("side_effects", list(&record.side_effects)),
        ("external_systems", list(&record.external_systems)),
        ("category", text(record.category.as_ref())),
        ("cli_equivalent", text(record.cli_equivalent.as_ref())),
        ("api_equivalent", text(record.api_equivalent.as_ref())),
        ("rate_limit", record.rate_limit.map(|limit| json!(limit))),
        (
            "examples",
            many(&record.examples, |example| {
                let mut entry = json!({"description": example.description});
                set_value(&mut entry, "input", "input_json", &example.input);
                if let Some(output) = &example.output {
                    set_value(&mut entry, "output", "output_json", output);
                }
                entry
            }),
        ),
        (
            "errors",
            many(
                &record.errors,
                |error| json!({"code": error.code, "description": error.description, "resolution": error.resolution}),
            ),
        ),
        ("scopes", list(&record.scopes)),
        ("intent_template", text(record.intent_template.as_ref())),
        ("preview", record.preview.then(|| json!(true))),
        ("pii_exposure", record.pii_exposure.map(|exposure| json!(exposure))),
        ("secrets_exposure", record.secrets_exposure.map(|exposure| json!(exposure))),
        ("human_approval", flag(record.human_approval)),
        ("refusal_modes", record.refusal_modes.as_ref().map(|modes| json!(modes))),
        ("version", text(record.version.as_ref())),
    ]
}

pub(super) fn resource(record: &ResourceRecord) -> Fields {
    let scopes: Vec<String> = record.scopes.iter().map(ToString::to_string).collect();
    vec![
        ("scopes", list(&scopes)),
        ("resource_type", text(record.resource_type.as_ref())),
        ("refreshable", flag(record.refreshable)),
        ("cache_duration", record.cache_duration.map(|seconds| json!(seconds))),
        ("web_equivalent", text(record.web_equivalent.as_ref())),
        ("api_equivalent", text(record.api_equivalent.as_ref())),
    ]
}

/// Sets a value as TOML, or as JSON text if TOML can't represent it.
fn set_value(entry: &mut Value, plain: &str, as_json: &str, value: &Value) {
    if is_writable(value) {
        entry[plain] = value.clone();
    } else {
        entry[as_json] = json!(value.to_string());
    }
}

/// TOML has no null, and no integers beyond signed 64 bits.
fn is_writable(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Number(number) => number.is_i64() || number.is_f64(),
        Value::Bool(_) | Value::String(_) => true,
        Value::Array(items) => items.iter().all(is_writable),
        Value::Object(members) => members.values().all(is_writable),
    }
}

fn text(value: Option<&String>) -> Option<Value> {
    value.map(|text| json!(text))
}

fn flag(value: Option<bool>) -> Option<Value> {
    value.map(Value::Bool)
}

fn list(values: &[String]) -> Option<Value> {
    (!values.is_empty()).then(|| json!(values))
}

fn many<T>(values: &[T], write: impl Fn(&T) -> Value) -> Option<Value> {
    (!values.is_empty()).then(|| values.iter().map(write).collect())
}

pub(super) fn object(fields: Fields) -> Option<Value> {
    let members: serde_json::Map<String, Value> =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    (!members.is_empty()).then_some(Value::Object(members))
}
