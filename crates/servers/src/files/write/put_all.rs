//! New content for several files as one change: all of them are new, or all are old. First the new
//! contents are written under temporary names, and the old ones are kept in the journal. Then each
//! file is swapped with its new content. If one swap fails, the earlier ones are reversed. The next
//! server to start takes back from the journal what a killed process left half done
//! ([`super::recover`]).
use std::fs::File;

use rustix::io::Errno;

use super::super::error::{FileError, code};
use super::super::journal::{After, Before, Journal, PutStep};
use super::change_error::ChangeError;
use super::disk::Disk;
use super::exchange::ExchangedFile;
use super::old_file::OldFile;
use super::put::{PreparedFile, Put};

/// Existing files that get new content together.
#[derive(Debug)]
pub(crate) struct PutAll {
    pub(crate) puts: Vec<Put>,
}

/// The suffix of the marker file that exists while a change of several files is made. Its maker
/// holds a lock on it.
pub(crate) const PENDING: &str = ".pending";

pub(super) fn step_of((put, ready): (&Put, &PreparedFile<'_>)) -> PutStep {
    PutStep {
        path: put.slot.path().to_string(),
        before: before_of(put),
        after: After { size: ready.size, digest: ready.digest },
    }
}

fn before_of(put: &Put) -> Before {
    let old = put.old.as_ref();
    Before {
        size: old.map_or(0, |old| old.facts().size),
        digest: old.and_then(OldFile::seen_digest),
        mode: old.map_or(0, |old| old.facts().mode),
    }
}

/// Copies the old contents into the journal, one file each, and returns how many bytes they take.
pub(super) fn keep(disk: &Disk, journal: &Journal, id: &str, puts: &[Put]) -> Result<u64, FileError> {
    let failed = |errno| Journal::not_kept(errno);
    let name = Journal::kept_name(id);
    disk.create_folder(&journal.folder, &name, 0o700).map_err(failed)?;
    let folder = journal.folder.child_folder(&name)?;
    let mut bytes = 0;
    for (index, put) in puts.iter().enumerate() {
        let content =
            put.old.as_ref().and_then(|old| old.content.as_ref()).ok_or_else(|| failed(Errno::INVAL))?;
        let file = disk.create(&folder, &index.to_string()).map_err(failed)?;
        disk.write(&file, &content.bytes).map_err(failed)?;
        disk.sync(&file).map_err(failed)?;
        bytes += content.bytes.len() as u64;
    }
    disk.sync_folder(&folder).map_err(failed)?;
    Ok(Journal::needed_room(bytes, puts.len() as u64 + 1))
}

/// Swaps each file with its new content. If one swap fails, reverses the earlier ones.
pub(super) fn exchange_all(disk: &Disk, ready: Vec<PreparedFile<'_>>) -> Result<(), ChangeError> {
    let mut done: Vec<ExchangedFile<'_>> = Vec::with_capacity(ready.len());
    for one in ready {
        match one.exchange(disk) {
            Ok(exchanged) => done.push(exchanged),
            Err(error) => {
                let stuck: Vec<String> =
                    done.into_iter().rev().filter_map(|exchanged| exchanged.undo(disk).err()).collect();
                return Err(if stuck.is_empty() {
                    ChangeError { error, is_made: false }
                } else {
                    ChangeError { error: half_made(&error, &stuck), is_made: true }
                });
            }
        }
    }
    let unconfirmed: Vec<ChangeError> =
        done.into_iter().filter_map(|exchanged| exchanged.finish(disk).err()).collect();
    unconfirmed.into_iter().next().map_or(Ok(()), Err)
}

/// The error when another program changed a file between the two swaps. What it wrote stays.
fn half_made(error: &FileError, stuck: &[String]) -> FileError {
    FileError::new(
        code::CONFLICT,
        format!(
            "{}; but `{}` was changed by another program meanwhile and stays as it is now",
            error.problem,
            stuck.join("`, `")
        ),
        "Read the files again before going on.",
    )
}

/// Marks a change of several files as being under way, as long as it lives.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    disk: &'a Disk,
    journal: &'a Journal,
    name: String,
    /// The marker, locked. A process that can lock it knows that its maker is gone.
    file: File,
}

/// Content of the marker once the change is made; then recovery does not take it back.
pub(crate) const MADE: &[u8] = b"made";

impl<'a> Pending<'a> {
    pub(super) fn begin(disk: &'a Disk, journal: &'a Journal, id: &str) -> Result<Self, FileError> {
        let name = format!("{id}{PENDING}");
        let file = disk.create(&journal.folder, &name).map_err(Journal::not_kept)?;
        let pending = Self { disk, journal, name, file };
        disk.hold(&pending.file).map_err(Journal::not_kept)?;
        disk.sync_folder(&journal.folder).map_err(Journal::not_kept)?;
        Ok(pending)
    }

    /// Notes that the change is made. This must be on disk before the client gets its answer.
    /// Otherwise the next start could take the change back.
    pub(super) fn end(self) -> Result<(), Errno> {
        let (disk, folder) = (self.disk, &self.journal.folder);
        let said = disk.write(&self.file, MADE).and_then(|()| disk.sync(&self.file));
        said.or_else(|_| disk.remove(folder, &self.name).and_then(|()| disk.sync_folder(folder)))
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        let _ = self.disk.remove(&self.journal.folder, &self.name);
    }
}
