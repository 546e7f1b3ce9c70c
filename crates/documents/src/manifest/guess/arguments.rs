//! Finds arguments that say where a call goes, such as a URL, a host or a recipient. A call with
//! such an argument reaches outside, whatever its tool's name is and whatever the server says.
use serde_json::Value;

use super::verbs::words;

/// The last word of names that mean a place outside, such as `url`, `webhook_url` and `smtpHost`.
const PLACES: &str = "address bcc cc domain email emails endpoint host hostname hosts ip link links mailto phone proxy \
    recipient recipients remote repo repos repository site sites subdomain uri uris url urls webhook webhooks website";
/// Formats of JSON Schema that mean a place outside.
const FORMATS: [&str; 8] = ["uri", "uri-reference", "url", "email", "idn-email", "hostname", "ipv4", "ipv6"];
/// The nesting depth up to which schemas are searched.
const DEEPEST: usize = 4;

/// Returns the first argument that says where a call goes.
pub(super) fn outside(schema: &Value) -> Option<String> {
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
    items.or_else(|| {
        let parts = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|name| schema.get(name)?.as_array());
        parts.flatten().find_map(|part| in_schema(part, depth))
    })
}

/// Returns whether a name means a place outside. Its last word counts: `repo_path` is a path. `to`
/// beside `from` is the end of a range.
fn is_place(name: &str, has_from: bool) -> bool {
    let words = words(name);
    match words.as_slice() {
        [only] if only == "to" => !has_from,
        // A plain `address` is a postal address, which leads nowhere; `ip_address` does.
        [only] if only == "address" => false,
        [.., last] => PLACES.split_whitespace().any(|place| place == last),
        [] => false,
    }
}

/// Flags and numbers lead nowhere, such as `include_links: true`.
fn may_be_text(property: &Value) -> bool {
    let is_text = |kind: &str| matches!(kind, "string" | "array" | "object");
    match property.get("type") {
        Some(Value::String(kind)) => is_text(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(is_text),
        _ => true,
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
            (json!({}), None),
        ] {
            let schema = json!({"type": "object", "properties": properties});
            assert_eq!(outside(&schema).as_deref(), expected, "{schema}");
        }
        let circle = json!({"properties": {"a": {"properties": {"b": {"properties": {"c": {"properties": {"url": {}}}}}}}}});
        assert_eq!(outside(&circle), Some("url".to_owned()));
        assert_eq!(outside(&json!(true)), None);
    }
}
