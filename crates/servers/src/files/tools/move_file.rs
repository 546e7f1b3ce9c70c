//! `move_file`: moves or renames a file or a directory.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, ToolRecord};
use overt_toolbox::{Change, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::{Kind, Mounts, Slot};
use super::super::error::{FileError, code};
use super::super::write::{Act, Move, TreePurpose, Unplanned, is_same_name, special};
use super::aliases::ALIASES;
use super::changing::{self, PlannedChange};
use super::params::PathText;
use super::planning::Planning;
use super::scope_arguments::scope_arguments;
use super::shown::shown_tree;

const NAME: &str = "move_file";

const DESCRIPTION: &str = "Move or rename a file, symbolic link or directory. `to` is the new path itself; nothing may be there and its directory \
     must exist. Returns both paths.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    from: PathText,
    to: PathText,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    from: String,
    to: String,
    /// `file`, `directory`, `symlink` or `other`.
    r#type: &'static str,
    /// Entries moved, itself included.
    total_count: u64,
    /// Id of the change; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, |planning, input: &Input| {
        plan(planning, &input.from, &input.to)
    })
    .title("Move or rename")
    .scope_arguments(scope_arguments(server, &["from", "to"]))
    .aliases(ALIASES)
    .declare(ToolRecord {
        overwrites: true,
        // A moved file can be read at its new place, so moving needs read access.
        scopes: ["read:file:{from}", "write:file:{from}", "write:file:{to}"].map(str::to_owned).into(),
        intent_template: Some("Move {from} to {to}".to_owned()),
        cli_equivalent: Some("overt call fs move_file from={from} to={to}".to_owned()),
        examples: vec![Example::from_json(
            "Rename a file",
            r#"{ "from": "draft.md", "to": "final.md" }"#,
            r#"{
                    "from": "draft.md",
                    "to": "final.md",
                    "type": "file",
                    "total_count": 1,
                    "change": "c-1794757265123-3fa9c1"
                }"#,
        )],
        ..changing::record(server, Effect::Mutating, &[])
    })
}

fn plan(planning: &Planning<'_>, from: &str, to: &str) -> Result<PlannedChange<Output>, Unplanned> {
    let source = planning.slot_itself(from, Mounts::Stay)?;
    let target = target(planning, to, Mounts::Stay)?;
    planning.take(&[&source, &target])?;
    if !planning.view.sees(&source.path()) {
        return Err(FileError::hidden(from).into());
    }
    if source.now.is_none() {
        return Err(FileError::system(rustix::io::Errno::NOENT, from).into());
    }
    if target.now.is_some() && !is_same_name(&source, &target) {
        return Err(occupied(&target, &source, to).into());
    }
    not_into_itself(&source, &target, to)?;
    let path = target.path();
    let seen = planning.scan(&source, TreePurpose::Change, Some(&path), from)?;
    planning.check_hard_links(&seen, from)?;
    if seen.specials > 0 && source.folder.facts.device != target.folder.facts.device {
        return Err(special(from).into());
    }
    let (shown_from, shown_to) = (planning.view.shown(&source.path()), planning.view.shown(&path));
    let output = Output {
        from: shown_from.clone(),
        to: shown_to.clone(),
        r#type: seen.kind.word(),
        total_count: seen.entries(),
        change: planning.settings.change.clone(),
    };
    let changes = vec![Change::moved(shown_from, shown_to, shown_tree(&seen))];
    let fingerprints = vec![seen.identity.clone()];
    let moving =
        Move { from: source, to: target, scanned: seen, shown: from.to_owned(), shown_to: to.to_owned() };
    Ok(PlannedChange { act: Act::Move(moving), output, changes, fingerprints, undoes: None })
}

/// Returns the slot of a destination, whose directory must exist.
pub(super) fn target(planning: &Planning<'_>, to: &str, mounts: Mounts) -> Result<Slot, FileError> {
    planning.slot_itself(to, mounts).map_err(|error| match error.code {
        code::NOT_FOUND => FileError::new(
            code::NOT_FOUND,
            format!("the directory of `{to}` does not exist"),
            "Make it with `create_directory` first.",
        ),
        _ => error,
    })
}

/// The error for a target that exists. A caller that named a directory may have meant to put the
/// file into it.
pub(super) fn occupied(target: &Slot, source: &Slot, to: &str) -> FileError {
    let error = FileError::exists(to);
    match target.now {
        Some(facts) if facts.kind == Kind::Folder => FileError {
            next: format!(
                "To put it into that directory, write `{}/{}`.",
                to.trim_end_matches('/'),
                source.name
            ),
            ..error
        },
        _ => error,
    }
}

/// Fails if a folder would be moved or copied into itself.
pub(super) fn not_into_itself(source: &Slot, target: &Slot, to: &str) -> Result<(), FileError> {
    if source.path().inner(&target.path()).is_some_and(|inner| !inner.is_empty()) {
        return Err(FileError::new(
            code::INVALID_PATH,
            format!("`{to}` is inside what is to be moved or copied"),
            "Choose a path outside of it.",
        ));
    }
    Ok(())
}
