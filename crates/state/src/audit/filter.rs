//! Conditions on records, and their order.
use std::time::SystemTime;

use overt_wire::rfc3339::format_micros;

use super::line::Record;

/// The conditions that a record must meet. A member that is not set imposes no condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Records from `since` on, and before `until`.
    pub since: Option<SystemTime>,
    pub until: Option<SystemTime>,
    /// Records with a number above `after`, and below `before`.
    pub after: u64,
    pub before: Option<u64>,
    /// Without the records that a log writes about itself: segments, checkpoints, starts, stops and
    /// recoveries.
    pub without_own: bool,
    pub kind: Option<String>,
    pub call: Option<String>,
    pub principal: Option<String>,
    pub server: Option<String>,
    /// The name of a tool or prompt, or the URI of a resource.
    pub target: Option<String>,
    /// A path. Selects records that needed or requested it, or anything below it.
    pub path: Option<String>,
    pub decision: Option<String>,
    pub rule: Option<String>,
    pub grant: Option<String>,
}

/// The order in which records are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    OldestFirst,
    NewestFirst,
}

impl Filter {
    pub fn takes(&self, record: &Record) -> bool {
        let is = |name: &str, wanted: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| record.text(name) == *wanted)
        };
        record.seq > self.after
            && self.before.is_none_or(|before| record.seq < before)
            && !(self.without_own && OWN_KINDS.contains(&record.text("kind").as_str()))
            && self.is_in_time(&record.text("ts"))
            && self.members().into_iter().all(|(name, wanted)| is(name, wanted))
            && self.rule.as_ref().is_none_or(|rule| record.list("rules").contains(rule))
            && self
                .path
                .as_ref()
                .is_none_or(|path| paths(record).iter().any(|touched| is_within(touched, path)))
    }

    fn is_in_time(&self, ts: &str) -> bool {
        let (since, until) = self.times();
        since.is_none_or(|since| *since <= *ts) && until.is_none_or(|until| *ts < *until)
    }

    /// Returns both times in the form that records use. Such texts sort chronologically.
    pub(super) fn times(&self) -> (Option<String>, Option<String>) {
        (self.since.map(format_micros), self.until.map(format_micros))
    }

    /// Returns the members that must have a certain value.
    pub(super) fn members(&self) -> [(&'static str, &Option<String>); 7] {
        [
            ("kind", &self.kind),
            ("call", &self.call),
            ("principal", &self.principal),
            ("server", &self.server),
            ("target", &self.target),
            ("decision", &self.decision),
            ("grant", &self.grant),
        ]
    }
}

/// Kinds of records that a log writes about itself.
pub(super) const OWN_KINDS: [&str; 5] = ["segment", "checkpoint", "start", "stop", "recovery"];

/// Returns the paths that a record touches: the details of the scopes that were needed or
/// requested, and the target without `file://`.
pub(super) fn paths(record: &Record) -> Vec<String> {
    let mut paths = Vec::new();
    for scope in record.list("needed").into_iter().chain(record.list("requested")) {
        paths.extend(scope.splitn(3, ':').nth(2).map(str::to_owned));
    }
    let target = record.text("target");
    paths.extend(target.strip_prefix("file://").map(str::to_owned));
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn is_within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
