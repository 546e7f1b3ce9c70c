//! The tables, and a connection that is set up for use by several processes.
use std::time::{Duration, Instant};

use overt_layers::grants::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::folder::Folder;

/// The format of the tables, increased with every change. A file with a later format is not
/// touched.
const VERSION: i64 = 7;
/// How long a change waits for another process that holds the store. It waits on a thread of its
/// own, so other calls go on.
const BUSY: Duration = Duration::from_secs(2);

/// How long opening waits for other processes. This blocks no calls.
const OPENING: Duration = Duration::from_secs(5);

/// The pause between two attempts to open the database.
const PAUSE: Duration = Duration::from_millis(5);

/// Numbers that only grow, so that no id is used twice. They survive every change of the tables.
const COUNTERS: &str = "
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO counters VALUES
  ('grants', 0), ('questions', 0), ('ended_grants', 0), ('ended_trust', 0);
";

const TABLES: &str = "
-- `run` is the process that a grant ends with; none for one that stays. `project` is where it holds; none for everywhere. `tool` is empty
-- where `tools` says that there is more than one. What is refused for good lasts `never`, which no earlier version takes for a grant.
CREATE TABLE grants (
  n INTEGER PRIMARY KEY,
  principal TEXT NOT NULL, session TEXT NOT NULL, server TEXT NOT NULL, project TEXT, tool TEXT NOT NULL,
  scopes TEXT NOT NULL, lasts TEXT NOT NULL, arguments TEXT, expires INTEGER, given INTEGER NOT NULL, run TEXT,
  tool_digest TEXT, plan TEXT,
  tools TEXT NOT NULL DEFAULT 'one', client TEXT
) STRICT;
CREATE INDEX grants_by_tool ON grants (principal, server, tool, lasts);
CREATE INDEX grants_by_run ON grants (run, principal, session) WHERE run IS NOT NULL;
CREATE INDEX grants_by_end ON grants (expires) WHERE expires IS NOT NULL;

-- The text of each scope of a grant: which grants may cover a scope is found without reading the others.
CREATE TABLE granted_scopes (
  principal TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, scope TEXT NOT NULL,
  n INTEGER NOT NULL REFERENCES grants (n) ON DELETE CASCADE, PRIMARY KEY (principal, server, tool, scope, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX granted_scopes_by_grant ON granted_scopes (n);

CREATE TABLE never (
  principal TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (principal, session)
) STRICT, WITHOUT ROWID;

-- Questions with all that a person is shown. `project` is none for a server without one.
CREATE TABLE questions (
  n INTEGER PRIMARY KEY,
  principal TEXT NOT NULL, session TEXT NOT NULL, server TEXT NOT NULL, project TEXT, tool TEXT NOT NULL,
  tool_digest TEXT NOT NULL, asks TEXT NOT NULL, scopes TEXT NOT NULL, wider TEXT NOT NULL,
  arguments TEXT NOT NULL, plan TEXT, shown TEXT NOT NULL, until INTEGER NOT NULL, asked INTEGER NOT NULL,
  answer TEXT, waiting INTEGER NOT NULL, run TEXT NOT NULL, broader TEXT NOT NULL,
  -- What makes two questions about calls the same.
  same TEXT NOT NULL,
  -- The grant that the answer gave.
  given INTEGER,
  -- Whether the answer can't be recorded, so that it does not count.
  unrecorded INTEGER NOT NULL
) STRICT;
CREATE INDEX questions_by_session ON questions (principal, session);

CREATE TABLE reviews (n INTEGER PRIMARY KEY REFERENCES questions (n) ON DELETE CASCADE, diff TEXT NOT NULL, page TEXT NOT NULL) STRICT;

-- An empty project is a server that was not started in one. A decision with a session ends with it, and with its process `run`.
CREATE TABLE trust (
  principal TEXT NOT NULL, server TEXT NOT NULL, project TEXT NOT NULL, session TEXT NOT NULL, level TEXT NOT NULL, run TEXT,
  PRIMARY KEY (principal, server, project, session)
) STRICT, WITHOUT ROWID;
-- The definitions that the person was shown.
CREATE TABLE trusted_tools (
  principal TEXT NOT NULL, server TEXT NOT NULL, project TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (principal, server, project, session, tool),
  FOREIGN KEY (principal, server, project, session) REFERENCES trust ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE listeners (run TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
";

/// Nothing of an earlier format is kept. Formats before the fifth had no principals, and those
/// before the seventh neither channels nor the definitions that were shown, so keeping a grant or a
/// decision could allow more than the person said. Lasting grants and decisions about trust end and
/// are counted, to tell the person. Grants of running processes end too; their next call asks
/// again.
const COUNT_ENDED_GRANTS: &str =
    "UPDATE counters SET n = (SELECT count(*) FROM grants WHERE run IS NULL) WHERE name = 'ended_grants'";
const COUNT_ENDED_TRUST: &str =
    "UPDATE counters SET n = (SELECT count(*) FROM trust) WHERE name = 'ended_trust'";
const DROP_EARLIER: &str = "
DROP TABLE IF EXISTS reviews;
DROP TABLE IF EXISTS granted_scopes;
DROP TABLE questions;
DROP TABLE grants;
DROP TABLE never;
DROP TABLE IF EXISTS trusted_tools;
DROP TABLE IF EXISTS trust;
DROP TABLE IF EXISTS listeners;
";

pub(super) fn open(folder: &Folder) -> Result<Connection, StoreError> {
    folder.claim_database()?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    // SQLite waits for a process that changes rows. It does not wait for a process that creates the
    // file at the same moment or is the last to close it; the WAL file then appears or disappears.
    let begun = Instant::now();
    loop {
        match set_up(folder, flags) {
            Err(error) if is_busy(&error) && begun.elapsed() < OPENING => std::thread::sleep(PAUSE),
            opened => return opened.map_err(unusable)?,
        }
    }
}

/// Returns a connection, or an error if the file has a format that this program does not know.
fn set_up(folder: &Folder, flags: OpenFlags) -> rusqlite::Result<Result<Connection, StoreError>> {
    let mut db = Connection::open_with_flags(folder.database(), flags)?;
    db.busy_timeout(OPENING)?;
    // `synchronous`: a person's decision is on disk before it takes effect.
    // `secure_delete`: deleted rows can't be read from the file (AUD-06).
    // `temp_store`: a server behind walls can't create files elsewhere.
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;\
         PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;",
    )?;
    // The tables are usually current, so no write lock is needed.
    if version(&db)? == VERSION {
        db.busy_timeout(BUSY)?;
        return Ok(Ok(db));
    }
    let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match version(&change)? {
        VERSION => drop(change),
        0 => {
            change.execute_batch(COUNTERS)?;
            change.execute_batch(TABLES)?;
            change.pragma_update(None, "user_version", VERSION)?;
            change.commit()?;
        }
        earlier @ 1..VERSION => {
            change.execute_batch(COUNTERS)?;
            change.execute(COUNT_ENDED_GRANTS, [])?;
            if earlier > 1 {
                change.execute(COUNT_ENDED_TRUST, [])?;
            }
            change.execute_batch(DROP_EARLIER)?;
            change.execute_batch(TABLES)?;
            change.pragma_update(None, "user_version", VERSION)?;
            change.commit()?;
        }
        later => {
            let why = format!(
                "its format {later} is of a later version of Overt than this one, which knows {VERSION}; use that version, or \
                 another OVERT_STATE_DIR"
            );
            return Ok(Err(StoreError { why }));
        }
    }
    db.busy_timeout(BUSY)?;
    Ok(Ok(db))
}

fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
pub(super) fn unusable(error: rusqlite::Error) -> StoreError {
    StoreError { why: error.to_string() }
}
