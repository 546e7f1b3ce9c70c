//! Searches texts and documents for secrets.
use serde_json::Value;

use super::address;
use super::kind::Kind;
use super::names::is_secret_name;
use super::real;
use super::secret_spans::secret_spans;

/// The most findings of one document.
const MOST: usize = 100;
/// Replaces a name that contains a secret.
const HIDDEN_NAME: &str = "[hidden name]";

/// A secret in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSecret {
    /// The names and indices that lead to it.
    pub steps: Vec<String>,
    pub kind: Kind,
}

/// Returns what must not be published in a document, as far as it is among the first hundred.
pub fn scan(document: &Value) -> Vec<DocumentSecret> {
    let mut walk = Walk { found: Vec::new(), steps: Vec::new() };
    walk.value(document, None);
    walk.found
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
    found: Vec<DocumentSecret>,
    /// The names and indices that lead to the current value.
    steps: Vec<String>,
}

impl Walk {
    /// `name` is the name of the member that has this value, or that has a list with it.
    fn value(&mut self, value: &Value, name: Option<&str>) {
        match value {
            Value::String(text) => self.text(text, name),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.inside(index.to_string(), |walk| walk.value(item, name));
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let kinds = kinds(name);
                    let step = if kinds.is_empty() { name } else { HIDDEN_NAME };
                    self.inside(step.to_owned(), |walk| {
                        kinds.into_iter().for_each(|kind| walk.note(kind));
                        walk.value(value, Some(name));
                    });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn inside(&mut self, step: String, visit: impl FnOnce(&mut Self)) {
        self.steps.push(step);
        visit(self);
        self.steps.pop();
    }

    fn text(&mut self, text: &str, name: Option<&str>) {
        let kinds = kinds(text);
        if kinds.is_empty() && name.is_some_and(is_secret_name) && real::is_value(text) {
            self.note(Kind::Member);
        }
        kinds.into_iter().for_each(|kind| self.note(kind));
    }

    fn note(&mut self, kind: Kind) {
        if self.found.len() < MOST {
            self.found.push(DocumentSecret { steps: self.steps.clone(), kind });
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
