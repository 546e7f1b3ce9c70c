//! `revert_change`: undoes an earlier change, so that what it left becomes what was there before.
use std::fs::File;
use std::sync::Arc;

use overt_policy::record::{Effect, Example, SecretsExposure, ToolRecord};
use overt_settings::SettingValues;
use overt_toolbox::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::FileServer;
use super::super::access::AbsolutePath;
use super::super::error::{FileError, code};
use super::super::journal::{Journal, Record};
use super::super::undo::{self, NotUndone};
use super::super::write::{Act, Unplanned};
use super::aliases::ALIASES;
use super::changing::{self, PlannedChange, Undoing};
use super::params::PathText;
use super::planning::Planning;
use super::scope_arguments::scope_arguments;
use super::walking::is_false;

const NAME: &str = "revert_change";

const INTENT: &str = "Undo [the change {change}] [the last change of {path}]";

const DESCRIPTION: &str = "Undo an earlier change: give `change`, or `path` for its latest one not undone. What it created is deleted. \
     Refused if changed since, or undone by the user. Returns paths.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Such as `c-1794757265123-3fa9c1`.
    change: Option<String>,
    path: Option<PathText>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    /// The change that was undone.
    reverted: String,
    /// The tool that had made it.
    tool: String,
    /// What it was about.
    paths: Vec<String>,
    /// Id of the change; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    /// It can't be undone.
    #[serde(skip_serializing_if = "is_false")]
    irreversible: bool,
}

/// Builds the tool, which only a server with a journal has.
pub(super) fn tool(server: &Arc<FileServer>, journal: &Arc<Journal>) -> Tool {
    let (reading, finding) = (Arc::clone(journal), Arc::clone(journal));
    let errors = [code::UNKNOWN_CHANGE, code::NOT_KEPT, code::UNDONE_BY_PERSON];
    // The least that a call does. One whose plan deletes is judged as a deletion.
    let mut record = changing::record(server, Effect::Mutating, &errors);
    record.side_effects.push("deletes what the change created".to_owned());
    changing::tool(server, NAME, DESCRIPTION, move |planning: &Planning<'_>, input: &Input| {
        plan(planning, &reading, input)
    })
    .title("Undo a change")
    .scope_arguments(about(server, finding))
    .aliases(ALIASES)
    .declare(ToolRecord {
        overwrites: true,
        // The tool can undo itself, but a card can't name a tool as its own reversal.
        reverse_method: None,
        scopes: vec!["write:file:{path}".to_owned()],
        intent_template: Some(INTENT.to_owned()),
        secrets_exposure: Some(SecretsExposure::WritesSecretMaterial),
        cli_equivalent: Some("overt call fs revert_change change={change}".to_owned()),
        examples: vec![Example::from_json(
            "Undo the last change of a file",
            r#"{ "path": "changed.txt" }"#,
            r#"{
                    "reverted": "c-1794757265123-3fa9c1",
                    "tool": "write_file",
                    "paths": ["changed.txt"],
                    "change": "c-1794757265124-3fa9c2"
                }"#,
        )],
        ..record
    })
}

/// Returns the function for `Tool::scope_arguments`. The scopes cover the paths of the change,
/// which only the journal knows.
fn about(
    server: &Arc<FileServer>,
    journal: Arc<Journal>,
) -> impl Fn(&Value, Option<&SettingValues>) -> Value + Send + Sync + 'static {
    let absolute = scope_arguments(server, &["path"]);
    let (roots, places) = (Arc::clone(&server.roots), server.places.clone());
    move |arguments, settings| {
        let mut arguments = arguments.clone();
        let id = arguments.get("change").and_then(Value::as_str);
        // The journal is shared. This server ignores changes outside of what is open to it.
        let is_here = |record: &Record| {
            let mut paths = record.step.paths().into_iter();
            let is_ours = |path: &AbsolutePath| {
                roots.is_reached(path) || places.as_ref().is_some_and(|places| places.is_open(path))
            };
            paths.all(|path| AbsolutePath::from_system(path).is_some_and(|path| is_ours(&path)))
        };
        if let Some(Ok((record, _))) = id.map(|id| journal.find(id))
            && is_here(&record)
        {
            arguments["path"] = record.step.paths().into();
        }
        absolute(&arguments, settings)
    }
}

fn plan(
    planning: &Planning<'_>,
    journal: &Journal,
    input: &Input,
) -> Result<PlannedChange<Output>, Unplanned> {
    let (record, kept) = find(planning, journal, input)?;
    undo::check_not_by_person(planning, journal, &record)?;
    let (act, changes, fingerprints) = undo::plan(planning, journal, &record, kept)?;
    let is_kept = act.lost().is_none();
    let paths = record.step.paths().into_iter().filter_map(AbsolutePath::from_system);
    let output = Output {
        reverted: record.id.clone(),
        tool: record.tool.clone(),
        paths: paths.map(|path| planning.view.shown(&path)).collect(),
        change: planning.settings.change.clone().filter(|_| is_kept),
        irreversible: !is_kept,
    };
    let undoes = Some(Undoing { change: record.id, acts_as: acts_as(&act) });
    Ok(PlannedChange { act, output, changes, fingerprints, undoes })
}

/// Returns the tool that does what the undoing does, for policies that name tools.
fn acts_as(act: &Act) -> &'static str {
    match act {
        Act::Remove(_) => "delete_file",
        Act::Move(_) => "move_file",
        Act::Put(_) | Act::PutAll(_) | Act::Grow(_) | Act::Copy(_) | Act::Restore(_) => "write_file",
    }
}

/// Finds the change to undo, if this call may see or change all its paths.
fn find(planning: &Planning<'_>, journal: &Journal, input: &Input) -> Result<(Record, File), FileError> {
    let sees = |record: &Record| {
        let mut paths = record.step.paths().into_iter();
        // A caller that may only write a path can undo what it wrote there.
        let is_known = |path: &AbsolutePath| planning.view.sees(path) || planning.view.may_change(path);
        paths.all(|path| AbsolutePath::from_system(path).is_some_and(|path| is_known(&path)))
    };
    match (&input.change, &input.path) {
        (Some(id), None) => {
            let found = journal.find(id)?;
            if sees(&found.0) { Ok(found) } else { Err(Journal::unknown(id)) }
        }
        (None, Some(path)) => {
            let whole = planning.view.absolute(path)?;
            let mut not_undone = NotUndone::default();
            // Skips changes and undoings that never happened, so that they don't hide earlier
            // changes (I-05).
            let is_meant = |record: &Record| {
                if record.undoes.is_some() && record.touches(&whole) && undo::is_void(planning, record) {
                    return false;
                }
                // What a person undid is not passed over, as if it had never been there.
                if record.is_by_person() && record.touches(&whole) && sees(record) {
                    return true;
                }
                not_undone.holds(&record.id, record.undoes.as_deref())
                    && record.step.paths().contains(&whole.as_str())
                    && sees(record)
                    && !undo::is_void(planning, record)
            };
            let record = journal.last(is_meant).ok_or_else(|| {
                FileError::new(
                    code::UNKNOWN_CHANGE,
                    format!("no change of `{}` is kept", &**path),
                    "Only what this server changed can be undone; `list_changes` shows which changes and paths those are.",
                )
            })?;
            journal.find(&record.id)
        }
        _ => Err(FileError::new(
            code::INVALID_ARGUMENTS,
            "the call has neither `change` nor `path`, or both",
            "Give one of them: the `change` that a tool returned, or the `path` of a file whose last change is to be undone.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use overt_intent::{Template, sentence};
    use serde_json::json;

    use super::*;

    #[test]
    fn people_read_what_is_undone() {
        let template = Template::parse(INTENT);
        let said = |arguments: Value| sentence(Some(&template), NAME, &arguments);
        assert_eq!(said(json!({ "path": "a" })), "Undo the last change of \"a\"");
        assert_eq!(said(json!({ "change": "c-1-2" })), "Undo the change \"c-1-2\"");
    }
}
