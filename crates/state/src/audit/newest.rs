//! Returns the records of several logs, newest first. An unreadable log or a line that is not a
//! record does not stop it; they are counted and reported at the end.
use std::time::SystemTime;

use overt_wire::rfc3339::format_micros;

use super::backward::{AGENT, BackwardLines, KIND, LineResult, TS, member};
use super::error::AuditError;
use super::filter::OWN_KINDS;
use super::line::Record;
use super::merge::Source;
use super::record_key::RecordKey;

/// Selects records. Conditions that need no parsing are checked before a line is parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordQuery {
    /// Records from `since` on, and before `until`.
    pub since: Option<SystemTime>,
    pub until: Option<SystemTime>,
    /// Texts that must all occur in the line, escaped as in JSON.
    pub texts: Vec<String>,
    /// A part of the client's name, in lower case.
    pub client: Option<String>,
    /// Keys that the records must have. Parts of a log without them are not read.
    pub keys: Vec<RecordKey>,
}

/// The part of a log that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadLog {
    pub log: String,
    /// The number of lines that are not records.
    pub lines: u64,
    /// Why the rest of the log could not be read.
    pub why: Option<String>,
}

/// The records of several logs by time, newest first. Records of one log keep their order.
#[derive(Debug)]
pub struct NewestRecords {
    logs: Vec<Log>,
    since: Option<String>,
    until: Option<String>,
    texts: Vec<memchr::memmem::Finder<'static>>,
    client: Option<String>,
    /// Whether lines without the texts are skipped before anything else is checked.
    is_search: bool,
    /// Whether to return the records that logs write about themselves, instead of all others.
    is_own: bool,
}

#[derive(Debug)]
struct Log {
    name: String,
    lines: Option<BackwardLines>,
    next: Option<(String, Record)>,
    why: Option<String>,
}

impl NewestRecords {
    /// Opens the logs for reading. Logs without records are skipped.
    pub fn open(logs: &[Source], wanted: &RecordQuery) -> Self {
        Self::open_kinds(logs, wanted, false)
    }

    /// Opens the logs for the records about themselves: starts, stops, recoveries and the like.
    pub fn open_own(logs: &[Source], wanted: &RecordQuery) -> Self {
        Self::open_kinds(logs, wanted, true)
    }

    fn open_kinds(logs: &[Source], wanted: &RecordQuery, is_own: bool) -> Self {
        let mut newest = Self {
            is_own,
            logs: Vec::with_capacity(logs.len()),
            since: wanted.since.map(format_micros),
            until: wanted.until.map(format_micros),
            texts: wanted
                .texts
                .iter()
                .map(|text| memchr::memmem::Finder::new(text.as_bytes()).into_owned())
                .collect(),
            client: wanted.client.clone(),
            is_search: !wanted.keys.is_empty() && wanted.since.is_none(),
        };
        for source in logs {
            let opened = BackwardLines::open(&source.dir).and_then(|mut lines| {
                lines.only_with(&wanted.keys);
                newest.until.as_deref().map_or(Ok(()), |until| lines.skip_times_from(until))?;
                Ok(lines)
            });
            let (lines, why) = match opened {
                Ok(lines) => (Some(lines), None),
                Err(AuditError::Empty(_)) => (None, None),
                Err(error) => (None, Some(error.to_string())),
            };
            newest.logs.push(Log { name: source.name.clone(), lines, next: None, why });
        }
        for index in 0..newest.logs.len() {
            newest.advance(index);
        }
        newest
    }

    pub fn name_of(&self, log: usize) -> &str {
        self.logs.get(log).map_or("", |log| &log.name)
    }

    /// Returns the logs that could not be read so far.
    pub fn unread(&self) -> Vec<UnreadLog> {
        let unread = self.logs.iter().map(|log| UnreadLog {
            log: log.name.clone(),
            lines: log.lines.as_ref().map_or(0, |lines| lines.garbage),
            why: log.why.clone(),
        });
        unread.filter(|unread| unread.lines > 0 || unread.why.is_some()).collect()
    }

    fn advance(&mut self, index: usize) {
        let Self { logs, since, until, texts, client, is_search, is_own } = self;
        let log = &mut logs[index];
        let Some(lines) = &mut log.lines else { return };
        let next = lines.next(|line| {
            let has_texts = || texts.iter().all(|text| text.find(line.as_bytes()).is_some());
            if *is_search && !has_texts() {
                return LineResult::Skipped;
            }
            let (Some(ts), Some(kind)) = (member(line, TS), member(line, KIND)) else {
                return LineResult::Garbage;
            };
            if since.as_deref().is_some_and(|since| ts < since) {
                return LineResult::NothingBefore;
            }
            let is_early = until.as_deref().is_none_or(|until| ts < until);
            let is_of_client = || {
                let is_so = |client: &String| {
                    member(line, AGENT).is_some_and(|agent| agent.to_lowercase().contains(client))
                };
                client.as_ref().is_none_or(is_so)
            };
            if !is_early || OWN_KINDS.contains(&kind) != *is_own || !has_texts() || !is_of_client() {
                return LineResult::Skipped;
            }
            Record::read(line)
                .map_or(LineResult::Garbage, |record| LineResult::Taken((ts.to_owned(), record)))
        });
        match next {
            Ok(next) => log.next = next,
            Err(error) => {
                // The records that were read before the error stay valid.
                log.why = Some(error.to_string());
                log.next = None;
            }
        }
    }
}

impl Iterator for NewestRecords {
    /// A record, and the index of its log.
    type Item = (usize, Record);

    fn next(&mut self) -> Option<Self::Item> {
        let waiting =
            self.logs.iter().enumerate().filter_map(|(index, log)| Some((index, &log.next.as_ref()?.0)));
        let (index, _) = waiting.max_by(|(_, one), (_, other)| one.cmp(other))?;
        let (_, record) = self.logs[index].next.take()?;
        self.advance(index);
        Some((index, record))
    }
}
