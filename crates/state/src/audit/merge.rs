//! Reads several logs as one, merged by time; each log keeps its own order. A position is one
//! number per log.
use std::path::PathBuf;

use super::error::AuditError;
use super::filter::{Filter, Order};
use super::line::Record;
use super::query::{Reader, query};

/// One of several logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub dir: PathBuf,
    /// Only records with a number above `after`, and below `before`.
    pub after: u64,
    pub before: Option<u64>,
}

/// A page of records from several logs.
#[derive(Debug, PartialEq, Eq)]
pub struct RecordPage {
    /// The records, each with the index of its log.
    pub records: Vec<(usize, Record)>,
    /// If there are later records: the numbers, per log, after which the next page begins.
    pub next: Option<Vec<u64>>,
    /// If there are earlier records: the numbers, per log, before which the previous page ends.
    pub previous: Option<Vec<u64>>,
}

/// Finds at most `limit` records. Logs without records are skipped if another log has some.
pub fn query_all(
    logs: &[Source],
    filter: &Filter,
    order: Order,
    limit: usize,
) -> Result<RecordPage, AuditError> {
    let mut pages = Vec::new();
    let mut has_more = false;
    let mut heads = NextRecords::default();
    for log in logs {
        let filter = Filter { after: log.after, before: log.before, ..filter.clone() };
        let page = heads.unless_empty(query(&log.dir, &filter, order, limit))?;
        has_more |= page.as_ref().is_some_and(|page| page.has_more);
        let mut records = page.map(|page| page.records).unwrap_or_default().into_iter();
        heads.first.push(records.next());
        pages.push(records);
    }
    heads.some_must_be_there()?;
    let mut records: Vec<(usize, Record)> = Vec::new();
    while let Some((log, record)) = heads.take() {
        heads.first[log] = pages[log].next();
        records.push((log, record));
    }
    let surplus = records.len().saturating_sub(limit);
    has_more |= surplus > 0;
    match order {
        Order::OldestFirst => {
            records.truncate(limit);
            let mut places: Vec<u64> = logs.iter().map(|log| log.after).collect();
            records.iter().for_each(|(log, record)| places[*log] = record.seq);
            Ok(RecordPage { records, next: has_more.then_some(places), previous: None })
        }
        Order::NewestFirst => {
            records.drain(..surplus);
            let mut places: Vec<u64> = logs.iter().map(|log| log.before.unwrap_or(u64::MAX)).collect();
            records.iter().rev().for_each(|(log, record)| places[*log] = record.seq);
            Ok(RecordPage { records, next: None, previous: has_more.then_some(places) })
        }
    }
}

/// Calls `each` with every record that the filter accepts and the index of its log, until `each`
/// returns false.
pub fn for_each_of(
    logs: &[Source],
    filter: &Filter,
    each: &mut dyn FnMut(usize, &Record) -> bool,
) -> Result<(), AuditError> {
    let mut heads = NextRecords::default();
    let mut readers = Vec::new();
    for log in logs {
        let filter = Filter { after: log.after, before: log.before, ..filter.clone() };
        let mut reader = heads.unless_empty(Reader::open(&log.dir, &filter))?;
        heads.first.push(reader.as_mut().map(Reader::next).transpose()?.flatten());
        readers.push(reader);
    }
    heads.some_must_be_there()?;
    while let Some((log, record)) = heads.take() {
        heads.first[log] = readers[log].as_mut().map(Reader::next).transpose()?.flatten();
        if !each(log, &record) {
            break;
        }
    }
    Ok(())
}

/// The next record of each log.
#[derive(Default)]
struct NextRecords {
    first: Vec<Option<Record>>,
    /// The error of a log without records, and whether another log could be read.
    empty: Option<AuditError>,
    filled: bool,
}

impl NextRecords {
    fn unless_empty<T>(&mut self, read: Result<T, AuditError>) -> Result<Option<T>, AuditError> {
        match read {
            Err(error @ AuditError::Empty(_)) => {
                self.empty = Some(error);
                Ok(None)
            }
            read => {
                self.filled = true;
                read.map(Some)
            }
        }
    }

    fn some_must_be_there(&mut self) -> Result<(), AuditError> {
        self.empty.take().filter(|_| !self.filled).map_or(Ok(()), Err)
    }

    /// Takes the earliest record. If several have the same time, the first log's record comes
    /// first.
    fn take(&mut self) -> Option<(usize, Record)> {
        let there = self.first.iter().enumerate().filter_map(|(log, record)| Some((log, record.as_ref()?)));
        let (log, _) = there.min_by_key(|(_, record)| record.text("ts"))?;
        Some((log, self.first[log].take()?))
    }
}
