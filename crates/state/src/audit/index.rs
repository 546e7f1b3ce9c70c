//! A search index of the log's records. It holds nothing that the log does not hold: it can be
//! deleted at any time, and is brought up to date before each query.
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Statement, Transaction, params_from_iter};

use super::error::AuditError;
use super::files;
use super::filter::{Filter, OWN_KINDS, Order, paths};
use super::line::Record;
use super::scan::{LocatedRecord, Scan};
use super::segment::Segment;

#[derive(Debug)]
pub(super) struct Index {
    path: PathBuf,
    connection: Connection,
}

/// Increased when the tables change. An index of another version is rebuilt.
const VERSION: i64 = 1;

const TABLES: &str = "
    CREATE TABLE records (
        seq INTEGER PRIMARY KEY, segment INTEGER NOT NULL, offset INTEGER NOT NULL, hash TEXT NOT NULL,
        ts TEXT, kind TEXT, call TEXT, principal TEXT, server TEXT, target TEXT, decision TEXT, granted TEXT);
    CREATE INDEX by_ts ON records (ts);
    CREATE INDEX by_call ON records (call);
    CREATE INDEX by_principal ON records (principal);
    CREATE INDEX by_target ON records (target);
    CREATE INDEX by_grant ON records (granted) WHERE granted <> '';
    CREATE INDEX by_decision ON records (decision, kind);
    CREATE TABLE paths (path TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (path, seq)) WITHOUT ROWID;
    CREATE TABLE rules (rule TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (rule, seq)) WITHOUT ROWID;";

/// The number of records that are added in one transaction.
const AT_ONCE: usize = 10_000;

impl Index {
    pub(super) fn open(path: &Path) -> Result<Self, AuditError> {
        // SQLite would follow a link, and would make the file readable for others.
        files::open_append(path)?;
        let unusable = |error: rusqlite::Error| unusable(path, &error);
        let connection = Connection::open(path).map_err(unusable)?;
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .and_then(|()| connection.pragma_update(None, "synchronous", "OFF"))
            .and_then(|()| connection.busy_timeout(std::time::Duration::from_secs(5)))
            .map_err(unusable)?;
        let version: i64 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(unusable)?;
        let index = Self { path: path.to_owned(), connection };
        if version != VERSION {
            index.clear()?;
        }
        Ok(index)
    }

    /// Finds records after bringing the index up to date.
    pub(super) fn query(
        &mut self,
        dir: &Path,
        filter: &Filter,
        order: Order,
        limit: usize,
    ) -> Result<Vec<Record>, AuditError> {
        self.update(dir)?;
        let mut records = Vec::new();
        let mut rest = filter.clone();
        // The filter checks the records that the index finds once more, so further queries may be
        // needed to fill the page.
        while records.len() < limit {
            let wanted = limit - records.len();
            let places = self.places(&rest, order, wanted)?;
            let Some((last, ..)) = places.last() else { break };
            match order {
                Order::OldestFirst => rest.after = *last,
                Order::NewestFirst => rest.before = Some(*last),
            }
            let is_all = places.len() < wanted;
            for (seq, segment, offset) in places {
                let record = Segment::new(dir, segment).record_at(offset)?;
                records.extend(record.filter(|record| record.seq == seq && filter.takes(record)));
            }
            if is_all {
                break;
            }
        }
        Ok(records)
    }

    fn places(
        &self,
        filter: &Filter,
        order: Order,
        limit: usize,
    ) -> Result<Vec<(u64, u64, u64)>, AuditError> {
        let (sql, values) = sql(filter, order, limit);
        let unusable = |error| unusable(&self.path, &error);
        let mut statement = self.connection.prepare(&sql).map_err(unusable)?;
        let number = |row: &rusqlite::Row<'_>, column| row.get::<_, i64>(column).map(i64::cast_unsigned);
        let rows = statement
            .query_map(params_from_iter(values), |row| {
                Ok((number(row, 0)?, number(row, 1)?, number(row, 2)?))
            })
            .map_err(unusable)?;
        rows.collect::<Result<_, _>>().map_err(unusable)
    }

    /// Adds the records that were written since the last update, and deletes those that were
    /// removed.
    fn update(&mut self, dir: &Path) -> Result<(), AuditError> {
        let first = Segment::list_to_read(dir)?.first().map_or(0, |segment| segment.first);
        if !self.is_of(dir)? {
            self.clear()?;
        }
        let path = self.path.clone();
        let unusable = |error| unusable(&path, &error);
        for table in ["records", "paths", "rules"] {
            let sql = format!("DELETE FROM {table} WHERE seq < ?1");
            self.connection.execute(&sql, [first.cast_signed()]).map_err(unusable)?;
        }
        let last = self.last()?.map_or(0, |(seq, ..)| seq);
        let mut scan = Scan::after(dir, last)?;
        loop {
            let transaction = self.connection.transaction().map_err(unusable)?;
            let mut inserts = InsertStatements::prepare(&transaction).map_err(unusable)?;
            let mut taken = 0;
            while taken < AT_ONCE
                && let Some(found) = scan.next()?
            {
                if found.record.seq > last {
                    inserts.insert(&found).map_err(unusable)?;
                    taken += 1;
                }
            }
            drop(inserts);
            transaction.commit().map_err(unusable)?;
            if taken < AT_ONCE {
                return Ok(());
            }
        }
    }

    /// Returns whether the last indexed record is still in the log. If not, it is another log, or
    /// its end was cut.
    fn is_of(&self, dir: &Path) -> Result<bool, AuditError> {
        let Some((seq, segment, offset, hash)) = self.last()? else { return Ok(true) };
        let record = Segment::new(dir, segment).record_at(offset)?;
        Ok(record.is_some_and(|record| record.seq == seq && record.hash.to_string() == hash))
    }

    fn last(&self) -> Result<Option<(u64, u64, u64, String)>, AuditError> {
        let sql = "SELECT seq, segment, offset, hash FROM records ORDER BY seq DESC LIMIT 1";
        let read = |row: &rusqlite::Row<'_>| {
            let number = |column| row.get::<_, i64>(column).map(i64::cast_unsigned);
            Ok((number(0)?, number(1)?, number(2)?, row.get(3)?))
        };
        self.connection.query_row(sql, [], read).optional().map_err(|error| unusable(&self.path, &error))
    }

    fn clear(&self) -> Result<(), AuditError> {
        let old = "DROP TABLE IF EXISTS records; DROP TABLE IF EXISTS paths; DROP TABLE IF EXISTS rules;";
        let all = format!("BEGIN IMMEDIATE; {old} {TABLES} PRAGMA user_version = {VERSION}; COMMIT;");
        self.connection.execute_batch(&all).map_err(|error| unusable(&self.path, &error))
    }
}

/// The prepared statements that add a record.
struct InsertStatements<'a> {
    records: Statement<'a>,
    paths: Statement<'a>,
    rules: Statement<'a>,
}

impl<'a> InsertStatements<'a> {
    fn prepare(transaction: &'a Transaction<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            records: transaction
                .prepare("INSERT OR REPLACE INTO records VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")?,
            paths: transaction.prepare("INSERT OR IGNORE INTO paths VALUES (?,?)")?,
            rules: transaction.prepare("INSERT OR IGNORE INTO rules VALUES (?,?)")?,
        })
    }

    fn insert(&mut self, found: &LocatedRecord) -> rusqlite::Result<()> {
        let record = &found.record;
        let seq = record.seq.cast_signed();
        let numbers = [record.seq, found.segment, found.offset];
        let mut values: Vec<Value> = numbers.map(|number| Value::Integer(number.cast_signed())).into();
        values.push(Value::Text(record.hash.to_string()));
        let texts = ["ts", "kind", "call", "principal", "server", "target", "decision", "grant"];
        values.extend(texts.map(|name| Value::Text(record.text(name))));
        self.records.execute(params_from_iter(values))?;
        for path in paths(record) {
            self.paths.execute((path, seq))?;
        }
        for rule in record.list("rules") {
            self.rules.execute((rule, seq))?;
        }
        Ok(())
    }
}

/// Returns the query as SQL. Every value is a parameter.
fn sql(filter: &Filter, order: Order, limit: usize) -> (String, Vec<Value>) {
    let mut sql = "SELECT seq, segment, offset FROM records WHERE seq > ?".to_owned();
    let mut values = vec![Value::Integer(filter.after.cast_signed())];
    if let Some(before) = filter.before {
        sql.push_str(" AND seq < ?");
        values.push(Value::Integer(i64::try_from(before).unwrap_or(i64::MAX)));
    }
    if filter.without_own {
        sql.push_str(&format!(" AND kind NOT IN ('{}')", OWN_KINDS.join("', '")));
    }
    let mut add = |condition: &str, value: &str| {
        sql.push_str(" AND ");
        sql.push_str(condition);
        (0..condition.matches('?').count()).for_each(|_| values.push(Value::Text(value.to_owned())));
    };
    let (since, until) = filter.times();
    since.iter().for_each(|since| add("ts >= ?", since));
    until.iter().for_each(|until| add("ts < ?", until));
    for (name, value) in filter.members() {
        let column = if name == "grant" { "granted" } else { name };
        value.iter().for_each(|value| add(&format!("{column} = ?"), value));
    }
    filter.rule.iter().for_each(|rule| add("seq IN (SELECT seq FROM rules WHERE rule = ?)", rule));
    if let Some(path) = &filter.path {
        // `0` is the character after `/`.
        let below = "seq IN (SELECT seq FROM paths WHERE path = ? OR (path >= ? || '/' AND path < ? || '0'))";
        add(below, path.trim_end_matches('/'));
    }
    sql.push_str(match order {
        Order::OldestFirst => " ORDER BY seq LIMIT ?",
        Order::NewestFirst => " ORDER BY seq DESC LIMIT ?",
    });
    values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    (sql, values)
}

fn unusable(path: &Path, error: &rusqlite::Error) -> AuditError {
    AuditError::Index { path: path.to_owned(), why: error.to_string() }
}
