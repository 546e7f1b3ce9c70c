//! One change, from its plan to the disk: prepared under a temporary name, recorded in the journal,
//! and then made in one step. A process that is killed in between leaves a file that is old or new,
//! and a journal that says which.
use std::time::{SystemTime, UNIX_EPOCH};

use overt_toolbox::Irreversible;

use super::super::FileServer;
use super::super::access::{Folder, View};
use super::super::error::{FileError, code};
use super::super::file_digest::FileDigest;
use super::super::journal::{After, Before, Blob, Journal, Origin, Record, RecordedStep, VERSION};
use super::super::work::{ContentRoom, Stop};
use super::change_error::{ChangeError, unconfirmed};
use super::claim::Claim;
use super::grow::Grow;
use super::put::{PreparedFile, Put};
use super::put_all::{Pending, PutAll, exchange_all, keep, step_of};
use super::whole_entry::{ChangeContext, Copy, Move, Remove, Restore, Retention};
use super::{remove, temp};

/// A planned change. It holds its claim until it is made or dropped.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) tool: &'static str,
    /// The id of the change in the journal, if the server has one.
    pub(crate) id: Option<String>,
    /// The id of the earlier change that this one undoes.
    pub(crate) undoes: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) act: Act,
    pub(crate) view: View,
    pub(crate) claim: Option<Claim>,
    /// The memory reserved for the content that it holds.
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

impl Job {
    /// Makes the change.
    pub(crate) fn make(self, server: &FileServer, stop: &Stop) -> Result<(), FileError> {
        let made = self.act(server, stop);
        let journal = server.journal.as_deref().map(|journal| &journal.folder);
        // The sweep includes the journal, where a killed process leaves unfinished copies (I-08).
        for folder in self.act.folders().into_iter().chain(journal) {
            server.sweeper.sweep(&server.disk, folder);
        }
        drop((self.claim, self.room));
        made
    }

    fn act(&self, server: &FileServer, stop: &Stop) -> Result<(), FileError> {
        let disk = &server.disk;
        let journal = server.journal.as_deref().zip(self.id.as_deref());
        let making = ChangeContext { disk, journal, view: &self.view, stop };
        match &self.act {
            Act::Put(put) => {
                let ready = put.prepare(disk, stop)?;
                let after = After { size: ready.size, digest: ready.digest };
                let before = put.old.as_ref().map(|old| Before {
                    size: old.facts().size,
                    digest: old.seen_digest(),
                    mode: old.facts().mode,
                });
                let step = RecordedStep::Put { path: put.slot.path().to_string(), before, after };
                self.recorded(server, step, put, |disk| ready.perform(disk))
            }
            Act::PutAll(all) => self.put_all(server, all, stop),
            Act::Grow(grow) => {
                let name = temp::name().map_err(|errno| FileError::system(errno, &grow.shown))?;
                let made = grow.prepare(disk, &name).and_then(|()| {
                    let innermost = grow.folders().pop().unwrap_or_default();
                    let file = grow.file.as_ref().map(|file| {
                        let bytes = file.content.as_bytes();
                        let after = After { size: bytes.len() as u64, digest: FileDigest::of(bytes) };
                        (format!("{innermost}/{}", file.name), after)
                    });
                    let step = RecordedStep::Grown { folders: grow.folders(), file };
                    self.kept(server, step, 0, None, |disk| grow.perform(disk, &name))
                });
                if made.is_err() {
                    grow.discard(disk, &name);
                }
                made
            }
            Act::Remove(remove) => {
                let step = RecordedStep::Removed {
                    path: remove.slot.path().to_string(),
                    print: remove.scanned.print.clone(),
                };
                let takes = Journal::needed_room(remove.scanned.bytes, remove.scanned.entries());
                self.kept(server, step, takes, None, |_| remove.perform(making))
            }
            Act::Move(moving) => {
                let (from, to) = (moving.from.path().to_string(), moving.to.path().to_string());
                let step = RecordedStep::Moved { from, to, print: moving.scanned.print.clone() };
                self.kept(server, step, 0, None, |_| moving.perform(making))
            }
            Act::Copy(copy) => {
                let step = RecordedStep::Made {
                    path: copy.to.path().to_string(),
                    print: copy.scanned.print.clone(),
                };
                self.kept(server, step, 0, None, |_| copy.perform(making))
            }
            Act::Restore(restore) => {
                let journal = server.journal.as_deref().ok_or_else(no_journal)?;
                let step =
                    RecordedStep::Made { path: restore.to.path().to_string(), print: restore.print.clone() };
                self.kept(server, step, 0, None, |_| restore.perform(making, journal))
            }
        }
    }

    /// Writes new content to several files: all of them are new, or all are old.
    fn put_all(&self, server: &FileServer, all: &PutAll, stop: &Stop) -> Result<(), FileError> {
        let disk = &server.disk;
        let ready: Vec<PreparedFile<'_>> =
            all.puts.iter().map(|put| put.prepare(disk, stop)).collect::<Result<_, _>>()?;
        let Some((journal, id)) = server.journal.as_deref().zip(self.id.as_deref()) else {
            return exchange_all(disk, ready).map_err(|failed| failed.error);
        };
        let pending = Pending::begin(disk, journal, id)?;
        let made = keep(disk, journal, id, &all.puts).and_then(|kept_bytes| {
            let step = RecordedStep::PutAll { puts: all.puts.iter().zip(&ready).map(step_of).collect() };
            self.kept(server, step, kept_bytes, None, |disk| exchange_all(disk, ready))
        });
        if made.is_err() && journal.find(id).is_err() {
            let _ = remove::all(disk, &journal.folder, &Journal::kept_name(id));
        }
        made?;
        let shown = all.puts.first().map_or("", |put| &put.shown);
        pending.end().map_err(|errno| unconfirmed(errno, shown).error)
    }

    /// Makes the change after the old content is in the journal and was compared with what the plan
    /// saw.
    fn recorded(
        &self,
        server: &FileServer,
        step: RecordedStep,
        put: &Put,
        perform: impl FnOnce(&super::Disk) -> Result<(), ChangeError>,
    ) -> Result<(), FileError> {
        let blob = put.old.as_ref().map(|old| Blob {
            file: &old.open.file,
            size: old.facts().size,
            planned_content: old.seen_content(),
        });
        let bytes = blob.map_or(0, |blob| blob.size);
        let done = self.kept(server, step, bytes, blob, perform);
        done.map_err(
            |error| if error.code == code::CONFLICT { FileError::conflict(&put.shown) } else { error },
        )
    }

    fn kept(
        &self,
        server: &FileServer,
        step: RecordedStep,
        kept_bytes: u64,
        blob: Option<Blob<'_>>,
        perform: impl FnOnce(&super::Disk) -> Result<(), ChangeError>,
    ) -> Result<(), FileError> {
        let disk = &server.disk;
        let journal = server.journal.as_deref().zip(self.id.clone());
        let entry = match journal {
            Some((journal, id)) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
                let at = u64::try_from(now).unwrap_or(u64::MAX);
                let (tool, undoes, origin) = (self.tool.to_owned(), self.undoes.clone(), self.origin.clone());
                let irreversible = self.act.lost().map(|lost| lost.why.clone());
                // Content that is not kept must still be what the plan saw.
                let (kept_bytes, blob) = match &irreversible {
                    None => (kept_bytes, blob),
                    Some(_) => {
                        blob.map_or(Ok(()), |blob| blob.check(disk))?;
                        (0, None)
                    }
                };
                let version = VERSION;
                let record = Record { version, id, tool, at, step, undoes, kept_bytes, irreversible, origin };
                Some(journal.add(disk, &record, blob, self.act.restored_from())?)
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
    /// The reason why this can't be undone.
    pub(crate) fn lost(&self) -> Option<&Irreversible> {
        match self {
            Self::Remove(Remove { keeping: Retention::Lost(lost), .. }) => Some(lost),
            Self::Put(put) => put.lost.as_ref(),
            Self::PutAll(all) => all.puts.iter().find_map(|put| put.lost.as_ref()),
            _ => None,
        }
    }

    /// The earlier change whose kept content is needed until this is done.
    fn restored_from(&self) -> Option<&str> {
        match self {
            Self::Restore(restore) => Some(&restore.id),
            _ => None,
        }
    }

    /// The folders that this writes to.
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
    FileError::new(
        code::UNKNOWN_CHANGE,
        "this server keeps no journal, so nothing can be undone",
        "Ask the user to start the server with a journal.",
    )
}
