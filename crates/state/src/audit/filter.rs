//! Conditions on records, and their order.
use std::time::{Duration, SystemTime};

use memchr::memmem::Finder;
use overt_wire::json::quote;
use overt_wire::rfc3339::format_micros;

use super::backward::{SEQ, TS, member, number};

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
        self.has_number(record.seq)
            && !(self.without_own && OWN_KINDS.contains(&record.text("kind").as_str()))
            && self.is_in_time(&record.text("ts"))
            && self.members().into_iter().all(|(name, wanted)| is(name, wanted))
            && self.rule.as_ref().is_none_or(|rule| record.list("rules").contains(rule))
            && self
                .path
                .as_ref()
                .is_none_or(|path| paths(record).iter().any(|touched| is_within(touched, path)))
    }

    fn has_number(&self, seq: u64) -> bool {
        seq > self.after && self.before.is_none_or(|before| seq < before)
    }

    fn is_in_time(&self, ts: &str) -> bool {
        // Times in the form that records use sort chronologically.
        self.since.is_none_or(|since| *format_micros(since) <= *ts)
            && self.until.is_none_or(|until| *ts < *format_micros(until))
    }

    /// Returns the members that must have a certain value.
    fn members(&self) -> [(&'static str, &Option<String>); 7] {
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

/// A filter that decides about most lines of a log without parsing them.
#[derive(Debug)]
pub(super) struct LineFilter {
    filter: Filter,
    /// Texts that all wanted lines contain.
    texts: Vec<Finder<'static>>,
    /// What was written before or after these times is not wanted. The times have the form that
    /// records use.
    far_before: Option<String>,
    pub(super) far_after: Option<String>,
}

/// A log is in the order in which its records were written. Their times differ from that order if
/// the clock was set back, which a search allows for by this much.
const CLOCK_CHANGE: Duration = Duration::from_hours(24);

impl LineFilter {
    pub(super) fn new(filter: &Filter) -> Self {
        let mut texts = Vec::new();
        let mut add = |text: String| texts.push(Finder::new(text.as_bytes()).into_owned());
        for (name, value) in filter.members() {
            // A record without the member has an empty value.
            let value = value.iter().filter(|value| !value.is_empty());
            value.for_each(|value| add(format!("\"{name}\":{}", quote(value))));
        }
        filter.rule.iter().for_each(|rule| add(quote(rule)));
        if let Some(path) = &filter.path {
            let quoted = quote(path.trim_end_matches('/'));
            add(quoted[1..quoted.len() - 1].to_owned());
        }
        let moved = |time: Option<SystemTime>| time.map(format_micros);
        Self {
            far_before: moved(filter.since.and_then(|since| since.checked_sub(CLOCK_CHANGE))),
            far_after: moved(filter.until.and_then(|until| until.checked_add(CLOCK_CHANGE))),
            filter: filter.clone(),
            texts,
        }
    }

    /// Returns the record in a line without its line break, if it is wanted.
    pub(super) fn take(&self, line: &str) -> Option<Record> {
        let is_wanted = number(line, SEQ).is_none_or(|seq| self.filter.has_number(seq))
            && self.texts.iter().all(|text| text.find(line.as_bytes()).is_some());
        if !is_wanted {
            return None;
        }
        Record::parse(line).ok().filter(|record| self.filter.takes(record))
    }

    /// Returns whether no line before this one is wanted. Only a record that is unchanged can tell.
    pub(super) fn ends_at(&self, line: &str) -> bool {
        let is_early = number(line, SEQ).is_some_and(|seq| seq <= self.filter.after)
            || member(line, TS).is_some_and(|ts| self.far_before.as_deref().is_some_and(|far| ts < far));
        is_early && Record::parse(line).is_ok()
    }
}

/// Kinds of records that a log writes about itself.
pub(super) const OWN_KINDS: [&str; 5] = ["segment", "checkpoint", "start", "stop", "recovery"];

/// Returns the paths that a record touches: the details of the scopes that were needed or
/// requested, and the target without `file://`.
fn paths(record: &Record) -> Vec<String> {
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
