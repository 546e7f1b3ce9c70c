//! `write_file`: replaces a whole file, or adds text at its beginning or end.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, SecretsExposure, ToolRecord};
use overt_toolbox::{Blob, Change, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::{Kind, Mounts};
use super::super::error::{FileError, code};
use super::super::write::{Act, Endings, Grow, MOST_HELD, NewFile, OldFile, Part, Put, Unplanned};
use super::aliases::{self, ALIASES};
use super::changing::{self, PlannedChange};
use super::etag;
use super::new_content::{NewContent, TextPosition};
use super::params::{IfEtag, LongText, PathText};
use super::planning::Planning;
use super::scope_arguments::scope_arguments;
use super::shown::{shown_content, shown_edit, shown_large_edit, shown_new};
use super::walking::is_false;

const NAME: &str = "write_file";

const DESCRIPTION: &str = "Create a file, replace it, or add to its beginning or end; to change a part use `edit_file`. \
     Returns `etag`.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
    content: LongText,
    #[serde(default)]
    mode: Mode,
    /// Create missing parents.
    #[serde(default = "yes")]
    create_parents: bool,
    if_etag: Option<IfEtag>,
}

fn yes() -> bool {
    true
}

/// `create` refuses if the file exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Overwrite,
    Append,
    Prepend,
    Create,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    path: String,
    /// There was no file before.
    created: bool,
    /// Bytes of the file now.
    size: u64,
    /// Of `content` as written: `lf`, `crlf`, `mixed` or `none`.
    line_ending: &'static str,
    /// Line breaks of `content` became CRLF, as in the rest of the file.
    line_ending_adapted: bool,
    /// For `if_etag` of the next change; absent for very large files.
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// Id of the change; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    /// It can't be undone.
    #[serde(skip_serializing_if = "is_false")]
    irreversible: bool,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, plan)
        .title("Write a file")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .rewrite(aliases::write_file)
        .declare(ToolRecord {
            overwrites: true,
            scopes: vec!["write:file:{path}".to_owned()],
            intent_template: Some("Write {path}".to_owned()),
            secrets_exposure: Some(SecretsExposure::WritesSecretMaterial),
            cli_equivalent: Some("overt call fs write_file path={path} content={content}".to_owned()),
            examples: vec![Example::from_json(
                "Create a file in a directory that may be missing",
                r##"{ "path": "notes/today.md", "content": "# Today\n", "mode": "create" }"##,
                r#"{
                    "path": "notes/today.md",
                    "created": true,
                    "size": 8,
                    "line_ending": "lf",
                    "line_ending_adapted": false,
                    "etag": "s-0000000000000000",
                    "change": "c-1794757265123-3fa9c1"
                }"#,
            )],
            ..changing::record(server, Effect::Mutating, &[code::NOT_TEXT])
        })
}

fn is_link(planning: &Planning<'_>, text: &str) -> bool {
    let now = planning.slot_itself(text, Mounts::Cross).ok().and_then(|slot| slot.now);
    now.is_some_and(|facts| facts.kind == Kind::Link)
}

fn plan(planning: &Planning<'_>, input: &Input) -> Result<PlannedChange<Output>, Unplanned> {
    let text = &*input.path;
    let slot = match planning.slot(text) {
        // A link to a missing target: its own directory exists, so no parent is missing.
        Err(error) if error.code == code::NOT_FOUND && is_link(planning, text) => return Err(error.into()),
        Err(error) if error.code == code::NOT_FOUND && input.create_parents => return grow(planning, input),
        Err(error) if error.code == code::NOT_FOUND => {
            return Err(FileError::new(
                code::NOT_FOUND,
                format!("the directory of `{text}` does not exist"),
                "Leave `create_parents` out to make it, or use another path.",
            )
            .into());
        }
        slot => slot?,
    };
    planning.take(&[&slot])?;
    let path = planning.view.shown(&slot.path());
    if slot.now.is_none() {
        etag::check(planning, input.if_etag.as_ref(), None, text)?;
        let content = input.content.as_bytes();
        let change = Change::created(&path, shown_new(content));
        let etag = Some(etag::of_bytes(content));
        let output =
            Output { etag, ..Output::of(planning, path, None, content.len() as u64, &input.content) };
        let put = Put {
            slot,
            old: None,
            parts: vec![Part::Text(input.content.shared())],
            mode: planning.settings.new_file_mode,
            shown: text.to_owned(),
            lost: None,
        };
        return Ok(PlannedChange {
            act: Act::Put(put),
            output,
            changes: vec![change],
            fingerprints: vec!["nothing".to_owned()],
            undoes: None,
        });
    }
    if input.mode == Mode::Create {
        let exists = FileError {
            next: "Use `mode` `overwrite` to replace it, `append` or `prepend` to add to it, or choose another name.".to_owned(),
            ..FileError::exists(text)
        };
        return Err(exists.into());
    }
    let most = planning.settings.edit_max_bytes;
    // A file that is overwritten need not be in memory as a whole.
    let held = if input.mode == Mode::Overwrite { most.min(MOST_HELD) } else { most };
    let size = slot.now.map_or(0, |now| now.size);
    // Memory for the old content, the new content and the shown parts of both.
    planning.take_room(if size > held { 0 } else { size * 2 } + input.content.len() as u64 * 2)?;
    let mut old = OldFile::open(&slot, planning.settings.hardlinks, held, text)?;
    etag::check(planning, input.if_etag.as_ref(), Some(&old), text)?;
    let placed = match input.mode {
        Mode::Overwrite | Mode::Create => TextPosition::Alone,
        Mode::Append => TextPosition::AtEnd,
        Mode::Prepend => TextPosition::AtStart,
    };
    let new = NewContent::of(planning, &mut old, &input.content, placed, text)?;
    // Undoing the change keeps the content of that time, which may be larger.
    let lost = planning.check_room(old.facts().size.max(new.size), text).err();
    let lost = lost.map(|unkept| planning.refuse_or_ask(unkept)).transpose()?;
    let etag = new.bytes().map(etag::of_bytes);
    let output = Output::of(planning, path.clone(), Some(new.endings), new.size, &input.content);
    let output = Output {
        etag,
        change: output.change.filter(|_| lost.is_none()),
        irreversible: lost.is_some(),
        ..output
    };
    let size = old.facts().size;
    // Contents are shown only to a caller that may read the file.
    let sees = planning.view.sees(&slot.path());
    let change = match (new.bytes().filter(|_| sees), &old.content, &new.scanned) {
        (Some(after), Some(before), _) => shown_edit(&path, &before.bytes, after),
        (Some(after), None, Some(scanned)) => {
            shown_large_edit(&path, &old, scanned, after, (planning.stop, text))?
        }
        (Some(after), None, None) => Change::edited(&path, Blob::new(size), shown_new(after)),
        (None, before, _) => {
            let before = shown_content(before.as_ref().filter(|_| sees), size);
            Change::edited(&path, before, Blob::new(new.size))
        }
    };
    let fingerprints = vec![old.identity()];
    let mode = old.facts().mode;
    let put = Put { slot, old: Some(old), parts: new.parts, mode, shown: text.to_owned(), lost };
    Ok(PlannedChange { act: Act::Put(put), output, changes: vec![change], fingerprints, undoes: None })
}

/// Plans to create the missing folders, and the file in them.
fn grow(planning: &Planning<'_>, input: &Input) -> Result<PlannedChange<Output>, Unplanned> {
    let text = &*input.path;
    let (slot, mut inner) = planning.missing(text)?;
    planning.take(&[&slot])?;
    let Some(name) = inner.pop() else {
        // The missing folder was created meanwhile. A repeated call finds it.
        return Err(FileError::conflict(text).into());
    };
    etag::check(planning, input.if_etag.as_ref(), None, text)?;
    let bytes = input.content.as_bytes();
    let path = inner.iter().fold(slot.path(), |path, name| path.child(name)).child(&name);
    let path = planning.view.shown(&path);
    let etag = Some(etag::of_bytes(bytes));
    let output =
        Output { etag, ..Output::of(planning, path.clone(), None, bytes.len() as u64, &input.content) };
    let change = Change::created(path, shown_new(bytes));
    let file = Some(NewFile { name, content: input.content.shared(), mode: planning.settings.new_file_mode });
    let grow = Grow { slot, inner, file, shown: text.to_owned() };
    let folders = grow
        .folders()
        .into_iter()
        .filter_map(|folder| super::super::access::AbsolutePath::from_system(&folder));
    let mut changes: Vec<_> = folders.map(|folder| Change::folder(planning.view.shown(&folder))).collect();
    changes.push(change);
    Ok(PlannedChange {
        act: Act::Grow(grow),
        output,
        changes,
        fingerprints: vec!["nothing".to_owned()],
        undoes: None,
    })
}

impl Output {
    /// Describes the written file. `before` is how its lines ended before; `None` for a new file.
    fn of(planning: &Planning<'_>, path: String, before: Option<Endings>, size: u64, content: &str) -> Self {
        let written = before.unwrap_or(Endings::None).fit(content);
        Self {
            path,
            created: before.is_none(),
            size,
            line_ending: Endings::of(written.as_bytes()).word(),
            line_ending_adapted: written != content,
            etag: None,
            change: planning.settings.change.clone(),
            irreversible: false,
        }
    }
}
