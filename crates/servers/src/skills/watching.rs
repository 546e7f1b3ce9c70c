//! Notices changes in the folders of skills, reads what changed, and announces it.
use std::collections::HashSet;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::{Arc, Weak};

use overt_toolbox::Changes;

use super::library::Library;
use super::limits::MOST_WATCHED;
use super::snapshot::Snapshot;
use crate::files::access::Folder;
use crate::files::watching::{InotifyReader, add, remove};

/// The reader of inotify, with the folders that it watches.
#[derive(Debug)]
pub(super) struct WatchedFolders {
    reading: InotifyReader,
    folders: Folders,
}

/// The watched folders, by their inotify watch descriptors.
#[derive(Debug, Default)]
struct Folders {
    numbers: HashSet<i32>,
    /// Whether some folder could not be watched.
    is_incomplete: bool,
}

impl WatchedFolders {
    pub(super) fn start() -> Result<Self, std::io::Error> {
        Ok(Self { reading: InotifyReader::start()?, folders: Folders::default() })
    }

    /// Watches a folder. Call it before reading the folder, so that no change is missed in between.
    pub(super) fn enter(&mut self, folder: &Folder) {
        self.folders.enter(&self.reading.inotify, folder);
    }

    /// Whether changes in some folder go unnoticed.
    pub(super) fn is_incomplete(&self) -> bool {
        self.folders.is_incomplete
    }

    /// Reloads the skills after every change, for as long as the library is served.
    pub(super) async fn run(mut self, library: Weak<Library>, changes: Changes) {
        let Some(stale) = library.upgrade().map(|library| Arc::clone(&library.stale)) else { return };
        loop {
            tokio::select! {
                reports = self.reading.reports.recv() => if reports.is_none() { return },
                () = stale.notified() => {}
            }
            let Some(served) = library.upgrade() else { return };
            let inotify = Arc::clone(&self.reading.inotify);
            let read = tokio::task::spawn_blocking(move || {
                let mut folders = Folders::default();
                let states = served.reload(&mut |folder| folders.enter(&inotify, folder));
                (folders, states)
            });
            // If the reload panics, the previous snapshot stays in service.
            let Ok((folders, (before, now))) = read.await else { continue };
            for gone in self.folders.numbers.difference(&folders.numbers) {
                remove(&self.reading.inotify, *gone);
            }
            self.folders = folders;
            tell(&before, &now, &changes).await;
        }
    }
}

impl Folders {
    fn enter(&mut self, inotify: &OwnedFd, folder: &Folder) {
        match (self.numbers.len() < MOST_WATCHED).then(|| add(inotify, folder.as_fd())) {
            Some(Ok(number)) => {
                self.numbers.insert(number);
            }
            _ => self.is_incomplete = true,
        }
    }
}

/// Announces the changes to clients, and logs new problems for the operator.
async fn tell(before: &Snapshot, now: &Snapshot, changes: &Changes) {
    for finding in now.findings.iter().filter(|finding| !before.findings.contains(finding)) {
        tracing::warn!("{finding}");
    }
    if overt_toolbox::SkillListing::revision(before) == overt_toolbox::SkillListing::revision(now) {
        return;
    }
    tracing::info!(skills = now.skills.len(), "the skills changed");
    changes.resources().await;
    for uri in now.changed_uris(before) {
        changes.resource(&uri).await;
    }
}
