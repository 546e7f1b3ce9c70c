//! Folders that were opened when the server began: every path is reached from one of them, and from nowhere else.
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overt_policy::Regions;
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

use super::super::error::{FileError, code};
use super::facts::Kind;
use super::handle::Folder;
use super::open;
use super::open_error::OpenError;
use super::path::Whole;
use super::rules::{Rules, RulesCache, Said, unusable};

/// All of them.
#[derive(Debug)]
pub(crate) struct Space {
    anchors: Vec<Anchor>,
    /// Where relative paths begin.
    default: Whole,
    rules: RulesCache,
    /// The server's own folder, which nobody sees although it may be in a root.
    private: Option<Whole>,
}

/// One folder.
#[derive(Debug)]
pub(crate) struct Anchor {
    handle: OwnedFd,
    /// Where it really is.
    path: Whole,
    /// Which folder it is: its device and its number there.
    identity: (u64, u64),
    /// As whoever started the server wrote it, made absolute; clients may know it by this name.
    alias: Option<Whole>,
    pub(crate) is_root: bool,
    /// Opening and looking never waits for another machine or another program.
    is_local: bool,
}

impl Space {
    /// `roots` are served, the first of them by relative paths; `grantable` only where a person allows it. All are absolute.
    pub(crate) fn open(roots: &[PathBuf], grantable: &[PathBuf]) -> Result<Self, OpenError> {
        let anchor = |path: &PathBuf, is_root| Anchor::open(path, is_root);
        let mut anchors = roots.iter().map(|path| anchor(path, true)).collect::<Result<Vec<_>, _>>()?;
        let default = anchors.first().ok_or(OpenError::NoRoot)?.path.clone();
        for path in grantable {
            anchors.push(anchor(path, false)?);
        }
        Ok(Self { anchors, default, rules: RulesCache::default(), private: None })
    }

    /// The same without a folder that is the server's own.
    pub(crate) fn without(self, private: Option<Whole>) -> Self {
        Self { private, ..self }
    }

    /// What of the roots is in force by these settings. Made once for as long as the settings stay the same.
    pub(super) fn rules_of(&self, said: Said) -> Result<Arc<Rules>, FileError> {
        self.rules.get_or_make(said, |said| {
            let roots = match self.has_aliases() {
                false => said.roots.clone(),
                true => {
                    let place = |path: &str| Ok::<_, FileError>(self.real_text(path));
                    said.roots.placed(place)?.ok_or_else(unusable)?
                }
            };
            if !said.has_patterns() {
                return Ok(Rules { roots, beside: Regions::top() });
            }
            Ok(Rules {
                roots: roots.meet(&said.everywhere(self.roots().map(Anchor::path))?),
                beside: said.everywhere(self.grantable().map(Anchor::path))?,
            })
        })
    }

    /// Whether the path is in the server's own folder.
    pub(super) fn is_private(&self, path: &Whole) -> bool {
        self.private.as_ref().is_some_and(|private| private.inner(path).is_some())
    }

    /// Whether the server's own folder is in this one, or this one in it.
    pub(super) fn holds_private(&self, folder: &Whole) -> bool {
        let is_within = |private: &Whole| folder.inner(private).is_some() || private.inner(folder).is_some();
        self.private.as_ref().is_some_and(is_within)
    }

    pub(crate) fn default_root(&self) -> &Whole {
        &self.default
    }

    /// A path as a client wrote it, made whole by its names alone.
    pub(crate) fn whole(&self, text: &str) -> Result<Whole, FileError> {
        Whole::of(text, &self.default).map(|path| self.real(path))
    }

    pub(crate) fn roots(&self) -> impl Iterator<Item = &Anchor> {
        self.anchors.iter().filter(|anchor| anchor.is_root)
    }

    /// What can be granted beside the roots.
    pub(crate) fn grantable(&self) -> impl Iterator<Item = &Anchor> {
        self.anchors.iter().filter(|anchor| !anchor.is_root)
    }

    /// The same place by its real name, where a root was written with links.
    fn real(&self, path: Whole) -> Whole {
        let inner =
            |anchor: &Anchor| Some((anchor.path.clone(), anchor.alias.as_ref()?.inner(&path)?.to_owned()));
        match self.anchors.iter().find_map(inner) {
            Some((real, rest)) if !rest.is_empty() => real.child(&rest),
            Some((real, _)) => real,
            None => path,
        }
    }

    /// Whether a root was written with links.
    fn has_aliases(&self) -> bool {
        self.anchors.iter().any(|anchor| anchor.alias.is_some())
    }

    /// The real name of a folder that somebody wrote in a setting. What is not a whole path stays as it is.
    fn real_text(&self, text: &str) -> String {
        Whole::from_system(text).map_or_else(|| text.to_owned(), |path| self.real(path).to_string())
    }

    /// The innermost folder that a path is in, and the rest of the path.
    pub(super) fn anchor_of<'a>(&self, path: &'a Whole) -> Option<(&Anchor, &'a str)> {
        let within = self.anchors.iter().filter_map(|anchor| Some((anchor, anchor.path.inner(path)?)));
        within.min_by_key(|(_, inner)| inner.len())
    }

    /// Whether the path is in a root, or in a folder that can be granted.
    pub(crate) fn is_reached(&self, path: &Whole) -> bool {
        self.anchor_of(path).is_some()
    }

    /// Whether the path is in a root, whatever of the root can be seen.
    pub(super) fn is_in_root(&self, path: &Whole) -> bool {
        self.roots().any(|anchor| anchor.path.inner(path).is_some())
    }
}

impl Anchor {
    fn open(path: &Path, is_root: bool) -> Result<Self, OpenError> {
        let failed = |errno| OpenError::Open { path: path.to_owned(), errno };
        // The one open by name: whoever started the server chose it, and links in it are theirs.
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOTDIR => OpenError::NotAFolder { path: path.to_owned() },
            errno => failed(errno),
        })?;
        let facts = open::facts(&handle).map_err(failed)?;
        if facts.kind != Kind::Folder {
            return Err(OpenError::NotAFolder { path: path.to_owned() });
        }
        let no_name = || OpenError::Name { path: path.to_owned() };
        let real = open::where_is(&handle).and_then(|real| Whole::from_system(&real)).ok_or_else(no_name)?;
        let alias = path.to_str().and_then(Whole::from_system).filter(|alias| *alias != real);
        let is_local = open::is_local(&handle);
        let identity = (facts.device, facts.inode);
        Ok(Self { handle, path: real, identity, alias, is_root, is_local })
    }

    pub(crate) fn path(&self) -> &Whole {
        &self.path
    }

    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// The folder, open for listing, if it is still where it was.
    pub(crate) fn folder(&self) -> Result<Folder, FileError> {
        self.check()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let handle = open::beneath(self.handle(), "", flags, open::Links::Refuse, open::Mounts::Cross);
        let handle = handle.map_err(|errno| FileError::system(errno, self.path.as_str()))?;
        Folder::of(handle, self.path.clone(), self.path.as_str())
    }

    /// What is beneath it, open for reading, if that takes no waiting.
    pub(super) fn open_at_once(&self, inner: &str) -> Option<OwnedFd> {
        self.is_local.then(|| open::at_once(self.handle(), inner))?
    }

    /// Whether the folder is not where it was.
    pub(crate) fn is_gone(&self) -> bool {
        let now = rustix::fs::statat(CWD, self.path.as_str(), AtFlags::SYMLINK_NOFOLLOW);
        !now.is_ok_and(|now| (now.st_dev, now.st_ino) == self.identity)
    }

    /// Fails if the folder is not where it was: nothing is read or written in what somebody put in its place (FS-31).
    pub(super) fn check(&self) -> Result<(), FileError> {
        if !self.is_gone() {
            return Ok(());
        }
        Err(FileError::new(
            code::ROOT_GONE,
            "the root directory was moved or deleted since the server started, so nothing was done",
            "Ask the user to put it back or to restart the server, then call again.",
        ))
    }
}
