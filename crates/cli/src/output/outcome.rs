//! Formats the result of a call as text.
use overt_wire::json::{Json, JsonBuf};
use overt_wire::view::{CallResult, Content};
use serde_json::Value;

use super::pretty::pretty;
use super::readable::{readable, readable_facts};
use super::safe::{lines, one_line};
use super::style::{DIM, paint};
use crate::settings::Save;

/// Everything in the result that a person can read, with a line for each binary item. `changes` is
/// the diff of what the call changed.
pub(crate) fn outcome_text(result: CallResult<'_>, changes: Option<&str>, save: &Save) -> String {
    let advice = if *save == Save::No { "; --out saves it" } else { "" };
    let mut out = changes.unwrap_or_default().to_owned();
    let programs = result.structured().value();
    let structured = |value: Json<'_>| match changes {
        // The lists would repeat what the diff shows.
        Some(_) => readable_facts(value),
        None => readable(value),
    };
    let mut has_text = false;
    for item in result.content() {
        has_text |= item.kind().as_deref() == Some("text");
        let text = match item.text().as_deref().and_then(document) {
            Some(value) if item.kind().as_deref() == Some("text") => match programs {
                Some(programs) if repeats(value.as_json(), programs) => structured(value.as_json()),
                // A text with content of its own, such as a JSON file.
                Some(_) => item_text(item, advice),
                None => pretty(value.as_json()),
            },
            _ => item_text(item, advice),
        };
        let text = text.trim_end_matches('\n');
        if !text.is_empty() || item.kind().as_deref() == Some("text") {
            out.push_str(text);
            out.push('\n');
        }
    }
    if let Some(value) = result.structured().value().filter(|_| !has_text) {
        out.push_str(&structured(value));
    }
    out
}

/// Whether a text repeats the structured content, for clients that do not read that.
fn repeats(text: Json<'_>, structured: Json<'_>) -> bool {
    match (text.read(), structured.read()) {
        (Ok(Value::Object(text)), Ok(Value::Object(all))) => {
            // Either may have more members: a diff, or a long list.
            let (less, more) = if text.len() <= all.len() { (&text, &all) } else { (&all, &text) };
            !less.is_empty() && less.iter().all(|(name, value)| more.get(name) == Some(value))
        }
        // The structured content wraps a value that is not an object.
        (Ok(text), Ok(all)) => text == all || all.get("result") == Some(&text),
        _ => false,
    }
}

/// Parses a text that is a JSON object or array, which many tools return for programs.
fn document(text: &str) -> Option<JsonBuf> {
    let is_document = text.trim_start().starts_with(['{', '[']);
    let value = is_document.then(|| JsonBuf::parse(text.trim()).ok()).flatten()?;
    (value.as_json().is_object() || value.as_json().is_array()).then_some(value)
}

/// The exact text of the result without binary items, and the number of items that this omits.
pub(crate) fn raw_text(result: CallResult<'_>) -> (String, usize) {
    let mut out = String::new();
    let mut left_out = 0;
    for item in result.content() {
        let text = match item.kind().as_deref() {
            Some("text") => item.text(),
            Some("resource") => item.resource().and_then(Content::text),
            _ => None,
        };
        match text {
            Some(text) => out.push_str(&text),
            None => left_out += 1,
        }
    }
    (out, left_out)
}

/// Describes a binary item by its type and size.
pub(crate) fn binary_label(mime_type: Option<&str>, bytes: usize) -> String {
    let kind = mime_type.map_or_else(|| "binary".to_owned(), one_line);
    format!("{kind}, {}", size(bytes))
}

fn item_text(item: Content<'_>, advice: &str) -> String {
    match item.kind().as_deref() {
        Some("text") => lines(&item.text().unwrap_or_default()),
        Some("image" | "audio") => binary(item, item.0.get("data").string().as_deref(), advice),
        Some("resource") => match item.resource() {
            Some(resource) => embedded(resource, advice),
            None => note("resource without content"),
        },
        // The last two are links of seed 002.
        Some("resource_link" | "review" | "diff") => link(item),
        Some(other) => note(&format!("content of type {}; `--format json` shows it", one_line(other))),
        None => note("content without a type; `--format json` shows it"),
    }
}

fn embedded(resource: Content<'_>, advice: &str) -> String {
    let uri = resource.uri().map(|uri| format!(" {}", one_line(&uri))).unwrap_or_default();
    match (resource.text(), resource.0.get("blob").string()) {
        (Some(text), _) => format!("{}\n{}", note(&format!("resource{uri}")), lines(&text)),
        (None, blob) => binary(resource, blob.as_deref(), &format!("{uri}{advice}")),
    }
}

/// Describes a link that a person can open, or a resource that only a client of the server can
/// read. A `ui://` resource yields nothing: a host shows it in place of the result, and it ends
/// with the server.
fn link(item: Content<'_>) -> String {
    let member = |name: &str| item.0.get(name).string().map(|text| one_line(&text));
    let uri = member("uri").or_else(|| member("url")).unwrap_or_default();
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme).to_lowercase();
    let word = match scheme.as_str() {
        "ui" => return String::new(),
        "http" | "https" | "file" => "link",
        _ => "resource",
    };
    let mut text = format!("{word} {uri}");
    if let Some(name) = member("title").or(member("name")) {
        text.push_str(&format!(" {name}"));
    }
    if let Some(kind) = member("mimeType") {
        text.push_str(&format!(", {kind}"));
    }
    if let Some(description) = member("description") {
        text.push_str(&format!(": {description}"));
    }
    note(&text)
}

fn binary(item: Content<'_>, base64: Option<&str>, rest: &str) -> String {
    let label = binary_label(item.mime_type().as_deref(), decoded_len(base64.unwrap_or_default()));
    note(&format!("{label}{rest}"))
}

/// Marks a line of ours among the server's text.
fn note(text: &str) -> String {
    paint(DIM, format!("[{text}]"))
}

/// The decoded length of a base64 text, without decoding it.
fn decoded_len(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(result: &str, text: &str) {
        check_with(result, None, text);
    }

    #[track_caller]
    fn check_with(result: &str, changes: Option<&str>, text: &str) {
        let result = CallResult(Json::parse(result).unwrap());
        let shown = outcome_text(result, changes, &Save::No);
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), text);
    }

    #[test]
    fn each_kind_of_content_has_its_line() {
        check(
            r#"{"content":[{"type":"text","text":"a\nb\n"},{"type":"text","text":"\u001b[2J"}]}"#,
            "a\nb\n\\u{1b}[2J\n",
        );
        check(
            r#"{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}"#,
            "[image/png, 3 B; --out saves it]\n",
        );
        check(
            r#"{"content":[{"type":"resource","resource":{"uri":"x:1","text":"hi"}},{"type":"resource","resource":{"uri":"x:2","blob":"AA=="}}]}"#,
            "[resource x:1]\nhi\n[binary, 1 B x:2; --out saves it]\n",
        );
        check(
            r#"{"content":[{"type":"resource_link","uri":"x:1","name":"n","mimeType":"text/plain","description":"d"}]}"#,
            "[resource x:1 n, text/plain: d]\n",
        );
        check(
            r#"{"content":[{"type":"hologram"},{}]}"#,
            "[content of type hologram; `--format json` shows it]\n[content without a type; `--format json` shows it]\n",
        );
    }

    #[test]
    fn u_06_structure_is_shown_as_lines() {
        check(r#"{"content":[],"structuredContent":{"a":1,"b":["x"]}}"#, "a: 1\nb:\n  - x\n");
        check(r#"{"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}}"#, "t\n");
        // A file that is JSON stays as it is.
        check(
            r#"{"content":[{"type":"text","text":"{\"a\":{},\"b\": [1]}\n"}],"structuredContent":{"path":"x.json","size":17}}"#,
            "{\"a\":{},\"b\": [1]}\n",
        );
        check(
            r#"{"content":[{"type":"text","text":"{}"}],"structuredContent":{"path":"x.json","size":2}}"#,
            "{}\n",
        );
        check(
            r#"{"content":[{"type":"text","text":"[1,2]"}],"structuredContent":{"result":[1,2]}}"#,
            "- 1\n- 2\n",
        );
        check(
            r#"{"content":[{"type":"text","text":"{\"a\":1,\"b\":\"x\"}"}],"structuredContent":{"a":1,"b":"x"}}"#,
            "a: 1\nb: x\n",
        );
        check(r#"{"content":[{"type":"text","text":"{\"a\":1}"}]}"#, "{\n  \"a\": 1\n}\n");
        check(r#"{"content":[{"type":"text","text":"{not json}"}]}"#, "{not json}\n");
        check("{}", "");
    }

    #[test]
    fn u_06_links_that_nobody_can_open_are_left_out() {
        check(
            r#"{"content":[{"type":"review","url":"ui://t/1","mimeType":"text/html"},{"type":"diff","url":"https://example.com/d"}]}"#,
            "[link https://example.com/d]\n",
        );
        check(
            r#"{"content":[{"type":"resource_link","uri":"ui://t/1","name":"page"},{"type":"resource_link","uri":"https://example.com/a","name":"a"}]}"#,
            "[link https://example.com/a a]\n",
        );
    }

    #[test]
    fn u_06_a_diff_comes_before_the_facts() {
        check_with(
            r#"{"content":[{"type":"text","text":"{\"files\":[{\"path\":\"a\"}],\"change\":\"c-1\"}"},{"type":"resource_link","uri":"ui://t/1"}],"structuredContent":{"change":"c-1"}}"#,
            Some("--- a/a\n+++ b/a\n"),
            "--- a/a\n+++ b/a\nchange: c-1\n",
        );
    }
}
