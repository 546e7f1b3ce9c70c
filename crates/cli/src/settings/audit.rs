//! Which logs and records `overt audit` reads.
use std::path::{Path, PathBuf};

use jiff::Zoned;
use overt_layers::audit::Kind;
use overt_policy::word::StringEnum as _;
use overt_state::audit::{Filter, KnownLogs, PublicKey, RemovedLog, Source};

use super::{Env, StateDir, when};
use crate::args::{ExportArgs, FilterArgs, LogArgs, QueryArgs, VerifyArgs};
use crate::failure::{Complaint, Failure};

/// The request cannot be fulfilled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditArgsError {
    #[error("there is no audit log in `{}`", .0.display())]
    NoLog(PathBuf),
    #[error("`--anchor` is about one log, and there are several: {}", .0.join(", "))]
    AnchorOfWhich(Vec<String>),
    #[error("`{0} {1}` does not say in which log of {list}", list = .2.join(", "))]
    PlaceInWhich(&'static str, u64, Vec<String>),
    #[error("`{0}` is not a place in a log")]
    Place(String),
    #[error("`{0}` is not a decision")]
    Decision(String),
    #[error("there is no audit log of `{0}`")]
    Unknown(String, Vec<String>),
    #[error("`{0}` is not a time")]
    Time(String),
    #[error("`{0}` is not a kind of record")]
    Kind(String),
    #[error("`--key` is not a public key of a log")]
    Key,
}

impl Complaint for AuditArgsError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoLog(_) => "`overt run` writes one; `--dir DIR` names another folder".to_owned(),
            Self::AnchorOfWhich(_) => "name the server".to_owned(),
            Self::PlaceInWhich(option, seq, _) => format!("name the server, or write `{option} NAME={seq}`"),
            Self::Place(_) => "write the number of a record, or `NAME=NUMBER` for each log".to_owned(),
            Self::Decision(_) => "write `allow`, `deny` or `needs_approval`".to_owned(),
            Self::Unknown(_, names) if names.is_empty() => "`overt run` writes one".to_owned(),
            Self::Unknown(_, names) => format!("there are logs of {}", names.join(", ")),
            Self::Time(_) => {
                "write `today`, `yesterday`, `2026-11-15`, `2026-11-15T12:00:00Z`, or how long ago, such as `90m`, `12h` or `7d`"
                    .to_owned()
            }
            Self::Kind(_) => format!("write {}", Kind::choices()),
            Self::Key => "it begins with `ed25519:`; `overt audit key` prints it".to_owned(),
        })
    }
}

/// The logs that `overt audit verify` checks, and the known logs that were removed.
pub(crate) fn verified_logs(args: &VerifyArgs, env: &Env) -> Result<(Vec<Source>, Vec<RemovedLog>), Failure> {
    let removed = removed_logs(&args.log, env)?;
    match sources(&args.log, env) {
        Ok(logs) if logs.len() + removed.len() > 1 && !args.anchor.is_empty() => {
            let mut names = names_of(&logs);
            names.extend(removed.into_iter().map(|log| log.name));
            Err(AuditArgsError::AnchorOfWhich(names).into())
        }
        Err(_) if !removed.is_empty() => Ok((Vec::new(), removed)),
        logs => Ok((logs?, removed)),
    }
}

/// The selected logs that were removed.
fn removed_logs(args: &LogArgs, env: &Env) -> Result<Vec<RemovedLog>, Failure> {
    let (None, Ok(state)) = (&args.dir, StateDir::resolve(env)) else { return Ok(Vec::new()) };
    let mut removed = KnownLogs::of(state.path()).removed_from(&logs_folder(env)?);
    removed.retain(|log| args.server.as_ref().is_none_or(|server| log.name == *server));
    Ok(removed)
}

/// The key that must have signed the checkpoints; `None` if the command line names none.
pub(crate) fn named_key(args: &VerifyArgs) -> Result<Option<PublicKey>, AuditArgsError> {
    args.key.as_deref().map(|text| PublicKey::parse(text).ok_or(AuditArgsError::Key)).transpose()
}

/// The logs that `overt audit query` reads, and the filter for the records that it shows.
pub(crate) fn queried(args: &QueryArgs, env: &Env) -> Result<(Vec<Source>, Filter), Failure> {
    let mut logs = after(sources(&args.log, env)?, &args.filter.after)?;
    before(&mut logs, &args.before)?;
    if args.no_index {
        logs.iter_mut().for_each(|log| log.index = None);
    }
    let without_own = !args.all && args.filter.kind.is_none();
    Ok((logs, Filter { without_own, ..filter(&args.filter)? }))
}

/// The logs that `overt audit export` reads, and the filter for the records that it prints.
pub(crate) fn exported(args: &ExportArgs, env: &Env) -> Result<(Vec<Source>, Filter), Failure> {
    Ok((after(sources(&args.log, env)?, &args.filter.after)?, filter(&args.filter)?))
}

fn index_of(dir: &Path) -> PathBuf {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    dir.with_file_name(format!("{name}.sqlite"))
}

/// The selected logs: that of the named server, or all.
fn sources(args: &LogArgs, env: &Env) -> Result<Vec<Source>, Failure> {
    let source = |name: &str, dir: PathBuf, index| Source {
        name: name.to_owned(),
        dir,
        index,
        after: 0,
        before: None,
    };
    if let Some(dir) = &args.dir {
        // A log elsewhere is only read: Overt creates no index beside it.
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        let log = source(&name, dir.clone(), None);
        return if dir.is_dir() { Ok(vec![log]) } else { Err(AuditArgsError::NoLog(dir.clone()).into()) };
    }
    let all = logs_folder(env)?;
    let mut names = logs(&all);
    if let Some(server) = &args.server {
        if !names.contains(server) {
            return Err(AuditArgsError::Unknown(server.clone(), names).into());
        }
        names = vec![server.clone()];
    }
    if names.is_empty() {
        return Err(AuditArgsError::NoLog(all).into());
    }
    let of = |name: &String| {
        let dir = all.join(name);
        let index = index_of(&dir);
        source(name, dir, Some(index))
    };
    Ok(names.iter().map(of).collect())
}

/// The folder that contains all logs.
pub(crate) fn logs_folder(env: &Env) -> Result<PathBuf, Failure> {
    Ok(match env.variable(OVERT_AUDIT_DIR).filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => StateDir::resolve(env)?.path().join("audit"),
    })
}

/// Every log in a folder, to read without an index.
pub(crate) fn logs_in(folder: &Path) -> Vec<Source> {
    let of = |name: String| Source { dir: folder.join(&name), name, index: None, after: 0, before: None };
    logs(folder).into_iter().map(of).collect()
}

/// The variable that names the folder of all logs, like `overt run --audit-dir`.
const OVERT_AUDIT_DIR: &str = "OVERT_AUDIT_DIR";

fn names_of(logs: &[Source]) -> Vec<String> {
    logs.iter().map(|log| log.name.clone()).collect()
}

/// Sets the record after which each log is read, from the end of the previous page.
fn after(mut logs: Vec<Source>, places: &[String]) -> Result<Vec<Source>, AuditArgsError> {
    for place in places {
        let (log, number) = find_place(&mut logs, place, "--after")?;
        log.after = number;
    }
    Ok(logs)
}

/// Sets the record before which each log is read, from the start of the previous page.
fn before(logs: &mut [Source], places: &[String]) -> Result<(), AuditArgsError> {
    for place in places {
        let (log, number) = find_place(logs, place, "--before")?;
        log.before = Some(number);
    }
    Ok(())
}

/// Reads a place in a log: a number if there is one log, or `NAME=NUMBER`.
fn find_place<'a>(
    logs: &'a mut [Source],
    place: &str,
    option: &'static str,
) -> Result<(&'a mut Source, u64), AuditArgsError> {
    let (name, number) = place.rsplit_once('=').map_or((None, place), |(name, number)| (Some(name), number));
    let number: u64 = number.parse().map_err(|_| AuditArgsError::Place(place.to_owned()))?;
    let names = names_of(logs);
    let log = match name {
        Some(name) => logs.iter_mut().find(|log| log.name == name),
        None if logs.len() > 1 => return Err(AuditArgsError::PlaceInWhich(option, number, names)),
        None => logs.first_mut(),
    };
    let log = log.ok_or_else(|| AuditArgsError::Unknown(name.unwrap_or_default().to_owned(), names))?;
    Ok((log, number))
}

/// The decisions that a record may contain.
const DECISIONS: [&str; 3] = ["allow", "deny", "needs_approval"];

fn logs(all: &Path) -> Vec<String> {
    let folders = std::fs::read_dir(all).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> =
        folders.filter_map(|entry| entry.file_name().into_string().ok()).take(MOST_LOGS).collect();
    names.sort_unstable();
    names
}

/// Maximum number of logs read.
const MOST_LOGS: usize = 1000;

fn filter(args: &FilterArgs) -> Result<Filter, AuditArgsError> {
    let now = Zoned::now();
    let time = |text: &Option<String>| {
        let wrong = |text: &str| AuditArgsError::Time(text.to_owned());
        text.as_deref().map(|text| when::parse(text, &now).ok_or_else(|| wrong(text))).transpose()
    };
    if let Some(kind) = args.kind.as_ref().filter(|kind| Kind::parse(kind).is_none()) {
        return Err(AuditArgsError::Kind(kind.clone()));
    }
    if let Some(decision) = args.decision.as_ref().filter(|word| !DECISIONS.contains(&word.as_str())) {
        return Err(AuditArgsError::Decision(decision.clone()));
    }
    Ok(Filter {
        since: time(&args.since)?,
        until: time(&args.until)?,
        after: 0,
        before: None,
        without_own: false,
        kind: args.kind.clone(),
        call: args.call.clone(),
        principal: args.principal.clone(),
        server: None,
        target: args.tool.clone(),
        path: args.path.clone(),
        decision: args.decision.clone(),
        rule: args.rule.clone(),
        grant: args.grant.clone(),
    })
}
