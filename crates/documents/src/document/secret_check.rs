//! Checks a document before it is published: a secret in it prevents publication (D-30). A finding
//! names the document and the field, never the value.
use std::borrow::Cow;

use serde_json::{Map, Value};
use url::Url;

use super::kind::{Document, Draft, Kind};
use crate::ai_help::Help;
use crate::description::{Description, is_registry_name};
use crate::server_location::{DocumentLocation, ServerLocation};
use overt_policy::finding::{Findings, Pointer};
use overt_secrets::scan_text;

pub(super) fn publish(
    kind: Kind,
    drafts: Vec<(String, Draft)>,
    description: &Description,
    place: &ServerLocation,
) -> Result<Vec<Document>, Findings> {
    let mut findings = Findings::default();
    let mut documents = Vec::with_capacity(drafts.len());
    let public = PublicNames::of(place, Some(description));
    for (path, draft) in drafts {
        let found = match &draft {
            Draft::Json(value) => in_value(value, &public),
            Draft::Text(text) => in_text(text, description, place, &public),
        };
        for finding in found {
            let at = Pointer::root().join(&path).append(&finding.at);
            findings.push(finding.severity, at, finding.problem, finding.fix);
        }
        documents.push(Document { kind, path, media_type: kind.media_type(), text: draft.text() });
    }
    if findings.is_empty() { Ok(documents) } else { Err(findings) }
}

/// Finds secrets in an answer that is not a whole document, such as a section of the help.
pub fn secrets_in(answer: &Value, place: &ServerLocation) -> Findings {
    in_value(answer, &PublicNames::of(place, None))
}

/// The texts are made from the help, so the help's JSON gives the field of each finding. A secret
/// that is only in the text is reported by its line.
fn in_text(text: &str, description: &Description, place: &ServerLocation, public: &PublicNames) -> Findings {
    let in_lines = scan_text(&public.replace_in_text(text));
    if in_lines.is_empty() {
        return Findings::default();
    }
    let mut findings = in_value(&Help::of(description, place).json(), public);
    if findings.is_empty() {
        for (kind, line) in in_lines {
            let problem = format!("line {line}: holds {kind}, which must not be published");
            findings.error(Pointer::root(), problem, kind.fix());
        }
    }
    findings
}

fn in_value(value: &Value, public: &PublicNames) -> Findings {
    if public.names.is_empty() {
        return Findings::of_secrets(value);
    }
    Findings::of_secrets(&public.replace_in(value))
}

/// Names that look internal but may be published.
struct PublicNames {
    /// Each name, and its replacement for the scan.
    names: Vec<(String, &'static str)>,
}

impl PublicNames {
    /// Collects the host under which we serve the documents, with the slashes before it, because
    /// its readers already know it. Also collects the name in the registry: it begins with a
    /// reversed domain, so `de.corp` there is not a host of a network.
    fn of(place: &ServerLocation, description: Option<&Description>) -> Self {
        let served = place.mcp_url.as_deref().filter(|_| place.documents == DocumentLocation::Served);
        let url = served.and_then(|url| Url::parse(url).ok());
        let host = url.as_ref().and_then(Url::host_str).map(|host| (format!("//{host}"), "//localhost"));
        let name = description.and_then(|description| description.server.registry_name.clone());
        let name = name.filter(|name| is_registry_name(name)).map(|name| (name, "com.example/server"));
        Self { names: host.into_iter().chain(name).collect() }
    }

    fn replace_in(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.replace_in_text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.replace_in(item)).collect(),
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| (name.clone(), self.replace_in(value)));
                members.collect::<Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }

    fn replace_in_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.names.iter().fold(Cow::Borrowed(text), |text, (name, instead)| {
            if text.contains(name) { Cow::Owned(replace(&text, name, instead)) } else { text }
        })
    }
}

/// Replaces only whole names: `10.0.0.5` is not the beginning of `10.0.0.50`, and `de.corp/a` is
/// not the end of `x.de.corp/a`.
fn replace(text: &str, name: &str, instead: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        out.push_str(before);
        let whole = !out.ends_with(is_in_name) && !after.starts_with(is_in_name);
        out.push_str(if whole { instead } else { name });
        rest = after;
    }
    out.push_str(rest);
    out
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-')
}
