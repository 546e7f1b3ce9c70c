//! Errors of `overt undo`.
use jiff::Zoned;
use overt_servers::files::UndoError;

use crate::error::{ErrorKind, Explain};

/// The reason why nothing was undone, or not everything.
#[derive(Debug, thiserror::Error)]
pub enum UndoProblem {
    #[error("there is nothing to undo")]
    NothingLeft,
    #[error("no change has the id `{0}`")]
    NoChange(String),
    #[error("several changes have the id `{0}`")]
    Several(String, Vec<String>),
    #[error("no change of `{0}` can be undone")]
    NoChangeOf(String),
    #[error("no change was made in the session `{0}`")]
    NoSession(String),
    #[error("several sessions begin with `{0}`")]
    SeveralSessions(String, Vec<String>),
    #[error("nothing was undone: without a terminal you can't be asked")]
    NobodyToAsk,
    /// One change can't be undone, but `rest` can. `files` is how many files that change touched.
    #[error("{}", in_words(.error))]
    Refused { error: UndoError, rest: Vec<String>, files: usize },
    #[error("{done} of {all} changes were undone; then: {}", in_words(.error))]
    Halfway { done: usize, all: usize, error: UndoError },
}

impl Explain for UndoProblem {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NothingLeft | Self::Refused { .. } | Self::Halfway { .. } => ErrorKind::Findings,
            _ => ErrorKind::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NothingLeft | Self::NoChange(_) | Self::NoChangeOf(_) => {
                Some("`overt undo --list` shows the changes that can be taken back".to_owned())
            }
            Self::NoSession(_) => {
                Some("`overt undo --list` and `overt log --format json` show the ids of sessions".to_owned())
            }
            Self::SeveralSessions(_, ids) => Some(format!("write more of the id: {}", ids.join(", "))),
            Self::Several(_, ids) => Some(format!("write the whole id: {}", ids.join(", "))),
            Self::NobodyToAsk => Some("`--yes` undoes without asking".to_owned()),
            Self::Refused { error: UndoError::Changed { by: Some(later), .. }, .. } => {
                Some(format!("`overt undo {}` takes back the later change first", short(later)))
            }
            Self::Refused { rest, .. } if !rest.is_empty() => {
                let rest: Vec<String> = rest.iter().map(|id| short(id)).collect();
                Some(format!("`overt undo {}` undoes the rest", rest.join(" ")))
            }
            Self::Refused { error: UndoError::Refused { next, .. }, .. } => Some(next.clone()),
            Self::Refused { error: UndoError::Changed { change, .. }, files, .. } => {
                let whole = match files {
                    0 | 1 => "",
                    _ => "a change is undone as a whole, also with `--only`; ",
                };
                Some(format!("{whole}`overt log {}` shows the diff, to take it back by hand", short(change)))
            }
            Self::Refused { .. } | Self::Halfway { .. } => None,
        }
    }
}

/// Explains to a person why a change can't be undone.
pub fn in_words(error: &UndoError) -> String {
    match error {
        UndoError::Changed { path, by: Some(later), .. } => {
            format!("`{path}` was changed again by {}. Nothing was undone", short(later))
        }
        UndoError::Changed { path, at, by: None, .. } => {
            let at = at.and_then(|at| jiff::Timestamp::try_from(at).ok()).map(|at| {
                let at = at.to_zoned(jiff::tz::TimeZone::system());
                let is_today = at.date() == Zoned::now().date();
                at.strftime(if is_today { " at %H:%M" } else { " on %Y-%m-%d at %H:%M" }).to_string()
            });
            format!("`{path}` was changed by somebody else{}. Nothing was undone", at.unwrap_or_default())
        }
        other => other.to_string(),
    }
}

fn short(id: &str) -> String {
    id.rsplit_once('-').map_or_else(|| id.to_owned(), |(_, last)| format!("c-{last}"))
}
