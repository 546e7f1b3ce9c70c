//! One entry of a tree, as a visitor sees it.
use std::sync::Arc;

use super::super::access::{AbsolutePath, Facts, Kind, OpenFile, View};
use super::super::error::FileError;
use super::counted_folder::CountedFolder;

/// An entry that can be seen and is not left out.
#[derive(Debug)]
pub(crate) struct WalkEntry<'a> {
    pub(super) source: Source<'a>,
    /// What it is; what it leads to, where links are followed.
    pub(crate) kind: Kind,
    /// Bytes of the path before the part within the folder that the walk began at.
    pub(super) base: usize,
}

#[derive(Debug)]
pub(super) enum Source<'a> {
    Child {
        parent: &'a Arc<CountedFolder>,
        name: &'a str,
    },
    /// A link that was followed, or that leads nowhere.
    Link {
        view: &'a View,
        path: &'a AbsolutePath,
        facts: Option<Facts>,
    },
}

/// What to do with a folder that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkStep {
    /// Walk on, into it.
    Into,
    /// Walk on beside it.
    Beside,
}

/// Visits the entries of a walk. Each thread has one.
pub(crate) trait Visitor: Send {
    /// An error ends the walk. Only for folders the answer counts.
    fn visit(&mut self, found: &WalkEntry<'_>) -> Result<WalkStep, FileError>;
}

impl WalkEntry<'_> {
    pub(crate) fn name(&self) -> &str {
        match &self.source {
            Source::Child { name, .. } => name,
            Source::Link { path, .. } => path.as_str().rsplit('/').next().unwrap_or_default(),
        }
    }

    #[cfg(test)]
    pub(crate) fn path(&self) -> AbsolutePath {
        match &self.source {
            Source::Child { parent, name } => parent.folder.path.child(name),
            Source::Link { path, .. } => (*path).clone(),
        }
    }

    /// The path as it is shown to a client.
    pub(crate) fn shown(&self, view: &View) -> String {
        match &self.source {
            Source::Child { parent, name } => view.shown_in(&parent.folder.path, name),
            Source::Link { path, .. } => view.shown(path),
        }
    }

    /// The path within the folder that the walk began at, into a text that is used again.
    pub(crate) fn relative(&self, text: &mut String) {
        text.clear();
        match &self.source {
            Source::Child { parent, name } => {
                let folder = parent.folder.path.as_str().get(self.base..).unwrap_or_default();
                if !folder.is_empty() {
                    text.push_str(folder);
                    text.push('/');
                }
                text.push_str(name);
            }
            Source::Link { path, .. } => text.push_str(path.as_str().get(self.base..).unwrap_or_default()),
        }
    }

    /// What the system says of it now. None if it is gone.
    pub(crate) fn facts(&self) -> Option<Facts> {
        match &self.source {
            Source::Child { parent, name } => parent.folder.look(name).ok().flatten(),
            Source::Link { facts, .. } => *facts,
        }
    }

    /// Opens it for reading: a regular file or nothing.
    pub(crate) fn file(&self) -> Result<OpenFile, FileError> {
        match &self.source {
            Source::Child { parent, name } => parent.folder.child_file(name),
            Source::Link { view, path, .. } => view.file(path.as_str()),
        }
    }
}
