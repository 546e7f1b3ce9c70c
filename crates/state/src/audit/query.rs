//! Finds records in a log: the newest ones by reading backward from its end, the others by reading
//! forward.
use std::path::Path;

use super::backward::{BackwardLines, LineResult};
use super::error::AuditError;
use super::filter::{Filter, LineFilter, Order};
use super::line::Record;
use super::segment::{Line, Lines, Segment};

/// A page of records.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// The records, sorted by their numbers.
    pub records: Vec<Record>,
    /// Whether there are more records beyond this page.
    pub has_more: bool,
}

/// Finds at most `limit` records. Skips lines that are not records; `verify` reports those.
pub fn query(dir: &Path, filter: &Filter, order: Order, limit: usize) -> Result<Page, AuditError> {
    let mut records = match order {
        Order::OldestFirst => oldest(dir, filter, limit + 1)?,
        Order::NewestFirst => newest(dir, filter, limit + 1)?,
    };
    let has_more = records.len() > limit;
    records.truncate(limit);
    if order == Order::NewestFirst {
        records.reverse();
    }
    Ok(Page { records, has_more })
}

fn oldest(dir: &Path, filter: &Filter, limit: usize) -> Result<Vec<Record>, AuditError> {
    let (mut reader, mut records) = (Reader::open(dir, filter)?, Vec::new());
    while records.len() < limit
        && let Some(record) = reader.next()?
    {
        records.push(record);
    }
    Ok(records)
}

fn newest(dir: &Path, filter: &Filter, limit: usize) -> Result<Vec<Record>, AuditError> {
    let (mut lines, mut records) = (BackwardLines::open(dir)?, Vec::new());
    filter.before.iter().for_each(|before| lines.skip_numbers_from(*before));
    let filter = LineFilter::new(filter);
    filter.far_after.as_deref().map_or(Ok(()), |time| lines.skip_times_from(time))?;
    while records.len() < limit
        && let Some(record) = lines.next(|line| match filter.take(line) {
            Some(record) => LineResult::Taken(record),
            None if filter.ends_at(line) => LineResult::NothingBefore,
            None => LineResult::Skipped,
        })?
    {
        records.push(record);
    }
    Ok(records)
}

/// Calls `each` with every record that the filter accepts, in order, until `each` returns false.
pub fn for_each(
    dir: &Path,
    filter: &Filter,
    each: &mut dyn FnMut(&Record) -> Result<bool, AuditError>,
) -> Result<(), AuditError> {
    let mut reader = Reader::open(dir, filter)?;
    while let Some(record) = reader.next()? {
        if !each(&record)? {
            break;
        }
    }
    Ok(())
}

/// An iterator over the records that a filter accepts, in order.
#[derive(Debug)]
pub(super) struct Reader {
    filter: LineFilter,
    segments: std::vec::IntoIter<Segment>,
    lines: Option<Lines>,
}

impl Reader {
    /// Segments that end before the first wanted record are not read.
    pub(super) fn open(dir: &Path, filter: &Filter) -> Result<Self, AuditError> {
        let mut segments = Segment::list_to_read(dir)?;
        let skipped = segments.iter().skip(1).take_while(|next| next.first <= filter.after + 1).count();
        segments.drain(..skipped);
        Ok(Self { filter: LineFilter::new(filter), segments: segments.into_iter(), lines: None })
    }

    pub(super) fn next(&mut self) -> Result<Option<Record>, AuditError> {
        loop {
            let Some(lines) = &mut self.lines else {
                let Some(segment) = self.segments.next() else { return Ok(None) };
                self.lines = match segment.lines() {
                    // Retention may have removed it meanwhile.
                    Err(error) if error.is_not_found() => continue,
                    lines => Some(lines?),
                };
                continue;
            };
            match lines.next()? {
                None => self.lines = None,
                Some(Line::Whole(line)) => {
                    if let Some(record) = self.filter.take(&line) {
                        return Ok(Some(record));
                    }
                }
                Some(Line::Torn(_) | Line::Garbage) => {}
            }
        }
    }
}
