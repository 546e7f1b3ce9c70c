//! Which records are wanted, and in which order.
use std::time::SystemTime;

use overt_wire::rfc3339::format_micros;

use super::line::Record;

/// What a record must be. What is not set does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// From this moment on, and before that one.
    pub since: Option<SystemTime>,
    pub until: Option<SystemTime>,
    /// Only records with a higher number, and with a lower one.
    pub after: u64,
    pub before: Option<u64>,
    /// Without the log's own records: segments, checkpoints, starts, stops and recoveries.
    pub without_own: bool,
    pub kind: Option<String>,
    pub call: Option<String>,
    pub principal: Option<String>,
    pub server: Option<String>,
    /// The name of a tool or prompt, or the address of a resource.
    pub target: Option<String>,
    /// A path: records that needed or asked for it, or for something under it.
    pub path: Option<String>,
    pub decision: Option<String>,
    pub rule: Option<String>,
    pub grant: Option<String>,
}

/// Which records are found first.
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

    /// The two moments as records write them; such texts sort as the moments do.
    pub(super) fn times(&self) -> (Option<String>, Option<String>) {
        (self.since.map(format_micros), self.until.map(format_micros))
    }

    /// The members that must have a certain value.
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

/// What a record is about: the details of the scopes that were needed or asked for, and the target without `file://`.
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
