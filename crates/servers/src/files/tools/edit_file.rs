//! `edit_file`: exact replacements in text files. Edits of several files are one change: all of
//! them are made, or none.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, SecretsExposure, ToolRecord};
use overt_policy::setting::SettingValues;
use overt_toolbox::{Change, ChangedLines, Tool, changed_lines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::FileServer;
use super::super::access::Slot;
use super::super::error::{FileError, code};
use super::super::write::{
    Act, Bounds, Edit, EditError, EditMismatch, MOST_MATCHES, OldFile, Part, Put, PutAll, apply_edits,
};
use super::aliases::{self, ALIASES};
use super::changing::{self, PlannedChange, Planning};
use super::encoded::Decoded;
use super::etag;
use super::params::{IfEtag, PathText};
use super::scope_arguments::scope_arguments;
use super::shown::shown_edit;

const NAME: &str = "edit_file";

const DESCRIPTION: &str = "Replace exact texts in one or more text files, all or nothing. Each `find` must match exactly once, including \
     whitespace: add surrounding lines, or set `expected_count`. Returns the changed lines.";

/// Files of one call.
const MOST_FILES: usize = 50;
/// All files of one call have so many times the bytes that one may have.
const SHARE: u64 = 4;
/// Lines, and bytes of them, that an answer shows of all changes.
const MOST_LINES: usize = 100;
const MOST_SHOWN: usize = 8192;
/// Unchanged lines around a change.
const AROUND: usize = 1;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: Option<PathText>,
    /// Applied in order; each sees the earlier results.
    #[schemars(length(min = 1, max = 1000))]
    edits: Vec<InputEdit>,
    if_etag: Option<IfEtag>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InputEdit {
    #[schemars(length(min = 1))]
    find: String,
    replace: String,
    /// Matches of `find` (default 1); 0: replace all.
    expected_count: Option<u32>,
    /// If not the `path` of the call.
    path: Option<PathText>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    files: Vec<Edited>,
    /// Replacements made.
    match_count: usize,
    /// For `revert_change`; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    /// It can't be undone: nothing was kept.
    #[serde(skip_serializing_if = "super::walking::is_false")]
    irreversible: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Edited {
    path: String,
    match_count: usize,
    /// Bytes of the file now.
    size: u64,
    /// For `if_etag` of the next change.
    etag: String,
    /// The lines as they are now, with one around.
    changed: Vec<Lines>,
    /// Changed lines were left out.
    #[serde(skip_serializing_if = "super::walking::is_false")]
    truncated: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Lines {
    /// From 1.
    start_line: usize,
    text: String,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, look)
        .title("Edit files")
        .scope_arguments(every_path(server))
        .aliases(ALIASES)
        .rewrite(aliases::edit_file)
        .declare(ToolRecord {
            overwrites: true,
            // Whether a text is in a file is something to know, too.
            scopes: vec!["read:file:{path}".to_owned(), "write:file:{path}".to_owned()],
            intent_template: Some("Edit[ {path}][ {edits.path}]".to_owned()),
            secrets_exposure: Some(SecretsExposure::WritesSecretMaterial),
            cli_equivalent: Some("overt call fs edit_file path={path} edits={edits}".to_owned()),
            examples: vec![Example {
                description: "Change a version".to_owned(),
                input: json!({
                    "path": "Cargo.toml",
                    "edits": [{ "find": "version = \"1.0.0\"", "replace": "version = \"1.0.1\"" }],
                }),
                output: Some(json!({
                    "files": [{
                        "path": "Cargo.toml",
                        "match_count": 1,
                        "size": 42,
                        "etag": "s-0000000000000000",
                        "changed": [{ "start_line": 2, "text": "name = \"demo\"\nversion = \"1.0.1\"" }],
                    }],
                    "match_count": 1,
                    "change": "c-1794757265123-3fa9c1",
                })),
            }],
            ..changing::record(
                server,
                Effect::Mutating,
                &[code::NOT_TEXT, code::FIND_NOT_FOUND, code::FIND_NOT_UNIQUE],
            )
        })
}

/// Scopes are about every file of the call.
fn every_path(
    server: &Arc<FileServer>,
) -> impl Fn(&Value, Option<&SettingValues>) -> Value + Send + Sync + 'static {
    let absolute = scope_arguments(server, &["path"]);
    move |arguments, settings| {
        let edits = arguments.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let own = edits.iter().map(|edit| edit.get("path").filter(|path| !path.is_null()));
        let mut paths: Vec<Value> = Vec::new();
        for path in own.map(|own| own.or_else(|| arguments.get("path"))) {
            let path = path.cloned().unwrap_or(Value::Null);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let mut arguments = arguments.clone();
        match &paths[..] {
            [] => {}
            [only] => arguments["path"] = only.clone(),
            _ => arguments["path"] = paths.into(),
        }
        absolute(&arguments, settings)
    }
}

/// The edits of one file.
struct Target<'a> {
    /// What the client called it.
    shown: &'a str,
    slot: Slot,
    /// With their places in the call.
    edits: Vec<(usize, &'a InputEdit)>,
}

/// A file with its edits made, and not written yet.
struct EditedFile {
    put: Put,
    change: Change,
    saw: String,
    edited: Edited,
}

fn look(planning: &Planning<'_>, input: &Input) -> Result<PlannedChange<Output>, FileError> {
    let targets = targets(planning, input)?;
    let slots: Vec<&Slot> = targets.iter().map(|target| &target.slot).collect();
    planning.take(&slots)?;
    let is_several = targets.len() > 1;
    let most = planning.settings.edit_max_bytes;
    let sizes = slots.iter().filter_map(|slot| slot.now).map(|now| now.size).filter(|size| *size <= most);
    // What is there, what is to be there, and what of both is shown; at once, so that no two calls
    // wait for each other.
    planning.take_room(sizes.sum::<u64>().min(most.saturating_mul(SHARE)) * 4)?;
    let mut left = most.saturating_mul(SHARE);
    let mut room = Room { lines: MOST_LINES, bytes: MOST_SHOWN };
    let mut made = Vec::with_capacity(targets.len());
    let (mut puts, mut changes, mut saw, mut files) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for target in targets {
        let is_of_call = input.path.as_deref() == Some(target.shown);
        let if_etag = input.if_etag.as_ref().filter(|_| is_of_call || !is_several);
        let one = edit(planning, input, target, if_etag, &mut room, is_several)?;
        left = left.checked_sub(one.edited.size).ok_or_else(|| {
            FileError::new(
                code::TOO_LARGE,
                format!(
                    "the files of this call have more than {} bytes together; nothing was changed",
                    most * SHARE
                ),
                "Edit fewer files in one call.",
            )
        })?;
        made.push(one);
    }
    for EditedFile { put, change, saw: seen, edited } in made {
        puts.push(put);
        changes.push(change);
        saw.push(seen);
        files.push(edited);
    }
    let match_count = files.iter().map(|file| file.match_count).sum();
    let act = match puts.pop() {
        Some(only) if puts.is_empty() => Act::Put(only),
        last => Act::PutAll(PutAll { puts: puts.into_iter().chain(last).collect() }),
    };
    let irreversible = act.lost().is_some();
    let change = planning.settings.change.clone().filter(|_| !irreversible);
    let output = Output { files, match_count, change, irreversible };
    Ok(PlannedChange { act, output, changes, saw })
}

/// The files of the call, each once, in the order in which the edits name them.
fn targets<'a>(planning: &Planning<'_>, input: &'a Input) -> Result<Vec<Target<'a>>, FileError> {
    let mut targets: Vec<Target<'a>> = Vec::new();
    for (index, edit) in input.edits.iter().enumerate() {
        let Some(shown) = edit.path.as_ref().or(input.path.as_ref()) else {
            return Err(FileError::new(
                code::INVALID_PATH,
                format!("neither edit {} nor the call has a `path`", index + 1),
                "Give the `path` of the file to edit.",
            ));
        };
        if let Some(target) = targets.iter_mut().find(|target| target.shown == &**shown) {
            target.edits.push((index, edit));
            continue;
        }
        let slot = planning.slot(shown)?;
        let known = targets.iter().position(|target| target.slot.path() == slot.path());
        match known {
            Some(at) => targets[at].edits.push((index, edit)),
            None if targets.len() == MOST_FILES => {
                return Err(FileError::new(
                    code::TOO_LARGE,
                    format!("the edits name more than {MOST_FILES} files; nothing was changed"),
                    "Edit fewer files in one call.",
                ));
            }
            None => targets.push(Target { shown, slot, edits: vec![(index, edit)] }),
        }
    }
    Ok(targets)
}

fn edit(
    planning: &Planning<'_>,
    input: &Input,
    target: Target<'_>,
    if_etag: Option<&IfEtag>,
    room: &mut Room,
    is_several: bool,
) -> Result<EditedFile, FileError> {
    let Target { shown: text, slot, edits } = target;
    if !planning.view.sees(&slot.path()) {
        return Err(FileError::hidden(text));
    }
    if slot.now.is_none() {
        return Err(FileError::system(rustix::io::Errno::NOENT, text));
    }
    let most = planning.settings.edit_max_bytes;
    let old = OldFile::open(&slot, planning.settings.hardlinks, most, text)?;
    etag::check(planning, if_etag, Some(&old), text)?;
    let size = old.facts().size;
    let Some(content) = &old.content else {
        return Err(FileError::new(
            code::TOO_LARGE,
            format!("`{text}` has {size} bytes, and `edit_max_bytes` allows editing files of at most {most}"),
            "Ask the user to raise `edit_max_bytes` and call again, or work on smaller files.",
        ));
    };
    let before = Decoded::of(&content.bytes).ok_or_else(|| {
        FileError::new(
            code::NOT_TEXT,
            format!("`{text}` is not text in UTF-8, UTF-16 or windows-1252; nothing was changed"),
            "Replace the whole file with `write_file`, or leave it as it is.",
        )
    })?;
    let wanted: Vec<_> = edits.iter().map(|(_, edit)| edit.edit()).collect();
    let (after, match_count) = apply_edits(&before.text, &wanted, Bounds { most, stop: planning.stop })
        .map_err(|error| {
            let index = edits.get(error.index).map_or(error.index, |(index, _)| *index);
            let stopped = planning.stop.check().err();
            stopped.unwrap_or_else(|| misfit(EditError { index, ..error }, input, text, most))
        })?;
    let path = planning.view.shown(&slot.path());
    let change = shown_edit(&path, before.text.as_bytes(), after.as_bytes());
    let is_same = before.text == after;
    let bytes = before.encode(after).map_err(|letter| {
        FileError::new(
            code::NOT_TEXT,
            format!("`{text}` is windows-1252, which has no `{letter}`; nothing was changed"),
            "Use other characters, or replace the file with `write_file`, which writes UTF-8.",
        )
    })?;
    // Undoing it keeps what is there then.
    let lost = match planning.check_room(size.max(bytes.len() as u64), text) {
        Ok(()) => None,
        // All or none of several files, whatever happens, takes the journal.
        Err(unkept) if is_several => return Err(unkept.into()),
        Err(unkept) => Some(planning.refuse_or_ask(unkept)?),
    };
    let (changed, is_cut) = room.take(changed_lines(&change, AROUND));
    // Very large changes are not compared line by line.
    let truncated = is_cut || changed.is_empty() && !is_same;
    let edited = Edited {
        path,
        match_count,
        size: bytes.len() as u64,
        etag: etag::of_bytes(&bytes),
        changed,
        truncated,
    };
    let (saw, mode) = (old.identity(), old.facts().mode);
    let put =
        Put { slot, old: Some(old), parts: vec![Part::Bytes(bytes)], mode, shown: text.to_owned(), lost };
    Ok(EditedFile { put, change, saw, edited })
}

/// How much more an answer shows.
struct Room {
    lines: usize,
    bytes: usize,
}

impl Room {
    /// As many of the changed lines as there is room for, and whether some are left out.
    fn take(&mut self, changes: Vec<ChangedLines>) -> (Vec<Lines>, bool) {
        let mut shown = Vec::new();
        for ChangedLines { start_line, text } in changes {
            let lines = text.lines().count();
            let (Some(lines), Some(bytes)) =
                (self.lines.checked_sub(lines), self.bytes.checked_sub(text.len()))
            else {
                return (shown, true);
            };
            (self.lines, self.bytes) = (lines, bytes);
            shown.push(Lines { start_line, text });
        }
        (shown, false)
    }
}

impl InputEdit {
    fn edit(&self) -> Edit<'_> {
        let expected = match self.expected_count {
            None => Some(1),
            Some(0) => None,
            Some(count) => Some(usize::try_from(count).unwrap_or(usize::MAX)),
        };
        Edit { find: &self.find, replace: &self.replace, expected }
    }
}

/// What is wrong, for a model that remembers almost right.
fn misfit(error: EditError, input: &Input, shown: &str, most: u64) -> FileError {
    let which = if input.edits.len() == 1 {
        "`find`".to_owned()
    } else {
        format!("`find` of edit {}", error.index + 1)
    };
    let expected = input.edits.get(error.index).and_then(|edit| edit.edit().expected).unwrap_or(1);
    let at = |lines: &[usize]| {
        let numbers: Vec<_> = lines.iter().map(ToString::to_string).collect();
        format!("line {}", numbers.join(", "))
    };
    match error.what {
        EditMismatch::Empty => FileError::new(
            code::FIND_EMPTY,
            format!("{which} is empty; nothing was changed"),
            "Put the text to replace into `find`.",
        ),
        EditMismatch::NotFound { near } if near.is_empty() => FileError::new(
            code::FIND_NOT_FOUND,
            format!("{which} is not in `{shown}`, nor is anything like it; nothing was changed"),
            "Read the file again with `read_file` and copy the text exactly.",
        ),
        EditMismatch::NotFound { near } => FileError::new(
            code::FIND_NOT_FOUND,
            format!("{which} is not in `{shown}`; nothing was changed; {near}\n"),
            "Copy the lines into `find` exactly as they are there, without the line numbers.",
        ),
        EditMismatch::Count { found, lines } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!(
                "{which} occurs {found} times in `{shown}`, and {expected} was expected: at {}; nothing was changed",
                at(&lines)
            ),
            format!(
                "Add surrounding lines to `find`, or set `expected_count` to {found} to replace all of them."
            ),
        ),
        EditMismatch::TooMany { found, is_all } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!(
                "{which} occurs {}{found} times in `{shown}`, and one edit replaces at most {MOST_MATCHES}; nothing was changed",
                if is_all { "" } else { "more than " }
            ),
            "Add surrounding text to `find`, or replace the whole file with `write_file`.",
        ),
        EditMismatch::Overlap { lines } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!("matches of {which} in `{shown}` overlap: at {}; nothing was changed", at(&lines)),
            "Add surrounding text to `find`.",
        ),
        // A stopped call gets no answer.
        EditMismatch::TooLarge | EditMismatch::Stopped => FileError::new(
            code::TOO_LARGE,
            format!(
                "edit {} would make `{shown}` larger than the {most} bytes that `edit_max_bytes` allows; nothing was changed",
                error.index + 1
            ),
            "Insert less text, or ask the user to raise `edit_max_bytes`.",
        ),
    }
}
