//! `delete_file`: deletes a file, a link, or a directory with everything in it.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, ToolRecord};
use overt_toolbox::{Change, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::{Kind, Mounts};
use super::super::error::{FileError, code};
use super::super::write::{Act, OldFile, Remove, Retention, TreePurpose, Unplanned};
use super::aliases::ALIASES;
use super::changing::{self, PlannedChange};
use super::params::PathText;
use super::planning::Planning;
use super::scope_arguments::scope_arguments;
use super::shown::{shown_content, shown_tree};
use super::walking::is_false;

const NAME: &str = "delete_file";

const DESCRIPTION: &str = "Delete a file, symbolic link or directory. Returns counts.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
    /// Needed for directories that are not empty.
    #[serde(default)]
    recursive: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    path: String,
    /// `file`, `directory`, `symlink` or `other`.
    r#type: &'static str,
    /// Entries deleted, itself included.
    total_count: u64,
    /// Bytes of all files.
    size: u64,
    /// Id of the change; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    /// It can't be undone.
    #[serde(skip_serializing_if = "is_false")]
    irreversible: bool,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, plan)
        .title("Delete a file or directory")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .declare(ToolRecord {
            scopes: vec!["write:file:{path}".to_owned()],
            intent_template: Some("Delete {path}".to_owned()),
            cli_equivalent: Some("overt call fs delete_file path={path}".to_owned()),
            examples: vec![Example::from_json(
                "Delete a directory with everything in it",
                r#"{ "path": "old", "recursive": true }"#,
                r#"{
                    "path": "old",
                    "type": "directory",
                    "total_count": 2,
                    "size": 4,
                    "change": "c-1794757265123-3fa9c1"
                }"#,
            )],
            ..changing::record(server, Effect::Destructive, &[code::NOT_EMPTY])
        })
}

fn plan(planning: &Planning<'_>, input: &Input) -> Result<PlannedChange<Output>, Unplanned> {
    let text = &*input.path;
    let slot = planning.slot_itself(text, Mounts::Stay)?;
    planning.take(&[&slot])?;
    let seen = planning.scan(&slot, TreePurpose::Change, None, text)?;
    if seen.kind == Kind::Folder && seen.entries() > 1 && !input.recursive {
        return Err(FileError::new(
            code::NOT_EMPTY,
            format!(
                "`{text}` is a directory that is not empty (entries in it: {}); nothing was deleted",
                seen.entries() - 1
            ),
            "Set `recursive` to true to delete it with everything in it, or delete the entries one by one.",
        )
        .into());
    }
    planning.check_hard_links(&seen, text)?;
    let keeping = match planning.unkept(&slot, &seen, text) {
        None => Retention::Kept,
        Some(unkept) => Retention::Lost(planning.refuse_or_ask(unkept)?),
    };
    let is_kept = keeping == Retention::Kept;
    let path = planning.view.shown(&slot.path());
    // A small text is shown. A caller that may delete but not read sees only its size.
    let is_shown = seen.kind == Kind::File && planning.view.sees(&slot.path());
    let old = is_shown
        .then(|| OldFile::peek(&slot, planning.view, planning.settings.edit_max_bytes, text))
        .flatten();
    let before = match old {
        Some(old) => shown_content(old.content.as_ref(), seen.bytes),
        None => shown_tree(&seen),
    };
    let output = Output {
        path: path.clone(),
        r#type: seen.kind.word(),
        total_count: seen.entries(),
        size: seen.bytes,
        change: planning.settings.change.clone().filter(|_| is_kept),
        irreversible: !is_kept,
    };
    let (changes, fingerprints) = (vec![Change::deleted(path, before)], vec![seen.identity.clone()]);
    Ok(PlannedChange {
        act: Act::Remove(Remove { slot, scanned: seen, shown: text.to_owned(), keeping }),
        output,
        changes,
        fingerprints,
        undoes: None,
    })
}
