//! What `overt audit` was told.
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use overt_layers::audit::Kind;
use overt_spec::word::Word as _;
use overt_state::audit::{Filter, PublicKey};
use overt_wire::stamp;

use super::{Env, StateDir, Talk};
use crate::args::{AuditArgs, AuditCommand, ExportForm, FilterArgs, LogArgs};
use crate::failure::{Complaint, Failure};

#[derive(Debug)]
pub(crate) enum AuditSettings {
    Verify(VerifySettings),
    Query(QuerySettings),
    Export(ExportSettings),
    /// Where the keys are.
    Key(PathBuf),
}

/// One log.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) name: String,
    pub(crate) dir: PathBuf,
    /// Beside a log of this machine; one that lies elsewhere is only read.
    pub(crate) index: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct VerifySettings {
    pub(crate) logs: Vec<Log>,
    pub(crate) anchors: Vec<PathBuf>,
    pub(crate) key: KeyChoice,
    pub(crate) talk: Talk,
}

/// Who must have signed checkpoints.
#[derive(Debug)]
pub(crate) enum KeyChoice {
    Given(PublicKey),
    /// The key of this machine, if it has one.
    Here(PathBuf),
    /// Nobody knows.
    None,
}

#[derive(Debug)]
pub(crate) struct QuerySettings {
    pub(crate) logs: Vec<Log>,
    pub(crate) filter: Filter,
    pub(crate) limit: usize,
    pub(crate) talk: Talk,
}

#[derive(Debug)]
pub(crate) struct ExportSettings {
    pub(crate) dir: PathBuf,
    pub(crate) filter: Filter,
    pub(crate) form: ExportForm,
}

/// What was asked for can't be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditArgsError {
    #[error("there is no audit log in `{}`", .0.display())]
    NoLog(PathBuf),
    #[error("there are several audit logs, and {what} is about one of them: {}", names.join(", "))]
    Several { what: &'static str, names: Vec<String> },
    #[error("there is no audit log of `{0}`")]
    Unknown(String, Vec<String>),
    #[error("`{0}` is no time")]
    Time(String),
    #[error("`{0}` is no kind of record")]
    Kind(String),
    #[error("`--key` is no public key of a log")]
    Key,
}

impl Complaint for AuditArgsError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoLog(_) => "`overt run` writes one; `--dir DIR` names another folder".to_owned(),
            Self::Several { .. } => "name the server".to_owned(),
            Self::Unknown(_, names) if names.is_empty() => "`overt run` writes one".to_owned(),
            Self::Unknown(_, names) => format!("there are logs of {}", names.join(", ")),
            Self::Time(_) => {
                "write `2026-11-15`, `2026-11-15T12:00:00Z`, or how long ago, such as `90m`".to_owned()
            }
            Self::Kind(_) => format!("write {}", Kind::choices()),
            Self::Key => "it begins with `ed25519:`; `overt audit key` prints it".to_owned(),
        })
    }
}

impl AuditSettings {
    pub(crate) fn resolve(args: &AuditArgs, env: &Env) -> Result<Self, Failure> {
        Ok(match &args.command {
            AuditCommand::Verify(args) => Self::Verify(VerifySettings {
                logs: match args.anchor.is_empty() {
                    true => logs(&args.log, env)?,
                    false => vec![one_log(&args.log, env, "`--anchor`")?],
                },
                anchors: args.anchor.clone(),
                key: KeyChoice::resolve(args.key.as_deref(), env)?,
                talk: Talk::resolve(&args.talk, env),
            }),
            AuditCommand::Query(args) => {
                let mut logs = match args.filter.after {
                    0 => logs(&args.log, env)?,
                    _ => vec![one_log(&args.log, env, "`--after`")?],
                };
                if args.no_index {
                    logs.iter_mut().for_each(|log| log.index = None);
                }
                Self::Query(QuerySettings {
                    logs,
                    filter: filter(&args.filter)?,
                    limit: args.limit as usize,
                    talk: Talk::resolve(&args.talk, env),
                })
            }
            AuditCommand::Export(args) => Self::Export(ExportSettings {
                dir: one_log(&args.log, env, "an export")?.dir,
                filter: filter(&args.filter)?,
                form: args.form,
            }),
            AuditCommand::Key(_) => Self::Key(StateDir::resolve(env)?.path().to_owned()),
        })
    }
}

/// The logs that are meant: the one that is named, else all of them.
fn logs(args: &LogArgs, env: &Env) -> Result<Vec<Log>, Failure> {
    if let Some(dir) = &args.dir {
        if !dir.is_dir() {
            return Err(AuditArgsError::NoLog(dir.clone()).into());
        }
        return Ok(vec![Log { name: dir.display().to_string(), dir: dir.clone(), index: None }]);
    }
    let all = StateDir::resolve(env)?.path().join("audit");
    let mut names = names(&all);
    if let Some(server) = &args.server {
        if !names.contains(server) {
            return Err(AuditArgsError::Unknown(server.clone(), names).into());
        }
        names.retain(|name| name == server);
    }
    if names.is_empty() {
        return Err(AuditArgsError::NoLog(all).into());
    }
    let log =
        |name: String| Log { dir: all.join(&name), index: Some(all.join(format!("{name}.sqlite"))), name };
    Ok(names.into_iter().map(log).collect())
}

/// The same for what can only be about one.
fn one_log(args: &LogArgs, env: &Env, what: &'static str) -> Result<Log, Failure> {
    let mut logs = logs(args, env)?;
    match (logs.pop(), logs.is_empty()) {
        (Some(log), true) => Ok(log),
        (last, _) => {
            let names = logs.into_iter().chain(last).map(|log| log.name).collect();
            Err(AuditArgsError::Several { what, names }.into())
        }
    }
}

fn names(all: &Path) -> Vec<String> {
    let folders = std::fs::read_dir(all).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> =
        folders.filter_map(|entry| entry.file_name().into_string().ok()).take(MOST_LOGS).collect();
    names.sort_unstable();
    names
}

/// Logs that are named, at most.
const MOST_LOGS: usize = 1000;

impl KeyChoice {
    fn resolve(text: Option<&str>, env: &Env) -> Result<Self, Failure> {
        match text {
            Some(text) => Ok(Self::Given(PublicKey::parse(text).ok_or(AuditArgsError::Key)?)),
            None => {
                Ok(StateDir::resolve(env).map_or(Self::None, |state| Self::Here(state.path().to_owned())))
            }
        }
    }
}

fn filter(args: &FilterArgs) -> Result<Filter, AuditArgsError> {
    let time = |text: &Option<String>| text.as_deref().map(time).transpose();
    if let Some(kind) = args.kind.as_ref().filter(|kind| Kind::parse(kind).is_none()) {
        return Err(AuditArgsError::Kind(kind.clone()));
    }
    Ok(Filter {
        since: time(&args.since)?,
        until: time(&args.until)?,
        after: args.after,
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

/// A moment, or how long ago one was.
fn time(text: &str) -> Result<SystemTime, AuditArgsError> {
    stamp::moment(text).or_else(|| ago(text)).ok_or_else(|| AuditArgsError::Time(text.to_owned()))
}

fn ago(text: &str) -> Option<SystemTime> {
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 24 * 3600,
        _ => return None,
    };
    let number: u64 = text[..text.len() - 1].parse().ok()?;
    SystemTime::now().checked_sub(Duration::from_secs(number.checked_mul(unit)?))
}
