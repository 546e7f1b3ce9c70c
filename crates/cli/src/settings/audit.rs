//! Which logs and records `overt audit` reads.
use std::path::{Path, PathBuf};

use jiff::Zoned;
use overt_layers::audit::Kind;
use overt_policy::word::StringEnum as _;
use overt_state::audit::{Filter, KnownLogs, PublicKey, RemovedLog, Source};

use super::{Env, StateDir, when};
use crate::args::{ExportArgs, FilterArgs, LogArgs, QueryArgs, VerifyArgs};
use crate::error::{CommandError, user_error};

/// The logs that `overt audit verify` checks, and the known logs that were removed.
pub(crate) fn verified_logs(
    args: &VerifyArgs,
    env: &Env,
) -> Result<(Vec<Source>, Vec<RemovedLog>), CommandError> {
    let removed = removed_logs(&args.log, env)?;
    match sources(&args.log, env) {
        Ok(logs) if logs.len() + removed.len() > 1 && !args.anchor.is_empty() => {
            let mut names = names_of(&logs);
            names.extend(removed.into_iter().map(|log| log.name));
            Err(user_error(format!(
                "`--anchor` is about one log, and there are several: {}",
                names.join(", ")
            ))
            .hinted("name the server"))
        }
        Err(_) if !removed.is_empty() => Ok((Vec::new(), removed)),
        logs => Ok((logs?, removed)),
    }
}

/// The selected logs that were removed.
fn removed_logs(args: &LogArgs, env: &Env) -> Result<Vec<RemovedLog>, CommandError> {
    let (None, Ok(state)) = (&args.dir, StateDir::resolve(env)) else { return Ok(Vec::new()) };
    let mut removed = KnownLogs::of(state.path()).removed_from(&logs_folder(env)?);
    removed.retain(|log| args.server.as_ref().is_none_or(|server| log.name == *server));
    Ok(removed)
}

/// The key that must have signed the checkpoints; `None` if the command line names none.
pub(crate) fn named_key(args: &VerifyArgs) -> Result<Option<PublicKey>, CommandError> {
    args.key.as_deref().map(|text| PublicKey::parse(text).ok_or_else(no_key)).transpose()
}

/// The logs that `overt audit query` reads, and the filter for the records that it shows.
pub(crate) fn queried(args: &QueryArgs, env: &Env) -> Result<(Vec<Source>, Filter), CommandError> {
    let mut logs = after(sources(&args.log, env)?, &args.filter.after)?;
    before(&mut logs, &args.before)?;
    let without_own = !args.all && args.filter.kind.is_none();
    Ok((logs, Filter { without_own, ..filter(&args.filter)? }))
}

/// The logs that `overt audit export` reads, and the filter for the records that it prints.
pub(crate) fn exported(args: &ExportArgs, env: &Env) -> Result<(Vec<Source>, Filter), CommandError> {
    Ok((after(sources(&args.log, env)?, &args.filter.after)?, filter(&args.filter)?))
}

/// The selected logs: that of the named server, or all.
fn sources(args: &LogArgs, env: &Env) -> Result<Vec<Source>, CommandError> {
    if let Some(dir) = &args.dir {
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        let log = source(name.into_owned(), dir.clone());
        return if dir.is_dir() { Ok(vec![log]) } else { Err(no_log(dir)) };
    }
    let all = logs_folder(env)?;
    let mut names = logs(&all);
    if let Some(server) = &args.server {
        if !names.contains(server) {
            return Err(unknown_log(server, &names));
        }
        names = vec![server.clone()];
    }
    if names.is_empty() {
        return Err(no_log(&all));
    }
    Ok(names.into_iter().map(|name| source(name.clone(), all.join(name))).collect())
}

fn source(name: String, dir: PathBuf) -> Source {
    Source { name, dir, after: 0, before: None }
}

fn no_log(dir: &Path) -> CommandError {
    user_error(format!("there is no audit log in `{}`", dir.display()))
        .hinted("`overt run` writes one; `--dir DIR` names another folder")
}

fn no_key() -> CommandError {
    user_error("`--key` is not a public key of a log")
        .hinted("it begins with `ed25519:`; `overt audit key` prints it")
}

fn unknown_log(name: &str, names: &[String]) -> CommandError {
    user_error(format!("there is no audit log of `{name}`")).hinted(match names {
        [] => "`overt run` writes one".to_owned(),
        names => format!("there are logs of {}", names.join(", ")),
    })
}

/// The folder that contains all logs.
pub(crate) fn logs_folder(env: &Env) -> Result<PathBuf, CommandError> {
    Ok(match env.variable(OVERT_AUDIT_DIR).filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => StateDir::resolve(env)?.path().join("audit"),
    })
}

/// Every log in a folder.
pub(crate) fn logs_in(folder: &Path) -> Vec<Source> {
    logs(folder).into_iter().map(|name| source(name.clone(), folder.join(name))).collect()
}

/// The variable that names the folder of all logs, like `overt run --audit-dir`.
const OVERT_AUDIT_DIR: &str = "OVERT_AUDIT_DIR";

fn names_of(logs: &[Source]) -> Vec<String> {
    logs.iter().map(|log| log.name.clone()).collect()
}

/// Sets the record after which each log is read, from the end of the previous page.
fn after(mut logs: Vec<Source>, places: &[String]) -> Result<Vec<Source>, CommandError> {
    for place in places {
        let (log, number) = find_place(&mut logs, place, "--after")?;
        log.after = number;
    }
    Ok(logs)
}

/// Sets the record before which each log is read, from the start of the previous page.
fn before(logs: &mut [Source], places: &[String]) -> Result<(), CommandError> {
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
) -> Result<(&'a mut Source, u64), CommandError> {
    let (name, number) = place.rsplit_once('=').map_or((None, place), |(name, number)| (Some(name), number));
    let number: u64 = number.parse().map_err(|_| {
        user_error(format!("`{place}` is not a place in a log"))
            .hinted("write the number of a record, or `NAME=NUMBER` for each log")
    })?;
    let names = names_of(logs);
    let log = match name {
        Some(name) => logs.iter_mut().find(|log| log.name == name),
        None if logs.len() > 1 => {
            let list = names.join(", ");
            return Err(user_error(format!("`{option} {number}` does not say in which log of {list}"))
                .hinted(format!("name the server, or write `{option} NAME={number}`")));
        }
        None => logs.first_mut(),
    };
    let log = log.ok_or_else(|| unknown_log(name.unwrap_or_default(), &names))?;
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

fn filter(args: &FilterArgs) -> Result<Filter, CommandError> {
    let now = Zoned::now();
    let time = |text: &Option<String>| {
        let wrong = |text: &str| {
            user_error(format!("`{text}` is not a time")).hinted(
                "write `today`, `yesterday`, `2026-11-15`, `2026-11-15T12:00:00Z`, or how long ago, such as `90m`, `12h` or `7d`",
            )
        };
        text.as_deref().map(|text| when::parse(text, &now).ok_or_else(|| wrong(text))).transpose()
    };
    if let Some(kind) = args.kind.as_ref().filter(|kind| Kind::parse(kind).is_none()) {
        return Err(user_error(format!("`{kind}` is not a kind of record"))
            .hinted(format!("write {}", Kind::choices())));
    }
    if let Some(decision) = args.decision.as_ref().filter(|word| !DECISIONS.contains(&word.as_str())) {
        return Err(user_error(format!("`{decision}` is not a decision"))
            .hinted("write `allow`, `deny` or `needs_approval`"));
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
