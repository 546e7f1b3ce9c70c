//! `create_directory`: a directory, with those on the way to it.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, ToolRecord};
use overt_toolbox::{Change, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::space::Whole;
use super::super::write::{Act, Grow};
use super::changing::{self, Desk, Planned};
use super::located::located;
use super::params::PathText;

const NAME: &str = "create_directory";

const DESCRIPTION: &str = "Use to make a directory. With `create_parents`, the directories on the way to it that are not there are made too, \
     all at once. Returns the directories that were made, and `change`, with which `revert_change` undoes it.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
    /// Make the directories on the way that are not there.
    #[serde(default)]
    create_parents: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    /// The directory, as it can be given to other tools.
    path: String,
    /// What was made, the outermost first.
    created: Vec<String>,
    /// Undoes this with `revert_change`. Absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, look)
        .title("Make a directory")
        .scope_arguments(located(server, &["path"]))
        .declare(ToolRecord {
            idempotent: Some(false),
            scopes: vec!["write:file:{path}".to_owned()],
            intent_template: Some("Make the directory {path}".to_owned()),
            cli_equivalent: Some("mkdir {path}".to_owned()),
            examples: vec![Example {
                description: "Make a directory and those on the way".to_owned(),
                input: json!({ "path": "docs/pictures", "create_parents": true }),
                output: None,
            }],
            ..changing::record(server, Effect::Mutating, &[code::TARGET_EXISTS])
        })
}

fn look(desk: &Desk<'_>, input: &Input) -> Result<Planned<Output>, FileError> {
    let text = &*input.path;
    let (slot, inner) = desk.missing(text)?;
    desk.take(&[&slot])?;
    if !inner.is_empty() && !input.create_parents {
        return Err(FileError::new(
            code::NOT_FOUND,
            format!("the directory of `{text}` does not exist"),
            "Set `create_parents` to make it, or use another path.",
        ));
    }
    let grow = Grow { slot, inner, file: None, shown: text.to_owned() };
    let folders = grow.folders().into_iter().filter_map(|folder| Whole::from_system(&folder));
    let created: Vec<_> = folders.map(|folder| desk.view.shown(&folder)).collect();
    let path = created.last().cloned().unwrap_or_default();
    let changes = created.iter().map(Change::folder).collect();
    let output = Output { path, created, change: desk.terms.change.clone() };
    Ok(Planned { act: Act::Grow(grow), output, changes, saw: vec!["nothing".to_owned()] })
}
