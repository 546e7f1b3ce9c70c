//! Formats documents about a server as data, the paths at which they were written, and how
//! committed documents differ from the current ones.
use overt_documents::document::Document;
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::text::Untrusted;

use super::hunks::{HunkHeads, hunks};
use super::style::{DANGER, TITLE, paint};

/// How committed documents differ from the ones that would be generated now.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    /// Number of documents compared.
    pub(crate) compared: usize,
    pub(crate) missing: Vec<String>,
    /// Files beside the documents that no longer belong to them.
    pub(crate) surplus: Vec<String>,
    /// The path, the text on disk and the expected text.
    pub(crate) changed: Vec<(String, String, String)>,
    /// Tools without a declaration.
    pub(crate) undeclared: Vec<String>,
    /// Fields that no person has confirmed yet.
    pub(crate) guesses: Vec<String>,
}

impl Drift {
    pub(crate) fn is_none(&self) -> bool {
        self.missing.is_empty() && self.surplus.is_empty() && self.changed.is_empty()
    }
}

/// The documents as one JSON object.
pub(crate) fn documents_json(documents: &[Document]) -> JsonBuf {
    let entry = |document: &Document| {
        Object::new()
            .string("path", &document.path)
            .string("mediaType", document.media_type)
            .string("text", &document.text)
            .finish()
    };
    Object::new().json("documents", list(documents.iter().map(entry)).as_json()).finish()
}

/// The path of each document to write, with a word for the outcome.
pub(crate) fn written_json(written: &[(String, &'static str)]) -> JsonBuf {
    let entry = |(path, fate): &(String, &'static str)| {
        Object::new().string("path", path).string("fate", fate).finish()
    };
    Object::new().json("documents", list(written.iter().map(entry)).as_json()).finish()
}

/// The differences, as unified diffs from the text on disk to the expected text.
pub(crate) fn drift_text(drift: &Drift) -> String {
    let mut out = String::new();
    for path in &drift.missing {
        out.push_str(&format!("{} {}\n", paint(DANGER, "missing"), Untrusted(path)));
    }
    for path in &drift.surplus {
        out.push_str(&format!("{} {}\n", paint(DANGER, "surplus"), Untrusted(path)));
    }
    for (path, there, now) in &drift.changed {
        let path = Untrusted(path);
        out.push_str(&format!("{} {path}\n", paint(DANGER, "differs")));
        out.push_str(&format!("{}\n", paint(TITLE, format!("--- {path}"))));
        out.push_str(&format!("{}\n", paint(TITLE, "+++ from the manifest and the server")));
        out.push_str(&hunks(there, now, HunkHeads::Shown, ""));
    }
    out
}

pub(crate) fn drift_json(drift: &Drift) -> JsonBuf {
    let changed = drift.changed.iter().map(|(path, there, now)| {
        let diff = similar::TextDiff::from_lines(there, now).unified_diff().context_radius(2).to_string();
        Object::new().string("path", path).string("diff", &diff).finish()
    });
    Object::new()
        .value("missing", &drift.missing)
        .value("surplus", &drift.surplus)
        .json("changed", list(changed).as_json())
        .value("undeclaredTools", &drift.undeclared)
        .value("guesses", &drift.guesses)
        .finish()
}

fn list(entries: impl Iterator<Item = JsonBuf>) -> JsonBuf {
    entries.fold(Array::new(), |array, entry| array.json(entry.as_json())).finish()
}
