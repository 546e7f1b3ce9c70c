//! Formats documents about a server as data, the paths at which they were written, and how
//! committed documents differ from the current ones.
use overt_documents::document::Document;
use overt_wire::text::Untrusted;
use serde::Serialize;

use super::hunks::{HunkHeads, hunks};
use super::report::Report;
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

/// Documents that are printed as data, all at once.
#[derive(Debug, Serialize)]
pub(crate) struct DocumentsReport<'a> {
    documents: Vec<DocumentData<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentData<'a> {
    path: &'a str,
    media_type: &'a str,
    text: &'a str,
}

/// The documents that were written, each with a word for the outcome.
#[derive(Debug, Serialize)]
pub(crate) struct WrittenReport<'a> {
    documents: Vec<WrittenData<'a>>,
}

#[derive(Debug, Serialize)]
struct WrittenData<'a> {
    path: &'a str,
    fate: &'static str,
}

impl<'a> DocumentsReport<'a> {
    pub(crate) fn new(documents: &'a [Document]) -> Self {
        let documents = documents.iter();
        let of =
            |Document { path, media_type, text, .. }: &'a Document| DocumentData { path, media_type, text };
        Self { documents: documents.map(of).collect() }
    }
}

impl<'a> WrittenReport<'a> {
    pub(crate) fn new(written: &'a [(String, &'static str)]) -> Self {
        Self { documents: written.iter().map(|(path, fate)| WrittenData { path, fate }).collect() }
    }
}

/// The differences, as unified diffs from the text on disk to the expected text.
fn drift_text(drift: &Drift) -> String {
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

/// The answer of `overt describe --check`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DriftReport<'a> {
    missing: &'a [String],
    surplus: &'a [String],
    changed: Vec<ChangedDocument<'a>>,
    undeclared_tools: &'a [String],
    guesses: &'a [String],
    #[serde(skip)]
    drift: &'a Drift,
}

#[derive(Debug, Serialize)]
struct ChangedDocument<'a> {
    path: &'a str,
    diff: String,
}

impl<'a> DriftReport<'a> {
    pub(crate) fn new(drift: &'a Drift) -> Self {
        let changed = drift.changed.iter().map(|(path, there, now)| ChangedDocument {
            path,
            diff: similar::TextDiff::from_lines(there, now).unified_diff().context_radius(2).to_string(),
        });
        Self {
            missing: &drift.missing,
            surplus: &drift.surplus,
            changed: changed.collect(),
            undeclared_tools: &drift.undeclared,
            guesses: &drift.guesses,
            drift,
        }
    }
}

impl Report for DriftReport<'_> {
    fn text(&self, _: Option<usize>) -> String {
        drift_text(self.drift)
    }
}
