//! One change, from what the plan found to what is on the disk: prepared beside its place, written down in the journal, and then made
//! in one step. Whoever is killed in between leaves a file that is old or new, and a journal that says which.
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use overt_toolbox::Irreversible;

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::journal::{After, Before, Blob, Journal, Origin, Record, Step, VERSION};
use super::super::space::{Folder, View, Whole};
use super::super::work::{ContentRoom, Stop};
use super::claim::{Claim, Claims};
use super::grow::Grow;
use super::put::{Failed, Put};
use super::put_all::PutAll;
use super::shift::{Copy, Keeping, Making, Move, Remove, Restore};
use super::{old, temp};

/// What is going to be made. Holds its claim until it is made or dropped.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) tool: &'static str,
    /// Its name in the journal; none where there is no journal.
    pub(crate) id: Option<String>,
    /// The change that it undoes.
    pub(crate) undoes: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) act: Act,
    pub(crate) view: View,
    pub(crate) claim: Option<Claim>,
    /// Room for what it holds in memory.
    pub(crate) room: Option<ContentRoom>,
}

#[derive(Debug)]
pub(crate) enum Act {
    Put(Put),
    PutAll(PutAll),
    Grow(Grow),
    Remove(Remove),
    Move(Move),
    Copy(Copy),
    Restore(Restore),
}

/// Bytes of contents that need no room of their own.
const SMALL: u64 = 256 << 10;

/// Claims what a plan turns out to be about. A plan that has to wait for its turn is made anew.
#[derive(Debug)]
pub(crate) struct Taking {
    claims: Claims,
    state: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    claim: Option<Claim>,
    /// The plan was given up because somebody else was at it.
    is_waiting: bool,
    /// Room for contents.
    room: Option<ContentRoom>,
    /// The plan was given up because it needs room for so many bytes.
    needs_room: Option<u64>,
    /// The earlier change that the plan undoes.
    undoes: Option<String>,
}

impl Taking {
    pub(crate) fn new(claims: &Claims) -> Self {
        Self { claims: claims.clone(), state: Mutex::default() }
    }

    /// Fails if somebody else is at it; then [`turn`](Self::turn) is to be waited for.
    pub(crate) fn take(&self, paths: Vec<Whole>) -> Result<(), FileError> {
        let mut state = self.state();
        if !state.claim.as_ref().is_some_and(|claim| claim.covers(&paths)) {
            state.claim = Some(self.claims.claim(paths)?);
        }
        state.is_waiting = !state.claim.as_ref().is_some_and(Claim::is_held);
        if state.is_waiting {
            return Err(FileError::new(code::BUSY, "somebody else is changing it", "Try again."));
        }
        Ok(())
    }

    /// The claim that a plan was given up for; it is put back once it is held. Nobody waits for it and keeps room from others.
    pub(crate) fn turn(&self) -> Option<Claim> {
        let mut state = self.state();
        if !std::mem::take(&mut state.is_waiting) {
            return None;
        }
        state.room = None;
        state.claim.take()
    }

    /// Fails if there is no room yet for so many bytes of contents; then [`needed_room`](Self::needed_room) is to be waited for.
    /// To be called once the claim is held, so that nobody holds room and waits for somebody who waits for room.
    pub(crate) fn take_room(&self, bytes: u64) -> Result<(), FileError> {
        let mut state = self.state();
        // What is small is bounded by the number of jobs.
        if bytes <= SMALL || state.room.as_ref().is_some_and(|room| room.holds(bytes)) {
            return Ok(());
        }
        (state.room, state.needs_room) = (None, Some(bytes));
        Err(FileError::new(code::BUSY, "other changes need the memory", "Try again."))
    }

    /// What a plan was given up for.
    pub(crate) fn needed_room(&self) -> Option<u64> {
        self.state().needs_room.take()
    }

    pub(crate) fn put_room(&self, room: ContentRoom) {
        self.state().room = Some(room);
    }

    pub(crate) fn taken_room(&self) -> Option<ContentRoom> {
        self.state().room.take()
    }

    pub(crate) fn put_back(&self, claim: Claim) {
        self.state().claim = Some(claim);
    }

    /// The plan undoes an earlier change.
    pub(crate) fn undo(&self, change: String) {
        self.state().undoes = Some(change);
    }

    pub(crate) fn undone(&self) -> Option<String> {
        self.state().undoes.take()
    }

    pub(crate) fn claimed(&self) -> Option<Claim> {
        self.state().claim.take()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Taken> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    /// Makes the change.
    pub(crate) fn make(self, server: &FileServer, stop: &Stop) -> Result<(), FileError> {
        let made = self.act(server, stop);
        let journal = server.journal.as_deref().map(|journal| &journal.folder);
        // What a killed process was copying into the journal is left there (I-08).
        for folder in self.act.folders().into_iter().chain(journal) {
            server.sweeper.sweep(&server.disk, folder);
        }
        drop((self.claim, self.room));
        made
    }

    fn act(&self, server: &FileServer, stop: &Stop) -> Result<(), FileError> {
        let disk = &server.disk;
        let journal = server.journal.as_deref().zip(self.id.as_deref());
        let making = Making { disk, journal, view: &self.view, stop };
        match &self.act {
            Act::Put(put) => {
                let ready = put.prepare(disk, stop)?;
                let after = After { size: ready.size, sha256: ready.sha256.clone() };
                let sha256 = |old: &old::Old| old.sha256().map(str::to_owned);
                let before = put.old.as_ref().map(|old| Before {
                    size: old.facts().size,
                    sha256: sha256(old),
                    mode: old.facts().mode,
                });
                let step = Step::Put { path: put.slot.path().to_string(), before, after };
                self.recorded(server, step, put, |disk| ready.perform(disk))
            }
            Act::PutAll(all) => self.put_all(server, all, stop),
            Act::Grow(grow) => {
                let name = temp::name().map_err(|errno| FileError::system(errno, &grow.shown))?;
                let made = grow.prepare(disk, &name).and_then(|()| {
                    let innermost = grow.folders().pop().unwrap_or_default();
                    let file = grow.file.as_ref().map(|file| {
                        let bytes = file.content.as_bytes();
                        let after = After { size: bytes.len() as u64, sha256: old::sha256(bytes) };
                        (format!("{innermost}/{}", file.name), after)
                    });
                    let step = Step::Grown { folders: grow.folders(), file };
                    self.kept(server, step, 0, None, |disk| grow.perform(disk, &name))
                });
                if made.is_err() {
                    grow.discard(disk, &name);
                }
                made
            }
            Act::Remove(remove) => {
                let step =
                    Step::Removed { path: remove.slot.path().to_string(), print: remove.seen.print.clone() };
                let takes = Journal::takes(remove.seen.bytes, remove.seen.entries());
                self.kept(server, step, takes, None, |_| remove.perform(making))
            }
            Act::Move(moving) => {
                let (from, to) = (moving.from.path().to_string(), moving.to.path().to_string());
                let step = Step::Moved { from, to, print: moving.seen.print.clone() };
                self.kept(server, step, 0, None, |_| moving.perform(making))
            }
            Act::Copy(copy) => {
                let step = Step::Made { path: copy.to.path().to_string(), print: copy.seen.print.clone() };
                self.kept(server, step, 0, None, |_| copy.perform(making))
            }
            Act::Restore(restore) => {
                let journal = server.journal.as_deref().ok_or_else(no_journal)?;
                let step = Step::Made { path: restore.to.path().to_string(), print: restore.print.clone() };
                self.kept(server, step, 0, None, |_| restore.perform(making, journal))
            }
        }
    }

    /// A file's old content goes into the journal, and is what the plan saw.
    fn recorded(
        &self,
        server: &FileServer,
        step: Step,
        put: &Put,
        perform: impl FnOnce(&super::Disk) -> Result<(), Failed>,
    ) -> Result<(), FileError> {
        let blob = put.old.as_ref().map(|old| Blob {
            file: &old.open.file,
            size: old.facts().size,
            seen: old.seen(),
        });
        let bytes = blob.map_or(0, |blob| blob.size);
        let done = self.kept(server, step, bytes, blob, perform);
        done.map_err(
            |error| if error.code == code::CONFLICT { FileError::conflict(&put.shown) } else { error },
        )
    }

    pub(super) fn kept(
        &self,
        server: &FileServer,
        step: Step,
        kept_bytes: u64,
        blob: Option<Blob<'_>>,
        perform: impl FnOnce(&super::Disk) -> Result<(), Failed>,
    ) -> Result<(), FileError> {
        let disk = &server.disk;
        let journal = server.journal.as_deref().zip(self.id.clone()).filter(|_| self.act.is_recorded());
        let entry = match journal {
            Some((journal, id)) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
                let at = u64::try_from(now).unwrap_or(u64::MAX);
                let (tool, undoes, origin) = (self.tool.to_owned(), self.undoes.clone(), self.origin.clone());
                let irreversible = self.act.lost().map(|lost| lost.why.clone());
                // What is not kept is still what the plan saw.
                let (kept_bytes, blob) = match &irreversible {
                    None => (kept_bytes, blob),
                    Some(_) => {
                        blob.map_or(Ok(()), |blob| blob.check(disk))?;
                        (0, None)
                    }
                };
                let version = VERSION;
                let record = Record { version, id, tool, at, step, undoes, kept_bytes, irreversible, origin };
                Some(journal.add(disk, &record, blob, self.act.made_of())?)
            }
            None => {
                blob.map_or(Ok(()), |blob| blob.check(disk))?;
                None
            }
        };
        let done = perform(disk);
        match entry {
            Some(entry) if done.as_ref().is_err_and(|failed| !failed.is_made) => entry.forget(disk),
            Some(entry) => entry.keep(disk),
            None => {}
        }
        done.map_err(|failed| failed.error)
    }
}

impl Act {
    /// Whether the journal has a record of it, where there is one.
    pub(crate) fn is_recorded(&self) -> bool {
        !matches!(self, Self::Remove(Remove { keeping: Keeping::MadeByUs, .. }))
    }

    /// Why it can't be undone, although there is a journal.
    pub(crate) fn lost(&self) -> Option<&Irreversible> {
        match self {
            Self::Remove(Remove { keeping: Keeping::Lost(lost), .. }) => Some(lost),
            Self::Put(put) => put.lost.as_ref(),
            _ => None,
        }
    }

    /// The earlier change that it needs, until it is made.
    fn made_of(&self) -> Option<&str> {
        match self {
            Self::Restore(restore) => Some(&restore.id),
            _ => None,
        }
    }

    /// Where it writes.
    fn folders(&self) -> Vec<&Folder> {
        match self {
            Self::Put(put) => vec![&put.slot.folder],
            Self::PutAll(all) => all.puts.iter().map(|put| &put.slot.folder).collect(),
            Self::Grow(grow) => vec![&grow.slot.folder],
            Self::Remove(remove) => vec![&remove.slot.folder],
            Self::Move(moving) => vec![&moving.from.folder, &moving.to.folder],
            Self::Copy(copy) => vec![&copy.to.folder],
            Self::Restore(restore) => vec![&restore.to.folder],
        }
    }
}

fn no_journal() -> FileError {
    FileError::new(code::UNKNOWN_CHANGE, "there is no journal", "Ask the user to start the server with one.")
}
