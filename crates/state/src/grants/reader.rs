//! Reads grants for a process that acts on them and changes none: what starts workers.
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use overt_layers::grants::{Clock, Grant, GrantId, StoreError};
use rusqlite::{Connection, OptionalExtension as _, params};
use rustix::fs::inotify;

use super::folder::{Folder, failed};
use super::liveness_lock::is_locked;
use super::rows::{self, GRANT, number};
use super::schema::{self, unusable};

/// The grants that hold, and word of every change of the store.
#[derive(Debug)]
pub struct GrantReader {
    db: Connection,
    alive: PathBuf,
    clock: Clock,
    changes: OwnedFd,
}

impl GrantReader {
    /// Opens the store, which exists.
    pub fn open(state: &Path) -> Result<Self, StoreError> {
        let folder = Folder::of(state);
        let db = schema::open(&folder)?;
        let mark = folder.change_mark();
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        let watched = inotify::init(flags).and_then(|events| {
            inotify::add_watch(&events, &mark, inotify::WatchFlags::MODIFY)?;
            Ok(events)
        });
        let changes = watched.map_err(|error| failed("watch", &mark, &error.into()))?;
        Ok(Self { db, alive: folder.alive(), clock: Clock::default(), changes })
    }

    /// Returns the grant, if it holds: it was not revoked, has not ended, and the process with
    /// which it ends still runs.
    pub fn find(&self, id: &GrantId) -> Result<Option<Grant>, StoreError> {
        let Some(n) = number(&id.0, 'g') else { return Ok(None) };
        let sql = format!("SELECT {GRANT}, run FROM grants WHERE n = ?1");
        let read = |row: &rusqlite::Row<'_>| Ok((rows::grant(row)?, row.get::<_, Option<String>>("run")?));
        let found = self.db.query_row(&sql, params![n], read).optional().map_err(unusable)?;
        let is_live = |run: Option<&str>| run.is_none_or(|run| is_locked(&self.alive, run));
        let now = self.clock.now();
        Ok(found
            .filter(|(grant, run)| !grant.is_over(now) && is_live(run.as_deref()))
            .map(|(grant, _)| grant))
    }

    /// The time, in seconds since 1970, by which grants end.
    pub fn now(&self) -> u64 {
        self.clock.now()
    }

    /// A handle that can be read when the store may have changed.
    pub fn changes(&self) -> BorrowedFd<'_> {
        self.changes.as_fd()
    }

    /// Forgets the changes so far.
    pub fn forget_changes(&self) {
        while rustix::io::read(&self.changes, &mut [0; 1024]).is_ok_and(|count| count > 0) {}
    }
}
