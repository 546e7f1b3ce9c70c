//! Random plans of what happens to a tree, step by step. A failing plan is shrunk by leaving out
//! steps.
use proptest::prelude::*;
use rustix::io::Errno;
use serde_json::{Value, json};

/// A sequence of steps, and the place of the journal.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) journal: JournalPlace,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JournalPlace {
    Beside,
    /// On another file system than the tree, if this machine has one.
    Elsewhere,
}

#[derive(Debug, Clone)]
pub(super) enum Step {
    /// A client makes a call, and something may happen at one of the system calls of the change.
    Call(Op, Event),
    /// Another program changes something.
    Other(Other),
}

/// A call of a client.
#[derive(Debug, Clone)]
pub(super) enum Op {
    Write(&'static str, WriteMode),
    Edit(&'static str),
    /// Edits two files as one change.
    EditBoth(&'static str, &'static str),
    Mkdir(&'static str),
    Move(&'static str, &'static str),
    Copy(&'static str, &'static str),
    Delete(&'static str),
    /// Undoes one of the latest changes; 0 is the last.
    Undo(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteMode {
    Overwrite,
    Append,
    Create,
}

/// An event at the n-th system call of a change.
#[derive(Debug, Clone)]
pub(super) enum Event {
    Nothing,
    Fails(i64, Errno),
    Killed(i64),
    /// Another program saves a file, through a temporary file and a rename.
    Saved(i64, Saved),
}

/// The file that another program saves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Saved {
    /// The file that the call changes.
    Same,
    Other(&'static str),
}

/// A change by another program.
#[derive(Debug, Clone)]
pub(super) enum Other {
    /// Saves through a temporary file and a rename, as editors do.
    Save(&'static str),
    /// Writes in place.
    Scribble(&'static str),
    Chmod(&'static str, u32),
    Label(&'static str, u8),
    HardLink(&'static str, &'static str),
    SymLink(&'static str, &'static str),
    Remove(&'static str),
}

const PATHS: [&str; 9] = ["a", "b", "d", "e", "d/a", "d/b", "d/e", "e/a", "d/e/a"];
const TARGETS: [&str; 10] = ["a", "b", "d", "e", "../a", "../e", "d/a", "missing", "../../out", "/etc"];
const MODES: [u32; 4] = [0o600, 0o640, 0o644, 0o755];
/// More system calls than most changes make. An event after the last one does not happen.
const MOST_CALLS: i64 = 40;
/// The system calls of a change of one file.
const FEW_CALLS: i64 = 20;

pub(super) fn plans() -> impl Strategy<Value = Plan> {
    let journal = prop_oneof![3 => Just(JournalPlace::Beside), 1 => Just(JournalPlace::Elsewhere)];
    (journal, proptest::collection::vec(step(), 1..20)).prop_map(|(journal, steps)| Plan { journal, steps })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (op(), event()).prop_map(|(op, event)| Step::Call(op, event)),
        1 => other().prop_map(Step::Other),
    ]
}

fn path() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&PATHS[..])
}

fn op() -> impl Strategy<Value = Op> {
    let mode = prop_oneof![Just(WriteMode::Overwrite), Just(WriteMode::Append), Just(WriteMode::Create)];
    prop_oneof![
        6 => (path(), mode).prop_map(|(path, mode)| Op::Write(path, mode)),
        3 => path().prop_map(Op::Edit),
        2 => (path(), path()).prop_map(|(one, other)| Op::EditBoth(one, other)),
        1 => path().prop_map(Op::Mkdir),
        3 => (path(), path()).prop_map(|(from, to)| Op::Move(from, to)),
        2 => (path(), path()).prop_map(|(from, to)| Op::Copy(from, to)),
        2 => path().prop_map(Op::Delete),
        5 => (0..3_usize).prop_map(Op::Undo),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let errno = prop_oneof![Just(Errno::IO), Just(Errno::NOSPC)];
    prop_oneof![
        6 => Just(Event::Nothing),
        2 => (0..MOST_CALLS, errno).prop_map(|(calls, errno)| Event::Fails(calls, errno)),
        1 => (0..MOST_CALLS).prop_map(Event::Killed),
        2 => (0..FEW_CALLS).prop_map(|calls| Event::Saved(calls, Saved::Same)),
        1 => (0..MOST_CALLS, path()).prop_map(|(calls, path)| Event::Saved(calls, Saved::Other(path))),
    ]
}

fn other() -> impl Strategy<Value = Other> {
    let mode = proptest::sample::select(&MODES[..]);
    let target = proptest::sample::select(&TARGETS[..]);
    prop_oneof![
        3 => path().prop_map(Other::Save),
        1 => path().prop_map(Other::Scribble),
        2 => (path(), mode).prop_map(|(path, mode)| Other::Chmod(path, mode)),
        2 => (path(), any::<u8>()).prop_map(|(path, value)| Other::Label(path, value)),
        2 => (path(), path()).prop_map(|(from, to)| Other::HardLink(from, to)),
        3 => (path(), target).prop_map(|(path, target)| Other::SymLink(path, target)),
        1 => path().prop_map(Other::Remove),
    ]
}

impl Plan {
    /// Returns the plan with the same calls but no events in the middle of a call.
    pub(super) fn undisturbed(self) -> Self {
        let steps = self.steps.into_iter().map(|step| match step {
            Step::Call(op, _) => Step::Call(op, Event::Nothing),
            other @ Step::Other(_) => other,
        });
        Self { steps: steps.collect(), ..self }
    }
}

impl Op {
    /// The path that the call is for.
    pub(super) fn path(&self) -> Option<&'static str> {
        match self {
            Self::Write(path, _)
            | Self::Edit(path)
            | Self::EditBoth(path, _)
            | Self::Mkdir(path)
            | Self::Move(path, _)
            | Self::Copy(path, _)
            | Self::Delete(path) => Some(path),
            Self::Undo(_) => None,
        }
    }

    /// Returns the call. `number` makes each content unique, `content` is the current content of a
    /// file, and undoing needs the id of its change.
    pub(super) fn call(
        &self,
        number: usize,
        content: impl Fn(&str) -> Option<String>,
        change: impl Fn(usize) -> Option<String>,
    ) -> (&'static str, Value) {
        let edit = |path: &str| {
            let find =
                content(path).and_then(|text| first_word(&text)).unwrap_or_else(|| "nothing;".to_owned());
            json!({ "path": path, "find": find, "replace": word(number) })
        };
        match self {
            Self::Write(path, mode) => {
                let mode = match mode {
                    WriteMode::Overwrite => "overwrite",
                    WriteMode::Append => "append",
                    WriteMode::Create => "create",
                };
                ("write_file", json!({ "path": path, "content": word(number), "mode": mode }))
            }
            Self::Edit(path) => ("edit_file", json!({ "edits": [edit(path)] })),
            Self::EditBoth(one, other) => ("edit_file", json!({ "edits": [edit(one), edit(other)] })),
            Self::Mkdir(path) => ("create_directory", json!({ "path": path })),
            Self::Move(from, to) => ("move_file", json!({ "from": from, "to": to })),
            Self::Copy(from, to) => ("copy_file", json!({ "from": from, "to": to })),
            Self::Delete(path) => ("delete_file", json!({ "path": path, "recursive": true })),
            Self::Undo(back) => {
                let change = change(*back).unwrap_or_else(|| "c-0000000000000-000000".to_owned());
                ("revert_change", json!({ "change": change }))
            }
        }
    }
}

/// The text that the n-th step writes.
pub(super) fn word(number: usize) -> String {
    format!("w{number};")
}

/// The text that an edit replaces.
pub(super) fn first_word(text: &str) -> Option<String> {
    text.split_inclusive(';').next().filter(|word| word.ends_with(';')).map(str::to_owned)
}
