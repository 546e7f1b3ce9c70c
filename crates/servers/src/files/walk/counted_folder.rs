//! Counts open folders, so that a deep or wide tree does not use up the file handles of the
//! process.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::access::{AbsolutePath, Folder, View};

/// Most folders that one walk keeps open for pending jobs beneath them. Beyond this, folders are
/// opened again by their path.
const MOST_OPEN: usize = 96;

/// The number of open folders.
#[derive(Debug, Clone, Default)]
pub(super) struct Count(Arc<AtomicUsize>);

/// An open folder that is counted while it exists.
#[derive(Debug)]
pub(super) struct CountedFolder {
    pub(super) folder: Folder,
    count: Count,
}

/// The folder in which another folder is opened later.
#[derive(Debug, Clone)]
pub(super) enum Parent {
    Open(Arc<CountedFolder>),
    Closed(Arc<AbsolutePath>),
}

impl Count {
    pub(super) fn hold(&self, folder: Folder) -> Arc<CountedFolder> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Arc::new(CountedFolder { folder, count: self.clone() })
    }

    /// Returns how pending jobs should refer to a folder: by its handle, or by its path if too many
    /// are open.
    pub(super) fn parent(&self, held: &Arc<CountedFolder>) -> Parent {
        if self.0.load(Ordering::Relaxed) < MOST_OPEN {
            Parent::Open(Arc::clone(held))
        } else {
            Parent::Closed(Arc::new(held.folder.path.clone()))
        }
    }
}

impl Drop for CountedFolder {
    fn drop(&mut self) {
        self.count.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Parent {
    /// Opens a folder in this one. `None` if it no longer exists, was replaced, or may not be seen.
    pub(super) fn open(&self, view: &View, name: &str) -> Option<Folder> {
        match self {
            Self::Open(held) => held.folder.child_folder(name).ok(),
            Self::Closed(path) => {
                let path = path.child(name);
                let folder = view.folder(path.as_str()).ok()?;
                // Another program may have put a link on the way since, which leads elsewhere.
                (folder.path == path).then_some(folder)
            }
        }
    }
}
