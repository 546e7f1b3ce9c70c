//! The present state, and what a draft of the user's file would change: for the known tools, for
//! the calls of the last week, and for the project's file.
use overt_policy::Severity;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::file::{MOST_EDITED, UserFile, check_usable, finding_json, findings};
use super::form::form;
use super::overlay::overlay;
use super::replay::Deciders;
use super::tools::{ToolSelection, compare};
use super::week::Week;
use crate::output::{SettingsReport, file_diff, to_json};
use crate::settings::{ControlSettings, UiSettings};

/// A text that is not saved yet.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Draft {
    text: String,
}

/// Returns the file, its form and findings, and the present decisions.
pub(in super::super) fn show(settings: &UiSettings, week: &Week) -> Result<Value, Problem> {
    let file = UserFile::read(settings)?;
    let text = file.text();
    let in_force = in_force(settings);
    let deciders = Deciders::of(&in_force);
    let too_long = (text.len() > MOST_EDITED).then(|| {
        format!("the file has {} bytes, and the page edits at most {MOST_EDITED}; use an editor", text.len())
    });
    let shown = if too_long.is_some() { "" } else { text };
    Ok(json!({
        "path": file.path.display().to_string(),
        "exists": file.text.is_some(),
        "text": shown,
        "digest": file.digest(),
        "tooLong": too_long,
        "findings": all_findings(text),
        "form": form(text),
        "settings": to_json(&SettingsReport(&in_force.values)).as_json().read::<Value>().unwrap_or_default(),
        "tools": compare(settings, week, &deciders, &deciders, ToolSelection::All)?,
        "overlay": overlay(settings, text),
    }))
}

/// Returns what would change if the file had this text. Nothing is written.
pub(in super::super) fn preview(settings: &UiSettings, week: &Week, draft: &Draft) -> Result<Value, Problem> {
    let text = draft.text.as_str();
    if text.len() > MOST_EDITED {
        return Err(Problem::new(413, format!("the page edits texts of at most {MOST_EDITED} bytes")));
    }
    let file = UserFile::read(settings)?;
    let mut value = json!({
        "findings": all_findings(text),
        "form": form(text),
        "diff": file_diff(&file.path, file.text(), text),
        "overlay": overlay(settings, text),
        "unusable": check_usable(text).err().map(|problem| problem.message),
    });
    if value["unusable"].is_null() {
        let sources = &settings.audit.sources;
        let after = sources.with_draft(text).map_err(|error| Problem::new(422, error.to_string()))?;
        let (before, after) = (Deciders::of(&in_force(settings)), Deciders::of(&after));
        value["tools"] = compare(settings, week, &before, &after, ToolSelection::Changed)?;
        value["calls"] = week.compare(settings, &before, &after);
    }
    Ok(value)
}

/// Returns the settings by which servers that start now decide. If the file can't be used, returns
/// the settings from startup.
pub(in super::super) fn in_force(settings: &UiSettings) -> ControlSettings {
    settings.audit.sources.reload().unwrap_or_else(|_| settings.audit.settings.clone())
}

/// Returns the findings of a text, errors first.
fn all_findings(text: &str) -> Vec<Value> {
    let mut found = findings(text);
    found.sort_by_key(|(_, finding)| finding.severity != Severity::Error);
    found.iter().map(|(place, finding)| finding_json(*place, finding)).collect()
}
