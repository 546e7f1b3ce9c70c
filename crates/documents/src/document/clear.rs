//! The last look at a document before it leaves: what must not be published stops it (D-30). A finding names the document and
//! the field, never the value.
use std::borrow::Cow;

use serde_json::{Map, Value};
use url::Url;

use super::table::{Document, Draft, Kind};
use crate::ai_help::Help;
use crate::description::Description;
use crate::place::{Documents, Place};
use overt_policy::finding::{Findings, Pointer};
use overt_policy::secrets::{scan, scan_text};

pub(super) fn clear(
    kind: Kind,
    drafts: Vec<(String, Draft)>,
    description: &Description,
    place: &Place,
) -> Result<Vec<Document>, Findings> {
    let mut findings = Findings::default();
    let mut documents = Vec::with_capacity(drafts.len());
    let host = host(place);
    for (path, draft) in drafts {
        let found = match &draft {
            Draft::Json(value) => in_value(value, host.as_deref()),
            Draft::Text(text) => in_text(text, description, place, host.as_deref()),
        };
        for finding in found {
            let at = Pointer::root().join(&path).append(&finding.at);
            findings.push(finding.severity, at, finding.problem, finding.fix);
        }
        documents.push(Document { kind, path, media_type: kind.media_type(), text: draft.text() });
    }
    if findings.is_empty() { Ok(documents) } else { Err(findings) }
}

/// What must not be published in an answer that is no document of its own, such as a section of the help.
pub fn secrets_in(answer: &Value, place: &Place) -> Findings {
    in_value(answer, host(place).as_deref())
}

/// The texts are made from the help, whose JSON knows the field; what is only in the text is found by its line.
fn in_text(text: &str, description: &Description, place: &Place, host: Option<&str>) -> Findings {
    let in_lines = scan_text(&elsewhere(text, host));
    if in_lines.is_empty() {
        return Findings::default();
    }
    let mut findings = in_value(&Help::of(description, place).json(), host);
    if findings.is_empty() {
        for (kind, line) in in_lines {
            let problem = format!("line {line}: holds {kind}, which must not be published");
            findings.error(Pointer::root(), problem, kind.fix());
        }
    }
    findings
}

fn in_value(value: &Value, host: Option<&str>) -> Findings {
    if host.is_some() { scan(&value_elsewhere(value, host)) } else { scan(value) }
}

/// The value as if the server were reached elsewhere.
fn value_elsewhere(value: &Value, host: Option<&str>) -> Value {
    match value {
        Value::String(text) => elsewhere(text, host).into(),
        Value::Array(items) => items.iter().map(|item| value_elsewhere(item, host)).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), value_elsewhere(value, host)));
            members.collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The text as if the server were reached elsewhere. Only the whole host counts: `10.0.0.5` is not the beginning of
/// `10.0.0.50`.
fn elsewhere<'a>(text: &'a str, host: Option<&str>) -> Cow<'a, str> {
    let Some(host) = host.filter(|host| text.contains(host)) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(host) {
        let after = &rest[at + host.len()..];
        let whole = !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-'));
        out.push_str(&rest[..at]);
        out.push_str(if whole { "//localhost" } else { host });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The host under which we serve the documents, after its slashes: who reads one there knows it. Who reads a file need not.
fn host(place: &Place) -> Option<String> {
    let url = place.mcp_url.as_deref().filter(|_| place.documents == Documents::Served);
    let url = Url::parse(url?).ok()?;
    Some(format!("//{}", url.host_str()?))
}
