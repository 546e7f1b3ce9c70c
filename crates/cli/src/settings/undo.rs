//! The settings of `overt undo`.
use std::path::{Path, PathBuf};

use jiff::Zoned;
use overt_operator::undo::{ChangeRef, Selection};

use super::activity::{no_time, recorded_path};
use super::audit::logs_folder;
use super::{ControlPlan, Env, StateDir, when};
use crate::args::UndoArgs;
use crate::error::{CommandError, user_error};

#[derive(Debug)]
pub(crate) struct UndoSettings {
    /// The folder in which file servers keep their journal.
    pub(crate) files: PathBuf,
    /// The folder that contains all logs, in which sessions are recorded.
    pub(crate) logs: PathBuf,
    pub(crate) selection: Selection,
    /// Only changes of these paths; if empty, every change.
    pub(crate) only: Vec<String>,
    pub(crate) task: UndoTask,
    /// How undone changes are recorded.
    pub(crate) audit: ControlPlan,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndoTask {
    List,
    /// Show what would change.
    Show,
    /// Show what will change, and ask the person.
    Ask,
    /// Undo without asking.
    Undo,
    /// Only show what would change, because no person can be asked.
    NobodyToAsk,
}

/// Number of changes listed by default.
const LISTED: usize = 20;

impl UndoSettings {
    pub(crate) fn resolve(args: UndoArgs, env: &Env) -> Result<Self, CommandError> {
        let task = match (args.list, args.dry_run, args.yes) {
            (true, _, _) => UndoTask::List,
            (_, true, _) => UndoTask::Show,
            (_, _, true) => UndoTask::Undo,
            _ if env.can_ask() => UndoTask::Ask,
            _ => UndoTask::NobodyToAsk,
        };
        let default = if task == UndoTask::List { LISTED } else { 1 };
        let selection = match (args.session, args.since, args.what.is_empty()) {
            (Some(session), _, _) if session == "last" => Selection::LastSession,
            (Some(session), _, _) => Selection::Session(session),
            (_, Some(since), _) => {
                let moment = when::parse(&since, &Zoned::now()).ok_or_else(|| no_time(&since))?;
                Selection::Since(moment)
            }
            (_, _, false) => {
                Selection::ChangeRef(args.what.iter().map(|word| named(word)).collect::<Result<_, _>>()?)
            }
            (_, _, true) => Selection::Last(args.count.map_or(default, |count| count as usize)),
        };
        Ok(Self {
            files: StateDir::resolve(env)?.path().join("files"),
            logs: logs_folder(env)?,
            selection,
            only: args.only.iter().map(|path| recorded_path(path)).collect(),
            task,
            audit: ControlPlan::of_undo(env)?,
        })
    }
}

/// Reads a word as an id if it looks like one, even with a wrong letter, unless a file of that name
/// exists.
fn named(word: &str) -> Result<ChangeRef, CommandError> {
    let is_call = word
        .strip_prefix("a-")
        .and_then(|rest| rest.rsplit_once('.'))
        .is_some_and(|(session, number)| !session.contains('/') && number.parse::<u64>().is_ok());
    if is_call && !Path::new(word).exists() {
        return Err(user_error(format!("`{word}` is an action that changed no file through `overt fs`"))
            .hinted(format!(
                "`overt log {word}` shows the action; `overt undo --list` shows what can be undone"
            )));
    }
    let is_id = word.strip_prefix("c-").is_some_and(|rest| {
        let mut parts = rest.split('-');
        parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    });
    Ok(match is_id && !Path::new(word).exists() {
        true => ChangeRef::Id(word.to_owned()),
        false => ChangeRef::Path(recorded_path(Path::new(word))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_paths_are_told_apart() {
        for id in ["c-3fa9c1", "c-1794757265123-3fa9c1", "c-zzzzzz"] {
            assert_eq!(named(id).unwrap(), ChangeRef::Id(id.to_owned()));
        }
        for path in ["/tmp/c-3fa9c1", "c-", "c-x.txt", "app.ts", "a-b.ts", "src/a-b.1"] {
            assert!(matches!(named(path), Ok(ChangeRef::Path(_))), "{path}");
        }
        let error = named("a-TKZzW7.1").unwrap_err();
        assert_eq!(error.to_string(), "`a-TKZzW7.1` is an action that changed no file through `overt fs`");
    }
}
