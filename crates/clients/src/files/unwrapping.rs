//! The edits that remove Overt again. They restore what was recorded if the entry still has what
//! was written; otherwise they follow from the form of a wrapped entry.
use std::ops::Range;

use super::document::{Document, Entry};
use super::launch::{Form, Launch, Program, launch};
use super::node::Node;
use super::record::RecordedEdit;
use super::splice::{Edit, EditPosition};
use crate::BareUrl;

/// The result of looking at a wrapped entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwrap {
    /// Overt is not in front of the server.
    NotWrapped,
    /// What was written is unchanged: these edits restore the original.
    Exact(Vec<Edit>),
    /// There is no record. These edits restore the command that the entry contains.
    ByShape(Vec<Edit>),
    /// The entry was edited since it was wrapped. Holds the original text as far as it is known,
    /// and the current text.
    Edited { before: String, now: String, edits: Vec<Edit> },
    /// There is no record, and the form of the entry does not show the original.
    Unknown,
}

/// Returns how to unwrap an entry. `recorded` holds the edits that were made when it was wrapped.
pub fn unwrap(document: &Document, entry: &Entry, recorded: &[RecordedEdit]) -> Unwrap {
    let wrapped = match launch(&entry.node, BareUrl::Http) {
        Ok(Launch::Wrapped(program)) => Some(program),
        // `overt fs` replaced another server. Without a record, the person configured it.
        Ok(Launch::Own) if !recorded.is_empty() => None,
        _ => return Unwrap::NotWrapped,
    };
    if let Some(edits) = reversed(document, entry, recorded, true) {
        return Unwrap::Exact(edits);
    }
    if let Some(edits) = reversed(document, entry, recorded, false) {
        let of = |text: fn(&RecordedEdit) -> &String| -> String {
            recorded.iter().map(|edit| text(edit).trim().to_owned()).collect::<Vec<_>>().join(" … ")
        };
        let now: Vec<&str> = edits.iter().map(|edit| edit.original.trim()).collect();
        return Unwrap::Edited { before: of(|edit| &edit.original), now: now.join(" … "), edits };
    }
    wrapped.and_then(|program| by_shape(document, entry, &program)).map_or(Unwrap::Unknown, Unwrap::ByShape)
}

/// Reverses the recorded edits; `None` if one of them is not found. With `exact`, what was written
/// must be unchanged.
fn reversed(document: &Document, entry: &Entry, recorded: &[RecordedEdit], exact: bool) -> Option<Vec<Edit>> {
    if recorded.is_empty() {
        return None;
    }
    let edits = recorded.iter().map(|edit| {
        let range = find(entry, &edit.place, edit, document)?;
        let now = document.text().get(range.clone())?;
        (!exact || now == edit.written)
            .then(|| Edit::new(document, entry, edit.place.clone(), range, edit.original.clone()))
    });
    edits.collect()
}

fn find(
    entry: &Entry,
    place: &EditPosition,
    edit: &RecordedEdit,
    document: &Document,
) -> Option<Range<usize>> {
    let node = place.path.iter().try_fold(&entry.node, |node, name| node.get(name))?;
    if !place.is_after {
        return Some(node.range.clone());
    }
    let end = node.range.end;
    match document.text().get(end..)?.starts_with(&edit.written) {
        true => Some(end..end + edit.written.len()),
        // The member was moved or changed; without its surroundings it can't be removed.
        false => None,
    }
}

/// Uses the words after `--` as the command of the entry.
fn by_shape(document: &Document, entry: &Entry, program: &Program<'_>) -> Option<Vec<Edit>> {
    let end = program.words.iter().position(|word| *word == "--")?;
    let path = |member: &str| -> Vec<String> {
        program.inside.into_iter().chain([member]).map(str::to_owned).collect()
    };
    let place = |member: &str| EditPosition { path: path(member), is_after: false };
    match program.form {
        Form::List => {
            let list = program.holder.get("command")?;
            let written = without_first(document, list, end + 1)?;
            Some(vec![Edit::new(document, entry, place("command"), list.range.clone(), written)])
        }
        Form::Words(member) => {
            let (command, args) = (program.holder.get(member)?, program.holder.get("args")?);
            // `args` does not contain the program, so its element `end` is the word after `--`.
            let original = args.elements().get(end)?;
            let started = document.text()[original.range.clone()].to_owned();
            let written = without_first(document, args, end + 1)?;
            Some(vec![
                Edit::new(document, entry, place(member), command.range.clone(), started),
                Edit::new(document, entry, place("args"), args.range.clone(), written),
            ])
        }
    }
}

/// Returns the list without its first elements, in the same layout.
fn without_first(document: &Document, list: &Node, count: usize) -> Option<String> {
    let text = document.text();
    let first = list.elements().first()?;
    let rest = match list.elements().get(count) {
        Some(next) => next.range.start,
        // A YAML block can't be empty.
        None if !text[list.range.clone()].starts_with('[') => return None,
        None => list.elements().last()?.range.end,
    };
    let gap = &text[list.range.start..first.range.start];
    Some(format!("{gap}{}", &text[rest..list.range.end]))
}
