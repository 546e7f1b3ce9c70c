//! `write_file`: a whole file, or something at its beginning or its end.
use std::borrow::Cow;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use overt_policy::record::{Effect, Example, SecretsExposure, ToolRecord};
use overt_toolbox::{Blob, Change, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::space::{Kind, Mounts};
use super::super::write::{Act, Encoding, Endings, Grow, NewFile, Old, Part, Put};
use super::aliases::{self, ALIASES};
use super::changing::{self, Desk, Planned, shown_bytes, shown_content, shown_edit};
use super::etag;
use super::located::located;
use super::params::{IfEtag, PathText};

const NAME: &str = "write_file";

const DESCRIPTION: &str = "Create a file, replace it, or add to its beginning or end; to change a part use `edit_file`. CRLF line breaks and a \
     byte-order mark are kept.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
    content: String,
    #[serde(default)]
    mode: Mode,
    /// Make missing directories.
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
    /// For `revert_change`; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, look)
        .title("Write a file")
        .scope_arguments(located(server, &["path"]))
        .aliases(ALIASES)
        .rewrite(aliases::write_file)
        .declare(ToolRecord {
            overwrites: true,
            scopes: vec!["write:file:{path}".to_owned()],
            intent_template: Some("Write {path}".to_owned()),
            secrets_exposure: Some(SecretsExposure::WritesSecretMaterial),
            cli_equivalent: Some("overt call fs write_file path={path} content={content}".to_owned()),
            examples: vec![Example {
                description: "Create a file in a directory that may be missing".to_owned(),
                input: json!({ "path": "notes/today.md", "content": "# Today\n", "mode": "create" }),
                output: Some(json!({
                    "path": "notes/today.md",
                    "created": true,
                    "size": 8,
                    "line_ending": "lf",
                    "line_ending_adapted": false,
                    "etag": "s-0000000000000000",
                    "change": "c-1794757265123-3fa9c1",
                })),
            }],
            ..changing::record(server, Effect::Mutating, &[code::NOT_TEXT])
        })
}

fn is_link(desk: &Desk<'_>, text: &str) -> bool {
    let now = desk.slot_itself(text, Mounts::Cross).ok().and_then(|slot| slot.now);
    now.is_some_and(|facts| facts.kind == Kind::Link)
}

fn look(desk: &Desk<'_>, input: &Input) -> Result<Planned<Output>, FileError> {
    let text = &*input.path;
    let slot = match desk.slot(text) {
        // Its directory is there.
        Err(error) if error.code == code::NOT_FOUND && is_link(desk, text) => return Err(error),
        Err(error) if error.code == code::NOT_FOUND && input.create_parents => return grow(desk, input),
        Err(error) if error.code == code::NOT_FOUND => {
            return Err(FileError::new(
                code::NOT_FOUND,
                format!("the directory of `{text}` does not exist"),
                "Leave `create_parents` out to make it, or use another path.",
            ));
        }
        slot => slot?,
    };
    desk.take(&[&slot])?;
    let path = desk.view.shown(&slot.path());
    if slot.now.is_none() {
        etag::check(desk, input.if_etag.as_ref(), None, text)?;
        let content = input.content.clone().into_bytes();
        let change = Change::created(&path, shown_bytes(&content));
        let etag = Some(etag::of_bytes(&content));
        let output = Output { etag, ..Output::of(desk, path, None, content.len() as u64, &input.content) };
        let put = Put {
            slot,
            old: None,
            parts: vec![Part::Bytes(content)],
            mode: desk.terms.new_file_mode,
            shown: text.to_owned(),
        };
        return Ok(Planned {
            act: Act::Put(put),
            output,
            changes: vec![change],
            saw: vec!["nothing".to_owned()],
        });
    }
    if input.mode == Mode::Create {
        return Err(FileError {
            next: "Use `mode` `overwrite` to replace it, `append` or `prepend` to add to it, or choose another name.".to_owned(),
            ..FileError::exists(text)
        });
    }
    let most = desk.terms.edit_max_bytes;
    let size = slot.now.map_or(0, |now| now.size);
    // What is there, what is to be there, and what of both is shown.
    desk.take_room(if size > most { 0 } else { size * 2 } + input.content.len() as u64 * 2)?;
    let old = Old::open(&slot, desk.terms.hardlinks, most, text)?;
    etag::check(desk, input.if_etag.as_ref(), Some(&old), text)?;
    let new = New::of(&old, input, text)?;
    // Whoever undoes it keeps what is there then.
    desk.check_room(old.facts().size.max(new.size), text)?;
    let etag = match &*new.parts {
        [Part::Bytes(bytes)] => Some(etag::of_bytes(bytes)),
        _ => None,
    };
    let output =
        Output { etag, ..Output::of(desk, path.clone(), Some(new.endings), new.size, &input.content) };
    let size = old.facts().size;
    // What is there, and what is made of it, is shown to those alone who may read it.
    let sees = desk.view.sees(&slot.path());
    let change = match (&*new.parts, &old.content) {
        ([Part::Bytes(after)], Some(before)) if sees => shown_edit(&path, &before.bytes, after),
        (parts, before) => {
            let after = match parts {
                [Part::Bytes(bytes)] if sees => shown_bytes(bytes),
                _ => Blob::new(new.size).into(),
            };
            Change::edited(&path, shown_content(before.as_ref().filter(|_| sees), size), after)
        }
    };
    let saw = vec![old.identity()];
    let mode = old.facts().mode;
    let put = Put { slot, old: Some(old), parts: new.parts, mode, shown: text.to_owned() };
    Ok(Planned { act: Act::Put(put), output, changes: vec![change], saw })
}

/// The new content of a file that is there.
struct New {
    parts: Vec<Part>,
    size: u64,
    endings: Endings,
}

impl New {
    fn of(old: &Old, input: &Input, shown: &str) -> Result<Self, FileError> {
        let mut head = [0; 4];
        let read = old.open.file.read_at(&mut head, 0).unwrap_or(0);
        let encoding = Encoding::of(&head[..read]);
        let mark = encoding.mark();
        let whole = old.content.as_ref().map(|content| &*content.bytes);
        let mut endings = whole.map_or(Endings::None, |bytes| encoding.endings(bytes));
        let mut text = endings.fit(&input.content);
        // Only its line endings differ from what is there: they are what is to be changed.
        let is_there = whole.and_then(|bytes| bytes.strip_prefix(mark));
        if input.mode == Mode::Overwrite
            && *text != input.content
            && is_there == Some(&*encoded(encoding, &text, shown)?)
        {
            (endings, text) = (Endings::None, Cow::Borrowed(&*input.content));
        }
        let content = encoded(encoding, &text, shown)?;
        let size = old.facts().size;
        let parts = match (input.mode, whole) {
            (Mode::Overwrite | Mode::Create, _) => vec![Part::Bytes([mark, &content].concat())],
            (Mode::Append, Some(old)) => vec![Part::Bytes([old, &*content].concat())],
            (Mode::Prepend, Some(old)) => {
                vec![Part::Bytes([mark, &content, old.strip_prefix(mark).unwrap_or(old)].concat())]
            }
            (Mode::Append, None) => vec![Part::Old { skip: 0 }, Part::Bytes(content.into_owned())],
            (Mode::Prepend, None) => {
                let first = [mark, &content].concat();
                vec![Part::Bytes(first), Part::Old { skip: mark.len() as u64 }]
            }
        };
        let of_part = |part: &Part| match part {
            Part::Bytes(bytes) => bytes.len() as u64,
            Part::Old { skip } => size.saturating_sub(*skip),
            Part::File { size, .. } => *size,
        };
        Ok(Self { size: parts.iter().map(of_part).sum(), parts, endings })
    }
}

fn encoded<'a>(encoding: Encoding, text: &'a str, shown: &str) -> Result<Cow<'a, [u8]>, FileError> {
    encoding.write(text).ok_or_else(|| {
        FileError::new(
            code::NOT_TEXT,
            format!("`{shown}` is UTF-32, which is not written here; UTF-8 would destroy it"),
            "Delete it first to write it anew as UTF-8, or leave it.",
        )
    })
}

/// Folders, and the file in them.
fn grow(desk: &Desk<'_>, input: &Input) -> Result<Planned<Output>, FileError> {
    let text = &*input.path;
    let (slot, mut inner) = desk.missing(text)?;
    desk.take(&[&slot])?;
    let Some(name) = inner.pop() else {
        // The folder was made while we looked: the next look finds it.
        return Err(FileError::conflict(text));
    };
    etag::check(desk, input.if_etag.as_ref(), None, text)?;
    let bytes = input.content.clone().into_bytes();
    let path = inner.iter().fold(slot.path(), |path, name| path.child(name)).child(&name);
    let path = desk.view.shown(&path);
    let etag = Some(etag::of_bytes(&bytes));
    let output = Output { etag, ..Output::of(desk, path.clone(), None, bytes.len() as u64, &input.content) };
    let change = Change::created(path, shown_bytes(&bytes));
    let file = Some(NewFile { name, bytes, mode: desk.terms.new_file_mode });
    let grow = Grow { slot, inner, file, shown: text.to_owned() };
    let folders =
        grow.folders().into_iter().filter_map(|folder| super::super::space::Whole::from_system(&folder));
    let mut changes: Vec<_> = folders.map(|folder| Change::folder(desk.view.shown(&folder))).collect();
    changes.push(change);
    Ok(Planned { act: Act::Grow(grow), output, changes, saw: vec!["nothing".to_owned()] })
}

impl Output {
    /// `before`: how the lines of the file ended, where there was one.
    fn of(desk: &Desk<'_>, path: String, before: Option<Endings>, size: u64, content: &str) -> Self {
        let written = before.unwrap_or(Endings::None).fit(content);
        Self {
            path,
            created: before.is_none(),
            size,
            line_ending: Endings::of(written.as_bytes()).word(),
            line_ending_adapted: written != content,
            etag: None,
            change: desk.terms.change.clone(),
        }
    }
}
