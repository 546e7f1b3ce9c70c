//! Everything about one action: its records, and the diff if the journal still has it.
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use overt_servers::files::History;
use overt_state::audit::{Action, Actions, NewestRecords, Record, RecordKey, RecordQuery, Source, UnreadLog};
use overt_wire::json::quote;

use super::list::tell_unread;
use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};
use crate::output::{Detail, ShownDiff, detail_json, detail_text, short_call};

/// The longest time between two records of one call: a person may have been asked in between.
const APART: Duration = Duration::from_hours(2);
/// The most records of one call that are shown.
const MOST_RECORDS: usize = 100;

pub(super) fn one(
    logs: &[Source],
    files: &Path,
    id: &str,
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let (found, unread) = find(logs, files, id);
    tell_unread(&unread, &context.printer);
    let detail = found?;
    match context.output.format {
        Format::Json => context.printer.json(detail_json(&detail).as_json())?,
        Format::Text => context.printer.text(&detail_text(&detail))?,
    }
    Ok(Exit::Ok)
}

/// Returns the action of this call or change with all its records, and the logs that could not be
/// read completely.
pub(in crate::commands) fn find(
    logs: &[Source],
    files: &Path,
    id: &str,
) -> (Result<Detail, CommandError>, Vec<UnreadLog>) {
    let mut actions = Actions::new(NewestRecords::open(logs, &wanted(id)));
    let is_meant = |action: &Action| {
        action.call == id
            || short_call(&action.call) == id
            || action.change.as_deref().is_some_and(|change| change == id || is_short_of(id, change))
    };
    let found = actions.find(is_meant);
    let unread = actions.unread();
    let Some(action) = found else { return (Err(no_action(id)), unread) };
    let records = records_of(logs, &action);
    let (diff, stays) = match &action.change {
        Some(change) => shown_change(files, change),
        None => (None, None),
    };
    (Ok(Detail { action, records, diff, stays }), unread)
}

fn no_action(id: &str) -> CommandError {
    user_error(format!("no recorded action is called `{id}`")).hinted(
        "`overt log` shows ids at the end of its lines, `overt log --format json` those of reads, too",
    )
}

/// Says whether `short` is the short form of `id`: `c-3fa9c1` is short for
/// `c-1794757265123-3fa9c1`.
fn is_short_of(short: &str, id: &str) -> bool {
    short.strip_prefix("c-").is_some_and(|last| !last.is_empty() && id.rsplit('-').next() == Some(last))
}

/// Returns the query for the records of the action. The full id of a change contains its time,
/// which narrows the query.
fn wanted(id: &str) -> RecordQuery {
    let text = |name: &str, value: &str| format!("\"{name}\":{}", quote(value));
    if let Some(end) = id.strip_prefix("a-") {
        // This is the end of the full id.
        return RecordQuery { texts: vec![quote(end)[1..].to_owned()], ..RecordQuery::default() };
    }
    let Some(rest) = id.strip_prefix("c-") else {
        return RecordQuery {
            texts: vec![text("call", id)],
            keys: vec![RecordKey::Call(id.to_owned())],
            ..RecordQuery::default()
        };
    };
    let keys = vec![RecordKey::Change(id.to_owned())];
    let millis = rest.split_once('-').and_then(|(millis, _)| millis.parse().ok());
    match millis.and_then(|millis| UNIX_EPOCH.checked_add(Duration::from_millis(millis))) {
        Some(at) => {
            let since = at.checked_sub(APART);
            RecordQuery {
                since,
                until: at.checked_add(APART),
                texts: vec![text("change", id)],
                client: None,
                keys,
            }
        }
        None => {
            let end = format!("-{}", &quote(rest)[1..]);
            RecordQuery { texts: vec!["\"change\":\"c-".to_owned(), end], keys, ..RecordQuery::default() }
        }
    }
}

/// Returns all records of the call, in the order in which they were written.
fn records_of(logs: &[Source], action: &Action) -> Vec<Record> {
    let log: Vec<Source> = logs.iter().filter(|log| log.name == action.log).cloned().collect();
    let ended: Option<SystemTime> = action.ts.parse::<jiff::Timestamp>().ok().map(SystemTime::from);
    let wanted = RecordQuery {
        since: ended.and_then(|ended| ended.checked_sub(APART)),
        // The end of a query is exclusive, and the record at this moment is wanted.
        until: ended.and_then(|ended| ended.checked_add(Duration::from_secs(1))),
        texts: vec![format!("\"call\":{}", quote(&action.call))],
        client: None,
        keys: vec![RecordKey::Call(action.call.clone())],
    };
    let mut newest = NewestRecords::open(&log, &wanted);
    let mut records = Vec::new();
    while records.len() < MOST_RECORDS
        && let Some((_, record)) = newest.next()
    {
        records.push(record);
    }
    records.sort_by_key(|record| record.seq);
    records
}

/// Returns the diff of the change, if the journal has it, and the reason why it can't be undone, if
/// there is one.
fn shown_change(files: &Path, change: &str) -> (Option<ShownDiff>, Option<String>) {
    let gone = || Some("the journal no longer has it".to_owned());
    let Ok(Some(history)) = History::open(files) else { return (None, gone()) };
    let Some(past) = history.changes().find(|past| past.id == change) else { return (None, gone()) };
    let diff = history.diff_of(change).map(ShownDiff::OfChange);
    let diff = diff.or_else(|| history.diff_to_now(change).map(ShownDiff::ToNow));
    if past.is_undone {
        return (diff, Some("it was undone".to_owned()));
    }
    let stays = history.plan(std::slice::from_ref(&past.id)).err().map(|error| error.to_string());
    (diff, stays)
}
