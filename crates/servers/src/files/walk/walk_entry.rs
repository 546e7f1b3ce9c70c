//! One entry of a tree, as a visitor sees it.
use std::sync::Arc;

use super::super::access::{AbsolutePath, Facts, Kind, OpenFile, View};
use super::super::error::FileError;
use super::counted_folder::CountedFolder;

/// An entry that is visible and not left out.
#[derive(Debug)]
pub(crate) struct WalkEntry<'a> {
    pub(super) source: Source<'a>,
    /// The kind of the entry, or of its target if it is a link that was followed.
    pub(crate) kind: Kind,
    /// The offset in the path at which the part inside the walk's start folder begins.
    pub(super) base: usize,
}

#[derive(Debug)]
pub(super) enum Source<'a> {
    Child {
        parent: &'a Arc<CountedFolder>,
        name: &'a str,
    },
    /// A link that was followed, or one that leads nowhere.
    Link {
        view: &'a View,
        path: &'a AbsolutePath,
        facts: Option<Facts>,
    },
}

/// How to continue after a folder was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkStep {
    /// Walk into the folder.
    Into,
    /// Skip the folder's contents.
    Beside,
}

/// Visits the entries of a walk. Each thread has its own visitor.
pub(crate) trait Visitor: Send {
    /// Visits an entry. An error ends the walk. The returned step matters only for folders.
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

    /// Formats the path for a client.
    pub(crate) fn shown(&self, view: &View) -> String {
        match &self.source {
            Source::Child { parent, name } => view.shown_in(&parent.folder.path, name),
            Source::Link { path, .. } => view.shown(path),
        }
    }

    /// Writes the path relative to the walk's start folder into a reused buffer.
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

    /// Returns the current facts of the entry. `None` if it no longer exists.
    pub(crate) fn facts(&self) -> Option<Facts> {
        match &self.source {
            Source::Child { parent, name } => parent.folder.entry_facts(name).ok().flatten(),
            Source::Link { facts, .. } => *facts,
        }
    }

    /// Opens the entry for reading. Fails unless it is a regular file.
    pub(crate) fn file(&self) -> Result<OpenFile, FileError> {
        match &self.source {
            Source::Child { parent, name } => parent.folder.child_file(name),
            Source::Link { view, path, .. } => view.file(path.as_str()),
        }
    }
}
