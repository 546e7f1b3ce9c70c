//! Searches texts and documents for secrets.
use serde_json::Value;

use super::address;
use super::kind::Kind;
use super::names::is_secret_name;
use super::real;
use super::secret_spans::secret_spans;
use crate::finding::{Findings, Pointer};

/// The most findings of one document.
const MOST: usize = 100;
/// Replaces a name that contains a secret.
const HIDDEN_NAME: &str = "[hidden name]";

/// Returns everything in a document that must not be published, with its place and its kind.
pub fn scan(document: &Value) -> Findings {
    let mut walk = Walk { findings: Findings::default(), count: 0 };
    walk.value(document, &Pointer::root(), None);
    walk.findings
}

/// Returns everything in a text, such as a Markdown document, that must not be published: each kind
/// with its line, counted from 1.
pub fn scan_text(text: &str) -> Vec<(Kind, usize)> {
    lines(text, places(text))
}

/// Returns the credentials in a text, without the addresses of private networks.
pub fn scan_credentials(text: &str) -> Vec<(Kind, usize)> {
    lines(text, credentials(text))
}

fn lines(text: &str, places: Vec<(Kind, usize)>) -> Vec<(Kind, usize)> {
    let (mut line, mut at) = (1, 0);
    let mut found: Vec<(Kind, usize)> = Vec::new();
    for (kind, place) in places {
        line += text[at..place].matches('\n').count();
        at = place;
        if !found.contains(&(kind, line)) {
            found.push((kind, line));
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Returns the kind and the position of each secret, in the order of the text.
fn places(text: &str) -> Vec<(Kind, usize)> {
    let mut places = credentials(text);
    places.extend(address::internal(text).into_iter().map(|range| (Kind::Internal, range.start)));
    places.sort_by_key(|(_, at)| *at);
    places
}

fn credentials(text: &str) -> Vec<(Kind, usize)> {
    let mut spans = secret_spans(text).into_iter().filter(|span| span.is_real(text)).peekable();
    let mut places = Vec::new();
    while let Some(span) = spans.next() {
        // In `token: ghp_…`, the key is more specific than the name before it.
        if spans.peek().is_none_or(|next| next.range.start >= span.range.end) {
            places.push((span.kind, span.range.start));
        }
    }
    places
}

struct Walk {
    findings: Findings,
    count: usize,
}

impl Walk {
    /// `name` is the name of the member that has this value, or that has a list with it.
    fn value(&mut self, value: &Value, at: &Pointer, name: Option<&str>) {
        match value {
            Value::String(text) => self.text(text, at, name),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(item, &at.index(index), name);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let kinds = kinds(name);
                    let at = if kinds.is_empty() { at.join(name) } else { at.join(HIDDEN_NAME) };
                    kinds.into_iter().for_each(|kind| self.note(kind, &at));
                    self.value(value, &at, Some(name));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, text: &str, at: &Pointer, name: Option<&str>) {
        let kinds = kinds(text);
        if kinds.is_empty() && name.is_some_and(is_secret_name) && real::is_value(text) {
            self.note(Kind::Member, at);
        }
        kinds.into_iter().for_each(|kind| self.note(kind, at));
    }

    fn note(&mut self, kind: Kind, at: &Pointer) {
        self.count += 1;
        if self.count <= MOST {
            self.findings.error(at.clone(), format!("holds {kind}, which must not be published"), kind.fix());
        }
    }
}

/// Returns the kinds of secrets in a text, without duplicates.
pub(super) fn kinds(text: &str) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for (kind, _) in places(text) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}
