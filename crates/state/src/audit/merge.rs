//! Several logs read as one: by time, each in its own order. A place in them is a number for each.
use std::path::PathBuf;

use super::error::AuditError;
use super::filter::{Filter, Order};
use super::line::Record;
use super::query::{Reader, query};

/// A log among others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub name: String,
    pub dir: PathBuf,
    pub index: Option<PathBuf>,
    /// Only records with a higher number, and with a lower one.
    pub after: u64,
    pub before: Option<u64>,
}

/// A page of what was found in several logs.
#[derive(Debug, PartialEq, Eq)]
pub struct RecordPage {
    /// Each with the place of its log in the list.
    pub records: Vec<(usize, Record)>,
    /// There are more: ask again for those after this number in each log.
    pub next: Option<Vec<u64>>,
    /// There are earlier ones: ask again for those before this number in each log.
    pub previous: Option<Vec<u64>>,
}

/// Finds at most `limit` records. Logs without any record are passed over if there are others.
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
        let page = heads.unless_empty(query(&log.dir, log.index.as_deref(), &filter, order, limit))?;
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

/// Calls `each` with every record that the filter takes and the place of its log, as long as it
/// wants more.
pub fn for_each_of(
    logs: &[Source],
    filter: &Filter,
    each: &mut dyn FnMut(usize, &Record) -> bool,
) -> Result<(), AuditError> {
    let mut heads = NextRecords::default();
    let mut readers = Vec::new();
    for log in logs {
        let filter = Filter { after: log.after, before: log.before, ..filter.clone() };
        let mut reader = heads.unless_empty(Reader::open(&log.dir, filter))?;
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
    /// A log without records, and whether there was one with some.
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

    /// The one that was written first; of those of one moment, the one of the first log.
    fn take(&mut self) -> Option<(usize, Record)> {
        let there = self.first.iter().enumerate().filter_map(|(log, record)| Some((log, record.as_ref()?)));
        let (log, _) = there.min_by_key(|(_, record)| record.text("ts"))?;
        Some((log, self.first[log].take()?))
    }
}
