//! The tables, and a connection that is set up for several processes.
use std::time::Duration;

use overt_layers::grants::StoreError;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::folder::Folder;

/// Raised with every change of the tables. A file of a later one is not touched.
const VERSION: i64 = 1;
/// How long another process may hold the file: it changes a few rows. Other calls stand still meanwhile, so whoever can't
/// wait is refused.
const BUSY: Duration = Duration::from_millis(500);

const TABLES: &str = "
CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('changes', 0), ('grants', 0), ('questions', 0);

-- `run` is the process that a grant ends with; none for one that stays.
CREATE TABLE grants (
  n INTEGER PRIMARY KEY,
  principal TEXT NOT NULL, session TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
  scopes TEXT NOT NULL, lasts TEXT NOT NULL, arguments TEXT, expires INTEGER, given INTEGER NOT NULL, run TEXT
) STRICT;
CREATE INDEX grants_by_tool ON grants (principal, server, tool);
CREATE INDEX grants_by_run ON grants (run, session) WHERE run IS NOT NULL;
CREATE INDEX grants_by_end ON grants (expires) WHERE expires IS NOT NULL;

CREATE TABLE questions (
  n INTEGER PRIMARY KEY,
  principal TEXT NOT NULL, session TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
  intent TEXT NOT NULL, reason TEXT NOT NULL, scopes TEXT NOT NULL, wider TEXT NOT NULL,
  arguments TEXT NOT NULL, shown TEXT NOT NULL, until INTEGER NOT NULL, asked INTEGER NOT NULL,
  answer TEXT, waiting INTEGER NOT NULL, run TEXT NOT NULL
) STRICT;

CREATE TABLE never (session TEXT PRIMARY KEY, run TEXT NOT NULL) STRICT, WITHOUT ROWID;
";

pub(super) fn open(folder: &Folder) -> Result<Connection, StoreError> {
    folder.claim_database()?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut db = Connection::open_with_flags(folder.database(), flags).map_err(unusable)?;
    db.busy_timeout(BUSY).map_err(unusable)?;
    // What a person said is on the disk before anybody acts on it.
    // What was forgotten can't be read in the file either (AUD-06).
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;",
    )
    .map_err(unusable)?;
    set_up(&mut db)?;
    Ok(db)
}

fn set_up(db: &mut Connection) -> Result<(), StoreError> {
    let change = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(unusable)?;
    let version: i64 = change.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(unusable)?;
    match version {
        VERSION => Ok(()),
        0 => change
            .execute_batch(TABLES)
            .and_then(|()| change.pragma_update(None, "user_version", VERSION))
            .and_then(|()| change.commit())
            .map_err(unusable),
        later => Err(StoreError {
            why: format!(
                "its format {later} is of a later version of Overt than this one, which knows {VERSION}"
            ),
        }),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
pub(super) fn unusable(error: rusqlite::Error) -> StoreError {
    StoreError { why: error.to_string() }
}
