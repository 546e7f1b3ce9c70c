//! Checks that a file has the same bytes after wrapping and unwrapping. Used by the tests in
//! `tests.rs`, and by a fuzz target for any text.
use super::record::FileRecord;
use super::{Document, Login, Unwrap, Wrapper, launch, splice, unwrap, wrap};
use crate::{BareUrl, Servers, Syntax};

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSyntax {
    Json,
    Toml,
    Yaml,
}

impl From<FileSyntax> for Syntax {
    fn from(syntax: FileSyntax) -> Self {
        match syntax {
            FileSyntax::Json => Self::Json,
            FileSyntax::Toml => Self::Toml,
            FileSyntax::Yaml => Self::Yaml,
        }
    }
}

/// Wraps and unwraps every server that can be wrapped. A text that can't be read or can't be
/// changed safely is rejected and passes the check; an error is a violation.
pub fn check_round_trip(text: &str, syntax: FileSyntax) -> Result<(), String> {
    let Ok(original) = Document::parse(text.to_owned(), syntax.into(), Servers::Anywhere) else {
        return Ok(());
    };
    let wrapper = Wrapper { program: "/opt/o \"v\"/overt".to_owned(), state_dir: None };
    let mut edits = Vec::new();
    for entry in original.entries() {
        if let Ok(launch) = launch(&entry.node, BareUrl::Http) {
            let login = |_: &str| Login::None;
            edits.extend(wrap(&original, entry, &launch, &wrapper, &login).unwrap_or_default());
        }
    }
    let mut record = FileRecord::default();
    record.add(&edits);
    let Ok(wrapped) = splice(&original, edits).map(|spliced| spliced.document) else { return Ok(()) };
    let mut edits = Vec::new();
    for entry in wrapped.entries() {
        match unwrap(&wrapped, entry, record.of(&entry.id)) {
            Unwrap::Exact(made) => edits.extend(made),
            // The server was wrapped before, or by another program.
            Unwrap::ByShape(_) | Unwrap::Unknown | Unwrap::NotWrapped => {}
            Unwrap::Edited { before, now, .. } => {
                return Err(format!("nobody edited it, and it counts as edited: {before:?}, {now:?}"));
            }
        }
    }
    let unwrapped = splice(&wrapped, edits).map_err(|error| format!("it can't be unwrapped: {error}"))?;
    match unwrapped.document.text() == text {
        true => Ok(()),
        false => Err(format!("it came back as {:?}", unwrapped.document.text())),
    }
}
