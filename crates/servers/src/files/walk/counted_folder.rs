//! Open folders, counted: a tree that is deep or wide must not use up the handles of the process.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::access::{AbsolutePath, Folder, View};

/// Folders that one walk keeps open for what is still to be done beneath them. Beyond it, they are
/// opened again by their path.
const MOST_OPEN: usize = 96;

/// How many are open.
#[derive(Debug, Clone, Default)]
pub(super) struct Count(Arc<AtomicUsize>);

/// An open folder that is counted for as long as it is in use.
#[derive(Debug)]
pub(super) struct CountedFolder {
    pub(super) folder: Folder,
    count: Count,
}

/// The folder that another one is opened in.
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

    /// How the children of a folder should remember it.
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
    /// Opens a folder in this one. None if it can't be: it is gone, was exchanged, or is not for
    /// us.
    pub(super) fn open(&self, view: &View, name: &str) -> Option<Folder> {
        match self {
            Self::Open(held) => held.folder.child_folder(name).ok(),
            Self::Closed(path) => {
                let path = path.child(name);
                let folder = view.folder(path.as_str()).ok()?;
                // A link that another program put on the way since then leads elsewhere.
                (folder.path == path).then_some(folder)
            }
        }
    }
}
