//! The outcome of a call according to the model.
use super::plan::{Op, WriteMode, first_word, word};
use super::resolve::{self, Led, is_folder, join};
use super::tree::{Node, Tree, What, is_within};

/// The outcome that the model expects.
#[derive(Debug, Clone)]
pub(super) enum Expected {
    /// The call succeeds, and this is the tree afterwards.
    Done(Tree),
    /// The call is refused, and nothing changes.
    Refused,
    /// The call succeeds with this tree, or is refused.
    Either(Tree),
}

/// Returns the outcome of a client's call. Undoing is handled elsewhere, because it depends on
/// earlier changes.
pub(super) fn expected(tree: &Tree, op: &Op, number: usize) -> Expected {
    let after = match op {
        Op::Write(path, mode) => write(tree, path, *mode, number),
        Op::Edit(path) => edit(tree, path, number),
        Op::EditBoth(one, other) => return edit_both(tree, one, other, number),
        Op::Mkdir(path) => mkdir(tree, path),
        Op::Move(from, to) => shift(tree, from, to, Keeps::Nothing),
        Op::Copy(from, to) => shift(tree, from, to, Keeps::TheOld),
        Op::Delete(path) => delete(tree, path),
        Op::Undo(_) => None,
    };
    after.map_or(Expected::Refused, Expected::Done)
}

/// Returns the path by which the last change of a call can be found, if the call succeeds.
pub(super) fn place_of(tree: &Tree, op: &Op) -> Option<String> {
    let of_name = |path: &str| match resolve::name(tree, path) {
        Led::To(key) => Some(key),
        _ => None,
    };
    match op {
        Op::Write(path, _) => match resolve::file(tree, path) {
            Some(key) => Some(key),
            None => resolve::missing(tree, path).map(|(key, _)| key),
        },
        Op::Edit(path) | Op::EditBoth(path, _) => resolve::file(tree, path),
        Op::Mkdir(path) => resolve::missing(tree, path).map(|(key, _)| key),
        Op::Move(_, to) | Op::Copy(_, to) => of_name(to),
        Op::Delete(path) => of_name(path),
        Op::Undo(_) => None,
    }
}

fn new(what: What) -> Node {
    Node { what, mode: None, label: None }
}

fn content_of<'a>(tree: &'a Tree, key: &str) -> Option<&'a str> {
    match &tree.get(key)?.what {
        What::File(text) => Some(text),
        What::Link(_) | What::Folder => None,
    }
}

/// Returns the tree with other content in a file. Mode and label stay.
fn with_content(tree: &Tree, key: &str, text: String) -> Option<Tree> {
    let mut after = tree.clone();
    after.get_mut(key)?.what = What::File(text);
    Some(after)
}

fn write(tree: &Tree, path: &str, mode: WriteMode, number: usize) -> Option<Tree> {
    if let Some(key) = resolve::file(tree, path) {
        let text = match mode {
            WriteMode::Create => return None,
            WriteMode::Overwrite => word(number),
            WriteMode::Append => format!("{}{}", content_of(tree, &key)?, word(number)),
        };
        return with_content(tree, &key, text);
    }
    let (outermost, inner) = resolve::missing(tree, path)?;
    let mut after = tree.clone();
    let mut at = outermost;
    for name in inner {
        after.insert(at.clone(), new(What::Folder));
        at = join(&at, &name);
    }
    after.insert(at, new(What::File(word(number))));
    Some(after)
}

fn edit(tree: &Tree, path: &str, number: usize) -> Option<Tree> {
    let key = resolve::file(tree, path)?;
    let text = content_of(tree, &key)?;
    let text = text.replacen(&first_word(text)?, &word(number), 1);
    with_content(tree, &key, text)
}

fn edit_both(tree: &Tree, one: &str, other: &str, number: usize) -> Expected {
    let (Some(first), Some(second)) = (resolve::file(tree, one), resolve::file(tree, other)) else {
        return Expected::Refused;
    };
    let Some(after) = edit(tree, one, number) else { return Expected::Refused };
    if first == second {
        // Both edits look for the same words.
        return Expected::Refused;
    }
    match edit(&after, other, number) {
        // If both paths name one file, the second edit sees the first change as a conflict.
        Some(after) if content_of(tree, &first) == content_of(tree, &second) => Expected::Either(after),
        Some(after) => Expected::Done(after),
        None => Expected::Refused,
    }
}

fn mkdir(tree: &Tree, path: &str) -> Option<Tree> {
    let (outermost, inner) = resolve::missing(tree, path)?;
    let mut after = tree.clone();
    let mut at = outermost;
    after.insert(at.clone(), new(What::Folder));
    for name in inner {
        at = join(&at, &name);
        after.insert(at.clone(), new(What::Folder));
    }
    Some(after)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Nothing,
    TheOld,
}

/// Moves or copies an entry with everything in it.
fn shift(tree: &Tree, from: &str, to: &str, keeps: Keeps) -> Option<Tree> {
    let (Led::To(from), Led::To(to)) = (resolve::name(tree, from), resolve::name(tree, to)) else {
        return None;
    };
    if !tree.contains_key(&from) || tree.contains_key(&to) || is_within(&to, &from) {
        return None;
    }
    let mut after = tree.clone();
    for (path, node) in tree.iter().filter(|(path, _)| is_within(path, &from)) {
        if keeps == Keeps::Nothing {
            after.remove(path);
        }
        after.insert(format!("{to}{}", &path[from.len()..]), node.clone());
    }
    Some(after)
}

fn delete(tree: &Tree, path: &str) -> Option<Tree> {
    let Led::To(key) = resolve::name(tree, path) else { return None };
    if !tree.contains_key(&key) || is_folder(tree, &key) && key.is_empty() {
        return None;
    }
    Some(
        tree.iter()
            .filter(|(path, _)| !is_within(path, &key))
            .map(|(path, node)| (path.clone(), node.clone()))
            .collect(),
    )
}
