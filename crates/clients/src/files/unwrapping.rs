//! The edits that take Overt away again: what was recorded, if the entry still has what was
//! written; else by the shape of a wrapped entry.
use std::ops::Range;

use super::document::{Document, Entry};
use super::launch::{Form, Launch, Program, launch};
use super::node::Node;
use super::record::RecordedEdit;
use super::splice::{Edit, EditPosition};
use crate::BareUrl;

/// What can be done about a wrapped entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unwrap {
    /// Overt is not in front of it.
    NotWrapped,
    /// What was written is still there: these edits put back what was there before.
    Exact(Vec<Edit>),
    /// There is no record of it. These edits give the command that the entry contains.
    ByShape(Vec<Edit>),
    /// It was edited since. What stood there before, as far as that is known, and what stands there
    /// now.
    Edited { before: String, now: String, edits: Vec<Edit> },
    /// There is no record, and the shape does not say what was there before.
    Unknown,
}

/// `recorded` are the edits that were made when the entry was wrapped.
pub fn unwrap(document: &Document, entry: &Entry, recorded: &[RecordedEdit]) -> Unwrap {
    let wrapped = match launch(&entry.node, BareUrl::Http) {
        Ok(Launch::Wrapped(program)) => Some(program),
        // `overt fs` took the place of another server. Without a record it is the person's own.
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

/// The recorded edits the other way round; none if one of them is not found. `exact`: only if what
/// was written is still there.
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
        // The member was moved or changed; it can't be taken out without knowing its surroundings.
        false => None,
    }
}

/// The words behind `--` as the command of the entry.
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
            // The first word is the program and not in the list.
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

/// The list without its first elements, in the layout that it has.
fn without_first(document: &Document, list: &Node, count: usize) -> Option<String> {
    let text = document.text();
    let first = list.elements().first()?;
    let rest = match list.elements().get(count) {
        Some(next) => next.range.start,
        // A block can't be empty.
        None if !text[list.range.clone()].starts_with('[') => return None,
        None => list.elements().last()?.range.end,
    };
    let gap = &text[list.range.start..first.range.start];
    Some(format!("{gap}{}", &text[rest..list.range.end]))
}
