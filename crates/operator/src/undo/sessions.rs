//! Session ids of changes, as `overt log` shows them. The journal has its own digest of a session,
//! so the audit log must say which session made a change.
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use overt_servers::files::PastChange;
use overt_state::audit::{Actions, NewestRecords, RecordQuery, Source};
use overt_wire::json::quote;

/// The longest time between a change and its audit record.
const LATE: Duration = Duration::from_mins(10);
/// The most changes that are looked up.
const MOST_CHANGES: usize = 100_000;

/// Returns the sessions whose ids begin with `id`, each with the ids of its changes.
pub(super) fn changes_of(logs: &[Source], id: &str) -> BTreeMap<String, BTreeSet<String>> {
    let quoted = quote(id);
    let begin = format!("\"session\":\"hmac-sha256:{}", &quoted[1..quoted.len() - 1]);
    let wanted = RecordQuery { texts: vec![begin, CHANGE.to_owned()], ..RecordQuery::default() };
    let mut sessions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (session, change) in changes(logs, &wanted).take(MOST_CHANGES) {
        if session.starts_with(id) {
            sessions.entry(session).or_default().insert(change);
        }
    }
    sessions
}

/// Gives each change the session id that `overt log` shows. A change that is not in the log keeps
/// the journal's session id.
pub fn name_sessions(logs: &[Source], past: &mut [PastChange]) {
    let (Some(first), Some(last)) =
        (past.iter().map(|change| change.at).min(), past.iter().map(|change| change.at).max())
    else {
        return;
    };
    let wanted = RecordQuery {
        since: first.checked_sub(LATE),
        until: last.checked_add(LATE).or(Some(SystemTime::now())),
        texts: vec![CHANGE.to_owned()],
        ..RecordQuery::default()
    };
    let mut missing: BTreeMap<String, &mut PastChange> =
        past.iter_mut().map(|change| (change.id.clone(), change)).collect();
    for (session, id) in changes(logs, &wanted) {
        if let Some(change) = missing.remove(&id) {
            change.session = Some(session);
        }
        if missing.is_empty() {
            return;
        }
    }
}

const CHANGE: &str = "\"change\":\"";

/// Returns session and change of each recorded action that has both, the newest first.
fn changes(logs: &[Source], wanted: &RecordQuery) -> impl Iterator<Item = (String, String)> {
    Actions::new(NewestRecords::open(logs, wanted))
        .filter_map(|action| Some((action.session?, action.change?)))
}
