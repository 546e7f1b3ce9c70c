//! The last look at a document before it leaves: what must not be published stops it (D-30). A finding names the document and
//! the field, never the value.
use serde_json::Value;
use url::Url;

use super::table::{Document, Draft, Kind};
use crate::ai_help::Help;
use crate::description::Description;
use crate::finding::{Findings, Pointer};
use crate::place::Place;
use crate::secrets::{scan, scan_text};

pub(super) fn clear(
    kind: Kind,
    drafts: Vec<(String, Draft)>,
    description: &Description,
    place: &Place,
) -> Result<Vec<Document>, Findings> {
    let mut findings = Findings::default();
    let mut documents = Vec::with_capacity(drafts.len());
    for (path, draft) in drafts {
        let found = match &draft {
            Draft::Json(value) => scan(&elsewhere(value, place)),
            Draft::Text(text) => in_text(text, description, place),
        };
        for finding in found {
            let at = finding.at.steps().fold(Pointer::root().join(&path), |at, step| at.join(&step));
            findings.push(finding.severity, at, finding.problem, finding.fix);
        }
        documents.push(Document { kind, path, media_type: kind.media_type(), text: draft.text() });
    }
    if findings.is_empty() { Ok(documents) } else { Err(findings) }
}

/// The texts are made from the help, whose JSON knows the field; what is only in the text is found by its line.
fn in_text(text: &str, description: &Description, place: &Place) -> Findings {
    let in_lines = scan_text(&without_host(text, place));
    if in_lines.is_empty() {
        return Findings::default();
    }
    let mut findings = scan(&elsewhere(&Help::of(description, place).json(), place));
    if findings.is_empty() {
        for (kind, line) in in_lines {
            let problem = format!("line {line}: holds {kind}, which must not be published");
            findings.error(Pointer::root(), problem, kind.fix());
        }
    }
    findings
}

/// The value as if the server were reached elsewhere: who reads the document where it is served knows that address.
fn elsewhere(value: &Value, place: &Place) -> Value {
    match value {
        Value::String(text) => Value::String(without_host(text, place)),
        Value::Array(items) => items.iter().map(|item| elsewhere(item, place)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), elsewhere(value, place)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

fn without_host(text: &str, place: &Place) -> String {
    let url = place.mcp_url.as_deref().and_then(|url| Url::parse(url).ok());
    match url.as_ref().and_then(Url::host_str) {
        Some(host) => text.replace(&format!("//{host}"), "//localhost"),
        None => text.to_owned(),
    }
}
