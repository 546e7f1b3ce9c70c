//! Which actions `overt log` and other commands select.
use std::path::Path;

use jiff::Zoned;
use overt_state::audit::{Action, End, RecordKey, RecordQuery};
use overt_wire::json::quote;

use super::when;
use crate::args::{Ending, WhichActionsArgs};
use crate::error::{CommandError, user_error};

/// A condition that selected actions meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The client's name contains this, in lower case.
    Client(String),
    /// In the project with this folder.
    ProjectFolder(String),
    /// In a project whose folder has this name.
    ProjectName(String),
    Server(String),
    Target(String),
    Refused,
    Ended(Ending),
    /// It changed this path, or a path below it.
    Changed(String),
    /// The session's id begins with this text.
    Session(String),
}

/// The error for a time that can't be read.
pub(super) fn no_time(text: &str) -> CommandError {
    user_error(format!("`{text}` is not a time")).hinted(
        "write `today`, `yesterday`, `monday`, `14:00`, `2026-11-15`, `2026-11-15T12:00:00Z`, or how long ago, such as `90m`, `12h` or `7d`",
    )
}

/// Returns the query for the records to read, and the conditions for the actions made of them.
pub(crate) fn which(args: &WhichActionsArgs) -> Result<(RecordQuery, Vec<Condition>), CommandError> {
    let now = Zoned::now();
    let time = |text: &Option<String>| {
        let moment = text.as_deref().map(|text| when::parse(text, &now).ok_or_else(|| no_time(text)));
        moment.transpose()
    };
    let mut conditions = Vec::new();
    conditions.extend(args.client.as_ref().map(|name| Condition::Client(name.to_lowercase())));
    conditions.extend(args.project.as_ref().map(|project| in_project(project)));
    conditions.extend(args.server.clone().map(Condition::Server));
    conditions.extend(args.tool.clone().map(Condition::Target));
    conditions.extend(args.denied.then_some(Condition::Refused));
    conditions.extend(args.changed.as_deref().map(|path| Condition::Changed(recorded_path(path))));
    conditions.extend(args.session.clone().map(Condition::Session));
    let texts = conditions.iter().filter_map(Condition::text_in_record).collect();
    let client = args.client.as_ref().map(|name| name.to_lowercase());
    let keys = conditions.iter().filter_map(Condition::key_of_record).collect();
    Ok((
        RecordQuery { since: time(&args.since)?, until: time(&args.until)?, texts, client, keys },
        conditions,
    ))
}

/// A folder that exists, or the name of a project's folder.
fn in_project(text: &str) -> Condition {
    let is_name = !text.contains('/') && text != "." && text != "..";
    match Path::new(text).canonicalize() {
        Ok(folder) if !is_name => Condition::ProjectFolder(folder.to_string_lossy().into_owned()),
        _ if is_name => Condition::ProjectName(text.to_owned()),
        _ => Condition::ProjectFolder(text.trim_end_matches('/').to_owned()),
    }
}

/// The path as records have it: absolute, and without symbolic links if it exists.
pub(super) fn recorded_path(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // A deleted file no longer exists, but its folder may.
    let real = absolute.canonicalize().ok().or_else(|| {
        let (parent, name) = (absolute.parent()?, absolute.file_name()?);
        Some(parent.canonicalize().ok()?.join(name))
    });
    let text = real.unwrap_or(absolute).to_string_lossy().into_owned();
    text.trim_end_matches('/').to_owned()
}

fn ending_of(end: &End) -> Ending {
    match end {
        End::Done => Ending::Done,
        End::Refused(_) => Ending::Refused,
        End::Failed(word) if word.starts_with("cancelled") => Ending::Cancelled,
        End::Failed(_) | End::FailedBefore(_) => Ending::Failed,
        End::Open => Ending::Open,
    }
}

impl Condition {
    /// A text that every record of a matching action contains.
    fn text_in_record(&self) -> Option<String> {
        let inner = |text: &str| {
            let quoted = quote(text);
            quoted[1..quoted.len() - 1].to_owned()
        };
        match self {
            Self::Client(_) | Self::Ended(_) => None,
            Self::ProjectName(name) => Some(format!("/{}\"", inner(name))),
            Self::ProjectFolder(folder) => Some(format!("\"project\":{}", quote(folder))),
            Self::Server(name) => Some(format!("\"server\":{}", quote(name))),
            Self::Target(name) => Some(format!("\"target\":{}", quote(name))),
            Self::Refused => Some("\"decision\":\"deny\"".to_owned()),
            Self::Changed(path) => Some(inner(path)),
            Self::Session(id) => Some(format!("\"session\":\"hmac-sha256:{}", inner(id))),
        }
    }

    /// The key by which the index finds every record of a matching action; `None` for other
    /// conditions.
    fn key_of_record(&self) -> Option<RecordKey> {
        match self {
            Self::Changed(path) => Some(RecordKey::Path(path.clone())),
            Self::Client(_)
            | Self::ProjectFolder(_)
            | Self::ProjectName(_)
            | Self::Server(_)
            | Self::Target(_)
            | Self::Refused
            | Self::Ended(_)
            | Self::Session(_) => None,
        }
    }

    pub(crate) fn takes(&self, action: &Action) -> bool {
        let is_within = |path: &str, folder: &str| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self {
            Self::Client(name) => action.client.to_lowercase().contains(name),
            Self::ProjectFolder(folder) => action.project.as_deref() == Some(folder),
            Self::ProjectName(name) => {
                action.project.as_deref().is_some_and(|project| project.rsplit('/').next() == Some(name))
            }
            Self::Server(name) => action.server == *name,
            Self::Target(name) => action.target == *name,
            Self::Refused => matches!(action.end, End::Refused(_)),
            Self::Ended(ending) => ending_of(&action.end) == *ending,
            Self::Changed(path) => {
                let written =
                    action.needed.iter().filter_map(|scope| scope.strip_prefix("write:")?.split_once(':'));
                action.end.was_made()
                    && !action.is_preview
                    && written.into_iter().any(|(_, touched)| is_within(touched, path))
            }
            Self::Session(id) => action.session.as_ref().is_some_and(|session| session.starts_with(id)),
        }
    }
}
