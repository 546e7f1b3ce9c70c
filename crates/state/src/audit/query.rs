//! Finds records, through the index if there is one, otherwise by reading all records. Both ways
//! give the same result.
use std::collections::VecDeque;
use std::path::Path;

use super::error::AuditError;
use super::filter::{Filter, Order};
use super::index::Index;
use super::line::Record;
use super::scan::Scan;

/// A page of records.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// The records, sorted by their numbers.
    pub records: Vec<Record>,
    /// Whether there are more records beyond this page.
    pub has_more: bool,
}

/// Finds at most `limit` records. If the index can't be used, this reads the log instead.
pub fn query(
    dir: &Path,
    index: Option<&Path>,
    filter: &Filter,
    order: Order,
    limit: usize,
) -> Result<Page, AuditError> {
    let indexed =
        index.map(|path| Index::open(path).and_then(|mut index| index.query(dir, filter, order, limit + 1)));
    let mut records = match indexed {
        Some(Ok(records)) => records,
        Some(Err(error)) => {
            tracing::info!(%error, "the audit log is read without its index");
            scanned(dir, filter, order, limit + 1)?
        }
        None => scanned(dir, filter, order, limit + 1)?,
    };
    let has_more = records.len() > limit;
    records.truncate(limit);
    if order == Order::NewestFirst {
        records.reverse();
    }
    Ok(Page { records, has_more })
}

/// Calls `each` with every record that the filter accepts, in order, until `each` returns false.
pub fn for_each(
    dir: &Path,
    filter: &Filter,
    each: &mut dyn FnMut(&Record) -> Result<bool, AuditError>,
) -> Result<(), AuditError> {
    let mut reader = Reader::open(dir, filter.clone())?;
    while let Some(record) = reader.next()? {
        if !each(&record)? {
            break;
        }
    }
    Ok(())
}

/// An iterator over the records that a filter accepts.
#[derive(Debug)]
pub(super) struct Reader {
    scan: Scan,
    filter: Filter,
}

impl Reader {
    pub(super) fn open(dir: &Path, filter: Filter) -> Result<Self, AuditError> {
        Ok(Self { scan: Scan::after(dir, filter.after)?, filter })
    }

    pub(super) fn next(&mut self) -> Result<Option<Record>, AuditError> {
        while let Some(found) = self.scan.next()? {
            if self.filter.takes(&found.record) {
                return Ok(Some(found.record));
            }
        }
        Ok(None)
    }
}

/// Reads the log and returns at most `limit` records in the given order.
fn scanned(dir: &Path, filter: &Filter, order: Order, limit: usize) -> Result<Vec<Record>, AuditError> {
    let mut records = VecDeque::new();
    let mut reader = Reader::open(dir, filter.clone())?;
    while (order == Order::NewestFirst || records.len() < limit)
        && let Some(record) = reader.next()?
    {
        if records.len() == limit {
            records.pop_front();
        }
        records.push_back(record);
    }
    let mut records = Vec::from(records);
    if order == Order::NewestFirst {
        records.reverse();
    }
    Ok(records)
}
