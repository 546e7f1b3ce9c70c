//! Finds arguments that say more about a call than its tool's name does: where the call goes, what
//! it destroys, and where it writes. They count whatever the name is and whatever the server says.
use overt_policy::record::Effect;
use serde_json::Value;

use super::verbs::{effect_of, words};

/// An argument that makes a call worse than its tool's name and hints may suggest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clue {
    /// The effect that the call has at least.
    pub(super) effect: Effect,
    /// What the guess is based on, such as "its argument `url`".
    pub(super) basis: String,
}

/// The last word of names that mean a place outside, such as `url`, `webhook_url` and `smtpHost`.
const PLACES: &str = "address bcc callback cc domain email emails endpoint forward host hostname hosts ip link \
    links mailto phone proxy recipient recipients remote repo repos repository site sites subdomain uri uris url urls webhook webhooks website";
/// Formats of JSON Schema that mean a place outside.
const FORMATS: [&str; 8] = ["uri", "uri-reference", "url", "email", "idn-email", "hostname", "ipv4", "ipv6"];
/// The nesting depth up to which schemas are searched. Each part of a schema is visited once.
const DEEPEST: usize = 8;
/// Arguments that choose what a call does.
const CHOICES: [&str; 3] = ["operation", "action", "mode"];
/// The first word of flags that destroy something, such as `truncateFirst`.
const DESTRUCTIVE_FLAGS: [&str; 3] = ["truncate", "delete", "purge"];
/// The last two words of names of files that a call writes. `file_path` may be one that it reads.
const OUTPUTS: [[&str; 2]; 4] = [["output", "path"], ["output", "file"], ["save", "path"], ["local", "path"]];

/// Returns the argument with the worst effect.
pub(super) fn clue(schema: &Value) -> Option<Clue> {
    let argument = |effect, name: String| Clue { effect, basis: format!("its argument `{name}`") };
    destructive(schema)
        .or_else(|| Some(argument(Effect::External, outside(schema)?)))
        .or_else(|| Some(argument(Effect::Mutating, output(schema)?)))
}

/// Returns the first argument that can make a call destroy something: a flag such as
/// `truncateFirst`, or a choice such as `operation` with `delete` among its values.
fn destructive(schema: &Value) -> Option<Clue> {
    let properties = schema.get("properties")?.as_object()?;
    properties.iter().find_map(|(name, property)| {
        let basis = if is_destructive_flag(name, property) {
            format!("its argument `{name}`")
        } else if CHOICES.contains(&name.as_str()) {
            let verb = choices(property).into_iter().find_map(destructive_verb)?;
            format!("`{verb}` in the values of its argument `{name}`")
        } else {
            return None;
        };
        Some(Clue { effect: Effect::Destructive, basis })
    })
}

fn is_destructive_flag(name: &str, property: &Value) -> bool {
    let is_flag =
        has_type(property, &["boolean"]) || parts(property).any(|part| has_type(part, &["boolean"]));
    is_flag && words(name).first().is_some_and(|first| DESTRUCTIVE_FLAGS.contains(&first.as_str()))
}

/// Returns the destructive verb that a choice begins with. A choice such as `merge_train_removed`
/// names an event in the past, which a call can only look for.
fn destructive_verb(choice: &str) -> Option<String> {
    let words = words(choice);
    let is_past = words.last()?.ends_with("ed");
    words.into_iter().next().filter(|verb| !is_past && effect_of(verb) == Some(Effect::Destructive))
}

/// Returns the texts that a schema allows, directly or in its parts.
fn choices(schema: &Value) -> Vec<&str> {
    let own = |schema| ["enum", "const"].into_iter().filter_map(move |name| Value::get(schema, name));
    let all =
        own(schema).chain(parts(schema).flat_map(own)).chain(schema.get("items").into_iter().flat_map(own));
    all.flat_map(|value| match value {
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::from_iter(value.as_str()),
    })
    .collect()
}

/// Returns the first argument that names a file to write.
fn output(schema: &Value) -> Option<String> {
    let mut properties = schema.get("properties")?.as_object()?.iter();
    let is_output = |name: &str| matches!(words(name).as_slice(), [.., a, b] if OUTPUTS.contains(&[a, b]));
    let found = properties.find(|(name, property)| may_be_text(property) && is_output(name));
    found.map(|(name, _)| name.clone())
}

/// Returns the schemas that a schema combines.
fn parts(schema: &Value) -> impl Iterator<Item = &Value> {
    ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| schema.get(name)?.as_array()).flatten()
}

/// Returns the first argument that says where a call goes.
fn outside(schema: &Value) -> Option<String> {
    in_schema(schema, DEEPEST)
}

fn in_schema(schema: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let has_from = properties.is_some_and(|properties| properties.contains_key("from"));
        if may_be_text(property) && (is_place(name, has_from) || has_format(property)) {
            return Some(name.clone());
        }
        if let Some(found) = in_schema(property, depth) {
            return Some(found);
        }
    }
    let items = schema.get("items").and_then(|items| in_schema(items, depth));
    items.or_else(|| parts(schema).find_map(|part| in_schema(part, depth)))
}

/// Returns whether a name means a place outside. Its last word counts: `repo_path` is a path. `to`
/// beside `from` is the end of a range.
fn is_place(name: &str, has_from: bool) -> bool {
    let words = words(name);
    match words.as_slice() {
        [only] if only == "to" => !has_from,
        // A plain `address` is a postal address, which leads nowhere; `ip_address` does.
        [only] if only == "address" => false,
        [.., first, last] if first == "connection" && last == "string" => true,
        [.., last] => PLACES.split_whitespace().any(|place| place == last),
        [] => false,
    }
}

/// Flags and numbers lead nowhere, such as `include_links: true`.
fn may_be_text(property: &Value) -> bool {
    property.get("type").is_none() || has_type(property, &["string", "array", "object"])
}

/// Returns whether a schema says that its value has one of these types.
fn has_type(schema: &Value, types: &[&str]) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => types.contains(&kind.as_str()),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(|kind| types.contains(&kind)),
        _ => false,
    }
}

fn has_format(property: &Value) -> bool {
    let format = |schema: &Value| schema.get("format").and_then(Value::as_str).map(str::to_owned);
    let own = format(property).or_else(|| format(property.get("items")?));
    own.is_some_and(|format| FORMATS.contains(&format.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_known_by_name_and_by_format() {
        let text = json!({"type": "string"});
        for (properties, expected) in [
            (json!({"path": text, "url": text}), Some("url")),
            (json!({"webhookUrl": text}), Some("webhookUrl")),
            (json!({"owner": text, "repo": text}), Some("repo")),
            (json!({"to": text, "body": text}), Some("to")),
            (json!({"to": {"type": "array", "items": text}}), Some("to")),
            (json!({"target": {"type": "string", "format": "uri"}}), Some("target")),
            (json!({"page": {"properties": {"site": {}}}}), Some("site")),
            (json!({"all": {"type": "array", "items": {"properties": {"email": text}}}}), Some("email")),
            (json!({"urls": {"anyOf": [{"type": "array"}]}}), Some("urls")),
            (json!({"repo_path": text, "url_path": text, "hostages": text}), None),
            (json!({"from": text, "to": text}), None),
            (json!({"address": text}), None),
            (json!({"ip_address": text}), Some("ip_address")),
            (json!({"links": {"type": "boolean"}, "email": {"type": "boolean"}}), None),
            (json!({"StatusCallback": text, "id": text}), Some("StatusCallback")),
            (json!({"action": {"properties": {"forward": text}}}), Some("forward")),
            (json!({"connectionString": text}), Some("connectionString")),
            (json!({"target_connection_string": text}), Some("target_connection_string")),
            (json!({"connection": text, "string": text, "noFastForward": {"type": "boolean"}}), None),
            (json!({}), None),
        ] {
            let schema = json!({"type": "object", "properties": properties});
            assert_eq!(outside(&schema).as_deref(), expected, "{schema}");
        }
        let nested = |depth: usize| {
            (1..depth)
                .fold(json!({"properties": {"url": text}}), |inner, _| json!({"properties": {"a": inner}}))
        };
        assert_eq!(outside(&nested(DEEPEST)), Some("url".to_owned()));
        assert_eq!(outside(&nested(DEEPEST + 1)), None);
        assert_eq!(outside(&json!(true)), None);
    }

    #[test]
    fn flags_and_choices_that_destroy_are_known() {
        let (text, flag) = (json!({"type": "string"}), json!({"type": "boolean"}));
        let choices = |values: &[&str]| json!({"type": "string", "enum": values});
        for (properties, expected) in [
            (json!({"mode": choices(&["list", "delete"])}), "`delete` in the values of its argument `mode`"),
            (
                json!({"action": choices(&["getRows", "dropTable"])}),
                "`drop` in the values of its argument `action`",
            ),
            (
                json!({"operation": {"anyOf": [{"enum": ["get", "reset_stats"]}, {"type": "null"}]}}),
                "`reset` in the values of its argument `operation`",
            ),
            (
                json!({"action": {"oneOf": [{"const": "get"}, {"const": "purge"}]}}),
                "`purge` in the values of its argument `action`",
            ),
            (json!({"action": choices(&["list", "create"])}), ""),
            (json!({"action": choices(&["removed", "merge_train_removed"])}), ""),
            (json!({"event": choices(&["delete"]), "action": text}), ""),
            (json!({"truncateFirst": flag}), "its argument `truncateFirst`"),
            (json!({"delete": {"anyOf": [flag, {"type": "null"}]}}), "its argument `delete`"),
            (json!({"purge_all": {"type": ["boolean", "null"]}}), "its argument `purge_all`"),
            (json!({"force": flag, "overwrite": flag, "include_delete": flag, "deleted": flag}), ""),
            (json!({"delete": text}), ""),
        ] {
            let schema = json!({"type": "object", "properties": properties});
            let found = destructive(&schema).map(|clue| clue.basis).unwrap_or_default();
            assert_eq!(found, expected, "{schema}");
        }
    }

    #[test]
    fn files_to_write_are_known() {
        let text = json!({"type": "string"});
        for name in ["outputPath", "output_file", "savePath", "local_path"] {
            assert_eq!(output(&json!({"properties": {name: text}})).as_deref(), Some(name));
        }
        for name in ["file_path", "path", "output", "outputFormat", "filename"] {
            assert_eq!(output(&json!({"properties": {name: text}})), None);
        }
        assert_eq!(output(&json!({"properties": {"output_file": {"type": "boolean"}}})), None);
    }
}
