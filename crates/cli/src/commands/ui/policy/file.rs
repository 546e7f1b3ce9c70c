//! The user's own `overt.toml`: its text, its findings, and saving it. A text is checked and
//! recorded before it is saved, and replaces only the text that was shown.
use std::path::PathBuf;

use overt_layers::audit::{Entry, Kind};
use overt_layers::seal::digest;
use overt_policy::{Finding, Severity};
use overt_settings::toml_file::LineColumn;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::problem::Problem;
use crate::commands::policy::check_toml;
use crate::error::CommandError;
use crate::output::file_diff;
use crate::settings::{TrustFile, UiSettings};
use overt_operator::inbox::InboxStore;
use overt_operator::policy_edit::{EditPolicy, PolicyEditError, read, write};
use overt_operator::replace_file::link_target;

/// The file as it is now.
#[derive(Debug)]
pub(super) struct UserFile {
    pub(super) path: PathBuf,
    /// `None` if there is no file.
    pub(super) text: Option<String>,
}

/// The page's request to save a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Save {
    text: String,
    /// The digest of the text that the page loaded.
    digest: String,
}

/// The most bytes of a text that the page edits, because requests of the page must be short.
pub(super) const MOST_EDITED: usize = 100_000;
/// The digest that stands for a missing file.
const NO_FILE: &str = "none";

impl UserFile {
    pub(super) fn read(settings: &UiSettings) -> Result<Self, Problem> {
        let no_home = || {
            Problem::new(409, "can't find your `overt.toml`: `HOME` is not set")
                .with_hint("set `HOME` to your home folder and start `overt ui` again")
        };
        let path = link_target(settings.audit.sources.user_file().ok_or_else(no_home)?);
        let text = read(&path).map_err(CommandError::from)?;
        Ok(Self { path, text })
    }

    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Returns the digest of this text.
    pub(super) fn digest(&self) -> String {
        self.text.as_ref().map_or_else(|| NO_FILE.to_owned(), |text| digest(&[text]))
    }
}

/// Returns all errors and warnings about a text.
pub(super) fn findings(text: &str) -> Vec<(Option<LineColumn>, Finding)> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    check_toml(text)
}

pub(super) fn finding_json(place: Option<LineColumn>, finding: &Finding) -> Value {
    json!({
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "severity": finding.severity.as_str(),
        "at": finding.at.as_str(),
        "problem": finding.problem,
        "fix": finding.fix,
    })
}

/// Checks that servers could use a file with this text.
pub(super) fn check_usable(text: &str) -> Result<(), Problem> {
    let errors = findings(text).into_iter().filter(|(_, finding)| finding.severity == Severity::Error);
    let said: Vec<String> = errors.map(|(place, finding)| located(place, &finding)).collect();
    if let Some(first) = said.first() {
        let rest = if said.len() > 1 { format!("; {} more", said.len() - 1) } else { String::new() };
        return Err(Problem::new(422, format!("this text can't be used: {first}{rest}")));
    }
    let servers = TrustFile::decisions_in(text);
    servers.map(drop).map_err(|why| Problem::new(422, format!("this text can't be used: {why}")))
}

fn located(place: Option<LineColumn>, finding: &Finding) -> String {
    match place {
        Some(LineColumn { line, column }) => format!("line {line}, column {column}: {finding}"),
        None => finding.to_string(),
    }
}

/// Replaces the text that was shown. Only a person may do this.
pub(in super::super) fn save(
    store: &InboxStore<'_>,
    settings: &UiSettings,
    save: &Save,
) -> Result<Value, Problem> {
    let file = UserFile::read(settings)?;
    let conflict = || {
        let path = file.path.display();
        let message = format!("`{path}` is not what was loaded any more; nothing was written");
        Problem::conflict(message).with_hint("load it again, and make your change there")
    };
    if file.digest() != save.digest {
        return Err(conflict());
    }
    check_usable(&save.text)?;
    let is_same = file.text() == save.text || (file.text.is_none() && save.text.trim().is_empty());
    if is_same {
        return Ok(json!({ "words": "nothing changed", "digest": file.digest(), "diff": "" }));
    }
    let diff = file_diff(&file.path, file.text(), &save.text);
    let changed = changed_lines(&diff);
    let record = Entry {
        reason: Some(format!("your overt.toml, edited on the page of `overt ui`: {changed}")),
        ..Entry::new(Kind::PolicyLoad)
    };
    let edit = EditPolicy {
        path: file.path.clone(),
        before: file.text.clone(),
        after: save.text.clone(),
        records: vec![record],
        allows_more: true,
    };
    let written = store.operator().act(&store.check(), edit, |edit| write(&edit));
    written.map_err(|failure| match failure.error.downcast_ref() {
        Some(PolicyEditError::ChangedMeanwhile(_)) => conflict(),
        _ => Problem::from(failure),
    })?;
    let words =
        format!("`{}` is written ({changed}); servers that run follow within a second", file.path.display());
    let now = UserFile::read(settings)?;
    Ok(json!({ "words": words, "digest": now.digest(), "diff": diff }))
}

/// Returns a summary such as `+2 -1`.
fn changed_lines(diff: &str) -> String {
    let lines = |sign: char| diff.lines().skip(2).filter(|line| line.starts_with(sign)).count();
    format!("+{} -{}", lines('+'), lines('-'))
}
