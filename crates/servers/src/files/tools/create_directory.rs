//! `create_directory`: creates a directory, with its missing parents.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, ToolRecord};
use overt_toolbox::{Change, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::AbsolutePath;
use super::super::error::{FileError, code};
use super::super::write::{Act, Grow, Unplanned};
use super::aliases::ALIASES;
use super::changing::{self, PlannedChange};
use super::params::PathText;
use super::planning::Planning;
use super::scope_arguments::scope_arguments;

const NAME: &str = "create_directory";

const DESCRIPTION: &str = "Create a directory, and its missing parents. Returns `created`.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
    /// Create missing parents.
    #[serde(default = "yes")]
    create_parents: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    path: String,
    /// Directories that were made, outermost first.
    created: Vec<String>,
    /// Id of the change; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, plan)
        .title("Make a directory")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .declare(ToolRecord {
            scopes: vec!["write:file:{path}".to_owned()],
            intent_template: Some("Make the directory {path}".to_owned()),
            cli_equivalent: Some("overt call fs create_directory path={path}".to_owned()),
            examples: vec![Example::from_json(
                "Make a directory and those on the way",
                r#"{ "path": "docs/pictures" }"#,
                r#"{
                    "path": "docs/pictures",
                    "created": ["docs", "docs/pictures"],
                    "change": "c-1794757265123-3fa9c1"
                }"#,
            )],
            ..changing::record(server, Effect::Mutating, &[])
        })
}

fn plan(planning: &Planning<'_>, input: &Input) -> Result<PlannedChange<Output>, Unplanned> {
    let text = &*input.path;
    let (slot, inner) = planning.missing(text).map_err(|error| match error.code {
        code::TARGET_EXISTS => FileError {
            problem: format!("`{text}` already exists; nothing was done"),
            next: "If it is a directory, use it as it is; otherwise choose another name.".to_owned(),
            ..error
        },
        _ => error,
    })?;
    planning.take(&[&slot])?;
    if !inner.is_empty() && !input.create_parents {
        return Err(FileError::new(
            code::NOT_FOUND,
            format!("the directory of `{text}` does not exist"),
            "Leave `create_parents` out to make it, or use another path.",
        )
        .into());
    }
    let grow = Grow { slot, inner, file: None, shown: text.to_owned() };
    let folders = grow.folders().into_iter().filter_map(|folder| AbsolutePath::from_system(&folder));
    let created: Vec<_> = folders.map(|folder| planning.view.shown(&folder)).collect();
    let path = created.last().cloned().unwrap_or_default();
    let changes = created.iter().map(Change::folder).collect();
    let output = Output { path, created, change: planning.settings.change.clone() };
    Ok(PlannedChange {
        act: Act::Grow(grow),
        output,
        changes,
        fingerprints: vec!["nothing".to_owned()],
        undoes: None,
    })
}
