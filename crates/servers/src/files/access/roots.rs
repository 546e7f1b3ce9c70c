//! Directories that were opened at startup. Every path is reached from one of them.
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overt_settings::{Origin, Regions, SettingValues};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

use super::super::error::{FileError, code};
use super::facts::Kind;
use super::handle::Folder;
use super::open;
use super::open_error::OpenError;
use super::path::AbsolutePath;
use super::rules::{RuleSettings, Rules, RulesCache, unusable};

/// The served directories, and the directories that can be granted beside them.
#[derive(Debug)]
pub(crate) struct Roots {
    root_dirs: Vec<RootDir>,
    /// The paths of the served directories. Relative paths begin in the first.
    paths: Arc<[AbsolutePath]>,
    rules: RulesCache,
    /// The server's own folder. Clients don't see it, even if it is in a root.
    private: Option<AbsolutePath>,
    /// What can't be granted outside of the directories; `None` if nothing there can be.
    beyond: Option<Vec<AbsolutePath>>,
}

/// A path that no client can name, so that paths are never shown relative to it.
const NOWHERE: &str = "/.";

/// One served or grantable directory, held open.
#[derive(Debug)]
pub(crate) struct RootDir {
    handle: OwnedFd,
    /// The real path, without links.
    path: AbsolutePath,
    /// Device and inode, which identify the folder.
    identity: (u64, u64),
    /// The absolute path that the operator wrote, if it differs from the real path. Clients may use
    /// this name.
    alias: Option<AbsolutePath>,
    pub(crate) is_root: bool,
    /// Whether opening files here never waits for another machine or another program.
    is_local: bool,
}

impl Roots {
    /// Opens all directories. `roots` are served, and relative paths begin in the first;
    /// `grantable` directories are used only where a person allows it. All paths are absolute.
    pub(crate) fn open(roots: &[PathBuf], grantable: &[PathBuf]) -> Result<Self, OpenError> {
        let root_dir = |path: &PathBuf, is_root| RootDir::open(path, is_root);
        let mut root_dirs = roots.iter().map(|path| root_dir(path, true)).collect::<Result<Vec<_>, _>>()?;
        if root_dirs.is_empty() {
            return Err(OpenError::NoRoot);
        }
        let paths = root_dirs.iter().map(|root_dir| root_dir.path.clone()).collect();
        for path in grantable {
            root_dirs.push(root_dir(path, false)?);
        }
        Ok(Self { root_dirs, paths, rules: RulesCache::default(), private: None, beyond: None })
    }

    /// Hides the server's own folder.
    pub(crate) fn without(self, private: Option<AbsolutePath>) -> Self {
        Self { private, ..self }
    }

    /// Shows all paths in full: the client of a worker knows no default root.
    pub(crate) fn of_worker(mut self) -> Self {
        self.paths =
            AbsolutePath::from_system(NOWHERE).into_iter().chain(self.paths.iter().cloned()).collect();
        self
    }

    /// Lets a person grant what is outside, except for these paths.
    pub(crate) fn with_places_beyond(self, protected: &[PathBuf]) -> Self {
        let protected = protected.iter().filter_map(|path| AbsolutePath::from_system(path.to_str()?));
        Self { beyond: Some(protected.collect()), ..self }
    }

    /// Whether a person can grant access to the path, which is outside of all directories.
    pub(crate) fn may_be_granted(&self, path: &AbsolutePath) -> bool {
        let is_protected = |protected: &AbsolutePath| protected.inner(path).is_some();
        path.split().is_some() && self.beyond.as_ref().is_some_and(|beyond| !beyond.iter().any(is_protected))
    }

    /// Returns the rules that follow from these settings. The rules are cached until the settings
    /// change.
    pub(super) fn rules_of(&self, settings: RuleSettings) -> Result<Arc<Rules>, FileError> {
        self.rules.get_or_make(settings, |settings| {
            let roots = match self.has_aliases() {
                false => settings.roots.clone(),
                true => {
                    let place = |path: &str| Ok::<_, FileError>(self.real_text(path));
                    settings.roots.with_paths(place)?.ok_or_else(unusable)?
                }
            };
            if !settings.has_patterns() {
                return Ok(Rules { roots, grantable: Regions::top() });
            }
            Ok(Rules {
                roots: roots.meet(&settings.everywhere(self.served().map(RootDir::path))?),
                grantable: settings.everywhere(self.grantable().map(RootDir::path))?,
            })
        })
    }

    /// Whether the path is in the server's own folder.
    pub(super) fn is_private(&self, path: &AbsolutePath) -> bool {
        self.private.as_ref().is_some_and(|private| private.inner(path).is_some())
    }

    /// Whether the server's own folder is inside `folder`, or `folder` inside it.
    pub(super) fn holds_private(&self, folder: &AbsolutePath) -> bool {
        let is_within =
            |private: &AbsolutePath| folder.inner(private).is_some() || private.inner(folder).is_some();
        self.private.as_ref().is_some_and(is_within)
    }

    /// The paths of the served directories. Relative paths begin in the first.
    pub(crate) fn paths(&self) -> &Arc<[AbsolutePath]> {
        &self.paths
    }

    /// Returns the folders that are served where a client's configuration or a policy has narrowed
    /// the roots to these regions. Relative paths begin in the first (H-18).
    pub(crate) fn narrowed_to(&self, regions: &Regions) -> Arc<[AbsolutePath]> {
        let folders = regions.common_folders().into_iter();
        let real = folders.filter_map(|path| AbsolutePath::from_system(&path)).map(|path| self.real(path));
        real.filter(|path| self.is_in_root(path)).collect()
    }

    /// Returns the folders that are served under these settings of a call.
    pub(crate) fn served_in(&self, settings: Option<&SettingValues>) -> Arc<[AbsolutePath]> {
        let is_narrowed = |settings: &&SettingValues| {
            matches!(settings.origin("roots"), Some(Origin::Client | Origin::Policy(_)))
        };
        match settings.filter(is_narrowed).and_then(|settings| settings.get("roots")) {
            Some(regions) => self.narrowed_to(&regions),
            None => Arc::clone(&self.paths),
        }
    }

    /// Makes a client's path absolute, by its names alone. Relative paths begin in the first of the
    /// served folders.
    pub(crate) fn absolute(&self, text: &str, served: &[AbsolutePath]) -> Result<AbsolutePath, FileError> {
        AbsolutePath::of(text, self.default_of(served)).map(|path| self.real(path))
    }

    /// Returns the first of the served folders; the operator's first root if none is left.
    pub(crate) fn default_of<'a>(&'a self, served: &'a [AbsolutePath]) -> &'a AbsolutePath {
        served.first().unwrap_or(&self.paths[0])
    }

    /// The directories that are served.
    pub(crate) fn served(&self) -> impl Iterator<Item = &RootDir> {
        self.root_dirs.iter().filter(|root_dir| root_dir.is_root)
    }

    /// The directories that can be granted beside the roots.
    pub(crate) fn grantable(&self) -> impl Iterator<Item = &RootDir> {
        self.root_dirs.iter().filter(|root_dir| !root_dir.is_root)
    }

    /// Replaces an alias of a root at the start of the path by the root's real path.
    fn real(&self, path: AbsolutePath) -> AbsolutePath {
        let inner = |root_dir: &RootDir| {
            let rest = root_dir.alias.as_ref()?.inner(&path)?;
            Some((root_dir.path.clone(), rest.to_owned()))
        };
        match self.root_dirs.iter().find_map(inner) {
            Some((real, rest)) if !rest.is_empty() => real.child(&rest),
            Some((real, _)) => real,
            None => path,
        }
    }

    /// Whether a served folder, or the root around it, was moved or deleted since the start.
    pub(crate) fn is_gone(&self, path: &AbsolutePath) -> bool {
        self.root_dir_of(path).is_none_or(|(root_dir, _)| root_dir.is_gone())
    }

    /// Whether any directory was given by a path with links.
    fn has_aliases(&self) -> bool {
        self.root_dirs.iter().any(|root_dir| root_dir.alias.is_some())
    }

    /// Returns the real path of a folder that a setting names. Text that is not an absolute path
    /// stays as it is.
    fn real_text(&self, text: &str) -> String {
        AbsolutePath::from_system(text).map_or_else(|| text.to_owned(), |path| self.real(path).to_string())
    }

    /// Returns the innermost directory that contains the path, and the rest of the path.
    pub(super) fn root_dir_of<'a>(&self, path: &'a AbsolutePath) -> Option<(&RootDir, &'a str)> {
        let within =
            self.root_dirs.iter().filter_map(|root_dir| Some((root_dir, root_dir.path.inner(path)?)));
        within.min_by_key(|(_, inner)| inner.len())
    }

    /// Whether the path is in a root, or in a folder that can be granted.
    pub(crate) fn is_reached(&self, path: &AbsolutePath) -> bool {
        self.root_dir_of(path).is_some()
    }

    /// Whether the path is in a root, even if rules hide that part of the root.
    pub(crate) fn is_in_root(&self, path: &AbsolutePath) -> bool {
        self.served().any(|root_dir| root_dir.path.inner(path).is_some())
    }
}

impl RootDir {
    fn open(path: &Path, is_root: bool) -> Result<Self, OpenError> {
        let failed = |errno| OpenError::Open { path: path.to_owned(), errno };
        // The only open by name: the operator chose the path and vouches for the links in it.
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
        let real =
            open::where_is(&handle).and_then(|real| AbsolutePath::from_system(&real)).ok_or_else(no_name)?;
        let alias = path.to_str().and_then(AbsolutePath::from_system).filter(|alias| *alias != real);
        let is_local = open::is_local(&handle);
        let identity = (facts.device, facts.inode);
        Ok(Self { handle, path: real, identity, alias, is_root, is_local })
    }

    pub(crate) fn path(&self) -> &AbsolutePath {
        &self.path
    }

    pub(super) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// Opens the folder for listing, if it is still at its path.
    pub(crate) fn folder(&self) -> Result<Folder, FileError> {
        self.check()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let handle = open::beneath(self.handle(), "", flags, open::Links::Refuse, open::Mounts::Cross);
        let handle = handle.map_err(|errno| FileError::system(errno, self.path.as_str()))?;
        Folder::of(handle, self.path.clone(), self.path.as_str())
    }

    /// Opens a file beneath the folder for reading, if that needs no waiting.
    pub(super) fn open_at_once(&self, inner: &str) -> Option<OwnedFd> {
        self.is_local.then(|| open::at_once(self.handle(), inner))?
    }

    /// Whether the folder is no longer at its path.
    pub(crate) fn is_gone(&self) -> bool {
        let now = rustix::fs::statat(CWD, self.path.as_str(), AtFlags::SYMLINK_NOFOLLOW);
        !now.is_ok_and(|now| (now.st_dev, now.st_ino) == self.identity)
    }

    /// Fails if the folder is no longer at its path. Nothing may be read or written in a folder
    /// that another program put in its place (FS-31).
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
