//! `edit_file`: exact replacements in a text file.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, SecretsExposure, ToolRecord};
use overt_toolbox::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::write::{Act, Bounds, Edit, EditError, MOST_MATCHES, Misfit, Old, Part, Put, apply_edits};
use super::changing::{self, Desk, Planned, shown_edit};
use super::located::located;
use super::params::PathText;

const NAME: &str = "edit_file";

const DESCRIPTION: &str = "Use to change parts of a text file: each edit replaces one exact text by another, one after the other, all or none. \
     `find` must stand in the file exactly once, blanks and indentation included; put as many lines around it as that needs, or give \
     `expected_count` to replace several. A line break in `find` matches `\\n` and `\\r\\n`; the file keeps its own. When nothing \
     matches, the error shows the nearest lines. Returns the number of matches, and `change`, with which `revert_change` undoes it.";

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
    /// Replacements, made one after the other: a later one sees what an earlier one has made.
    #[schemars(length(min = 1, max = 1000))]
    edits: Vec<InputEdit>,
}

/// One replacement.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InputEdit {
    /// The exact text to look for.
    #[schemars(length(min = 1))]
    find: String,
    /// What is put in its place; may be empty.
    replace: String,
    /// How many times `find` must stand there; each is replaced. Left out, once.
    #[schemars(range(min = 1, max = 10000))]
    expected_count: Option<u32>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Output {
    /// The file, as it can be given to other tools.
    path: String,
    /// Replacements that were made, of all edits.
    match_count: usize,
    /// Bytes of the file afterwards.
    bytes: u64,
    /// Undoes this with `revert_change`. Absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, look)
    .title("Edit a file")
    .scope_arguments(located(server, &["path"]))
    .declare(ToolRecord {
        overwrites: true,
        idempotent: Some(false),
        // Whether a text stands there is something to know, too.
        scopes: vec!["read:file:{path}".to_owned(), "write:file:{path}".to_owned()],
        intent_template: Some("Edit {path}".to_owned()),
        secrets_exposure: Some(SecretsExposure::WritesSecretMaterial),
        examples: vec![Example {
            description: "Change a version".to_owned(),
            input: json!({ "path": "Cargo.toml", "edits": [{ "find": "version = \"1.0.0\"", "replace": "version = \"1.0.1\"" }] }),
            output: None,
        }],
        ..changing::record(
            server,
            Effect::Mutating,
            &[code::NOT_A_FILE, code::HARD_LINK, code::NOT_TEXT, code::FIND_NOT_FOUND, code::FIND_NOT_UNIQUE],
        )
    })
}

fn look(desk: &Desk<'_>, input: &Input) -> Result<Planned<Output>, FileError> {
    let text = &*input.path;
    let slot = desk.slot(text)?;
    desk.take(&[&slot])?;
    if !desk.view.sees(&slot.path()) {
        return Err(FileError::hidden(text));
    }
    if slot.now.is_none() {
        return Err(FileError::system(rustix::io::Errno::NOENT, text));
    }
    let most = desk.terms.edit_max_bytes;
    let size = slot.now.map_or(0, |now| now.size);
    // What is there, what is to be there, and what of both is shown.
    desk.take_room(if size > most { 0 } else { size * 4 })?;
    let old = Old::open(&slot, desk.terms.hardlinks, most, text)?;
    let size = old.facts().size;
    let Some(content) = &old.content else {
        return Err(FileError::new(
            code::TOO_LARGE,
            format!("`{text}` has {size} bytes, and at most {most} are edited (`edit_max_bytes`)"),
            "Ask the user to raise the limit, or work on smaller files.",
        ));
    };
    let before = std::str::from_utf8(&content.bytes).map_err(|error| {
        FileError::new(
            code::NOT_TEXT,
            format!(
                "`{text}` is not UTF-8 text: byte {} is no part of a letter; nothing was changed",
                error.valid_up_to() + 1
            ),
            "Only UTF-8 is edited. `read_file` says which encoding it is; write it as a whole, or leave it.",
        )
    })?;
    let edits: Vec<_> = input.edits.iter().map(InputEdit::edit).collect();
    let (after, match_count) =
        apply_edits(before, &edits, Bounds { most, stop: desk.stop }).map_err(|error| {
            let stopped = desk.stop.check().err();
            stopped.unwrap_or_else(|| misfit(error, input, text, most))
        })?;
    // Whoever undoes it keeps what is there then.
    desk.check_room(size.max(after.len() as u64), text)?;
    let path = desk.view.shown(&slot.path());
    let output = Output {
        path: path.clone(),
        match_count,
        bytes: after.len() as u64,
        change: desk.terms.change.clone(),
    };
    let change = shown_edit(&path, before.as_bytes(), after.as_bytes());
    let (saw, mode) = (vec![old.identity()], old.facts().mode);
    let put = Put {
        slot,
        old: Some(old),
        parts: vec![Part::Bytes(after.into_bytes())],
        mode,
        shown: text.to_owned(),
    };
    Ok(Planned { act: Act::Put(put), output, changes: vec![change], saw })
}

impl InputEdit {
    fn edit(&self) -> Edit<'_> {
        let expected = self.expected_count.and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
        Edit { find: &self.find, replace: &self.replace, expected }
    }
}

/// What is wrong, for whoever remembers almost right.
fn misfit(error: EditError, input: &Input, shown: &str, most: u64) -> FileError {
    let which = if input.edits.len() == 1 {
        "`find`".to_owned()
    } else {
        format!("`find` of edit {}", error.index + 1)
    };
    let expected = input.edits.get(error.index).map_or(1, |edit| edit.edit().expected);
    let at = |lines: &[usize]| {
        let numbers: Vec<_> = lines.iter().map(ToString::to_string).collect();
        format!("line {}", numbers.join(", "))
    };
    match error.what {
        Misfit::Empty => {
            FileError::new(code::FIND_EMPTY, format!("{which} is empty"), "Give the text to replace.")
        }
        Misfit::NotFound { near } if near.is_empty() => FileError::new(
            code::FIND_NOT_FOUND,
            format!("{which} is not in `{shown}`, and nothing like it; nothing was changed"),
            "Read the file again, and copy the text exactly.",
        ),
        Misfit::NotFound { near } => FileError::new(
            code::FIND_NOT_FOUND,
            format!("{which} is not in `{shown}`; nothing was changed; {near}\n"),
            "Copy the lines exactly as they stand there, without the numbers.",
        ),
        Misfit::Count { found, lines } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!(
                "{which} stands {found} times in `{shown}`, and {expected} was expected: at {}; nothing was changed",
                at(&lines)
            ),
            format!(
                "Put more of the lines around it into `find`, or set `expected_count` to {found} to replace all of them."
            ),
        ),
        Misfit::TooMany { found, is_all } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!(
                "{which} stands {}{found} times in `{shown}`, and one edit replaces at most {MOST_MATCHES}; nothing was changed",
                if is_all { "" } else { "more than " }
            ),
            "Put more of the text around it into `find`, or write the file as a whole.",
        ),
        Misfit::Overlap { lines } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!("matches of {which} in `{shown}` overlap: at {}; nothing was changed", at(&lines)),
            "Put more of the text around each into `find`.",
        ),
        // Whoever has stopped it gets no answer.
        Misfit::TooLarge | Misfit::Stopped => FileError::new(
            code::TOO_LARGE,
            format!(
                "with edit {} `{shown}` would have more than {most} bytes (`edit_max_bytes`); nothing was changed",
                error.index + 1
            ),
            "Put less in, or ask the user to raise the limit.",
        ),
    }
}
