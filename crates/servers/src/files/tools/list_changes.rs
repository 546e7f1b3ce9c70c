//! `list_changes`: what this server changed and can undo, the latest change first.
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use overt_layers::record::{Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::{AbsolutePath, View};
use super::super::error::FileError;
use super::super::journal::{Journal, Record};
use super::super::undo::NotUndone;
use super::aliases::ALIASES;
use super::cursor::{read_offset, write_offset};
use super::params::{Cursor, Limit, PathText};
use super::reading::reading;
use super::scope_arguments::scope_arguments;
use super::walking::Page;

const NAME: &str = "list_changes";

const DESCRIPTION: &str = "List changes that this server made, latest first, with what each did and whether `revert_change` can still undo it.";

/// Default number of changes on a page.
const DEFAULT_CHANGES: u64 = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: Option<PathText>,
    limit: Option<Limit>,
    cursor: Option<Cursor>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    changes: Vec<Listed>,
    count: usize,
    /// Changes on all pages.
    total_count: u64,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Listed {
    /// Id of the change.
    change: String,
    tool: String,
    /// UTC.
    at: String,
    paths: Vec<String>,
    /// Such as `src/app.ts +4 -3`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
    /// The program that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    /// It was undone.
    undone: bool,
    /// Why it can't be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    irreversible: Option<String>,
    /// The change that it undid.
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<String>,
}

/// Builds the tool, which only a server with a journal has.
pub(super) fn tool(server: &Arc<FileServer>, journal: &Arc<Journal>) -> Tool {
    let (served, journal) = (Arc::clone(server), Arc::clone(journal));
    let run = move |input: Input, context: Context| {
        let (server, journal) = (Arc::clone(&served), Arc::clone(&journal));
        async move {
            let view = server.view(&context)?;
            let most: u64 = context.setting("find_limit")?;
            let asked = input.limit.map_or(DEFAULT_CHANGES, |limit| limit.get() as u64);
            let page = Page::of(None, asked.min(most));
            server.workers.run(move |_| Ok::<_, ToolError>(list(&journal, &view, &input, page)?)).await
        }
    };
    Tool::new(NAME, DESCRIPTION, run)
        .title("List changes")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .declare(ToolRecord {
            scopes: vec!["read:file:{path}".to_owned()],
            intent_template: Some("List the changes that were made[ to {path}]".to_owned()),
            cli_equivalent: Some("overt call fs list_changes path={path}".to_owned()),
            pii_exposure: Some(PiiExposure::Low),
            secrets_exposure: Some(SecretsExposure::None),
            examples: vec![Example::from_json(
                "The changes of a file",
                r#"{ "path": "changed.txt" }"#,
                r#"{
                    "changes": [{
                        "change": "c-1794757265123-3fa9c1",
                        "tool": "write_file",
                        "at": "2026-11-17T10:00:00.000Z",
                        "paths": ["changed.txt"],
                        "lines": ["changed.txt +1 -1"],
                        "undone": false
                    }],
                    "count": 1,
                    "total_count": 1,
                    "has_more": false,
                    "truncated": false
                }"#,
            )],
            ..reading()
        })
}

fn list(journal: &Journal, view: &View, input: &Input, page: Page) -> Result<Output, FileError> {
    let around = input.path.as_deref().map(|path| view.absolute(path)).transpose()?;
    let terms = format!("{NAME} {around:?}");
    let offset = read_offset(input.cursor.as_deref(), &terms)?;
    let mut not_undone = NotUndone::default();
    let (mut changes, mut total_count) = (Vec::new(), 0);
    for record in journal.all() {
        let is_undone = not_undone.is_undone(&record.id);
        not_undone.holds(&record.id, record.undoes.as_deref());
        let Some(paths) = visible(&record, view, around.as_ref()) else { continue };
        total_count += 1;
        if total_count > offset as u64 && changes.len() < page.limit {
            changes.push(Listed::of(record, paths, is_undone));
        }
    }
    let end = offset + changes.len();
    let has_more = total_count > end as u64;
    Ok(Output {
        count: changes.len(),
        changes,
        total_count,
        has_more,
        next_cursor: has_more.then(|| write_offset(end, &terms)),
        truncated: has_more || offset > 0,
    })
}

/// Returns the paths of a change for display, if this call sees all of them and at least one is in
/// `around`. The journal is shared; this server ignores changes elsewhere.
fn visible(record: &Record, view: &View, around: Option<&AbsolutePath>) -> Option<Vec<String>> {
    let paths: Option<Vec<AbsolutePath>> =
        record.step.paths().into_iter().map(AbsolutePath::from_system).collect();
    let paths = paths.filter(|paths| paths.iter().all(|path| view.sees(path)))?;
    let is_here = |around: &AbsolutePath| paths.iter().any(|path| around.inner(path).is_some());
    around.is_none_or(is_here).then(|| paths.iter().map(|path| view.shown(path)).collect())
}

impl Listed {
    fn of(record: Record, paths: Vec<String>, undone: bool) -> Self {
        Self {
            change: record.id,
            tool: record.tool,
            at: overt_wire::rfc3339::format_millis(UNIX_EPOCH + Duration::from_millis(record.at)),
            paths,
            lines: record.origin.changes,
            client: record.origin.client,
            undone,
            irreversible: record.irreversible,
            undoes: record.undoes,
        }
    }
}
