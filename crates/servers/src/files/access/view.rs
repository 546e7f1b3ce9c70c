//! What one call can see and change: the roots that are in force for it, and what it was granted
//! beside them.
use std::sync::Arc;

use overt_policy::scope::{Action, Scope};
use overt_toolbox::{Context, ToolError};
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::super::error::FileError;
use super::facts::{Facts, Kind};
use super::names::{self, NameMatching};
use super::open::{self, Links, Mounts};
use super::path::AbsolutePath;
use super::roots::Roots;
use super::rules::{PathAccess, RuleSettings, Rules, decide_in};
use super::unfinished::is_unfinished;

/// What one call can see and change.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(super) roots: Arc<Roots>,
    /// The rules in force: those of the operator, of the client and of the call. All of them must
    /// allow a path.
    rules: Arc<Rules>,
    /// The folders that are served. Relative paths begin in the first.
    served: Arc<[AbsolutePath]>,
    /// Whether a client or a policy has narrowed the roots. Nothing outside them can be granted
    /// then.
    is_narrowed: bool,
    is_read_only: bool,
    /// Whether files with a second hard link can't be read, because the other name may be anywhere
    /// (FS-12).
    hides_hard_links: bool,
    /// Decides about scopes, both for the path as written and for the place where links led. `None`
    /// if the owner of the files asks, or if the caller checks scopes itself.
    context: Option<Context>,
    /// Whether paths are shown in full, for readers who don't know where relative paths begin.
    shows_absolute: bool,
}

/// What a call can see of everything beneath a folder, at any depth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SubtreeVisibility {
    /// No region hides any of it.
    regions: bool,
    /// The scopes of the call allow reading all of it.
    scopes: bool,
}

/// Identifies what a call can see beneath a folder. Calls with equal keys see the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct VisibilityKey {
    rules: Option<Arc<Rules>>,
    /// The session, if its scopes allow only a part of the folder.
    session: Option<String>,
}

impl PartialEq for VisibilityKey {
    fn eq(&self, other: &Self) -> bool {
        let is_same = match (&self.rules, &other.rules) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same && self.session == other.session
    }
}

impl Eq for VisibilityKey {}

impl SubtreeVisibility {
    /// Whether nothing is hidden, so that no entry needs a check.
    pub(crate) fn is_clear(self) -> bool {
        self.regions && self.scopes
    }
}

impl View {
    /// Returns what this call can see, under the settings in force for it.
    pub(crate) fn of(context: &Context, roots: &Arc<Roots>) -> Result<Self, ToolError> {
        let settings = RuleSettings {
            roots: context.setting("roots")?,
            hidden: context.setting("hidden")?,
            immutable: context.setting("immutable")?,
        };
        let is_narrowed = context.is_narrowed("roots");
        let served = if is_narrowed { roots.narrowed_to(&settings.roots) } else { Arc::clone(roots.paths()) };
        Ok(Self {
            served,
            is_narrowed,
            is_read_only: context.setting("read_only")?,
            hides_hard_links: context.setting::<String>("hardlinks")? == "deny",
            rules: roots.rules_of(settings)?,
            roots: Arc::clone(roots),
            context: Some(context.clone()),
            shows_absolute: false,
        })
    }

    /// Returns a view with these regions and without scopes, for a program that acts for the owner
    /// of the files.
    pub(crate) fn of_regions(roots: &Arc<Roots>, regions: overt_settings::Regions) -> Self {
        let roots = Arc::clone(roots);
        Self {
            served: Arc::clone(roots.paths()),
            roots,
            rules: Arc::new(Rules { roots: regions, ..Rules::default() }),
            is_narrowed: false,
            is_read_only: false,
            hides_hard_links: false,
            context: None,
            shows_absolute: false,
        }
    }

    /// Returns this view for work after the answer: the rules still apply, and the caller checks
    /// scopes itself.
    pub(crate) fn without_caller(&self) -> Self {
        Self { context: None, ..self.clone() }
    }

    /// Returns this view with absolute paths in everything that people are shown.
    pub(crate) fn showing_absolute_paths(self) -> Self {
        Self { shows_absolute: true, ..self }
    }

    /// Formats a path for display: relative to the default root, otherwise absolute.
    pub(crate) fn shown(&self, path: &AbsolutePath) -> String {
        match self.default_root().inner(path) {
            _ if self.shows_absolute => path.to_string(),
            Some("") => ".".to_owned(),
            Some(inner) => inner.to_owned(),
            None => path.to_string(),
        }
    }

    /// Formats the path of a folder's entry for display.
    pub(crate) fn shown_in(&self, folder: &AbsolutePath, name: &str) -> String {
        let folder = match self.default_root().inner(folder) {
            Some("") => return name.to_owned(),
            Some(inner) => inner,
            None => return self.shown(&folder.child(name)),
        };
        let mut shown = String::with_capacity(folder.len() + 1 + name.len() + 1);
        shown.push_str(folder);
        shown.push('/');
        shown.push_str(name);
        shown
    }

    /// Makes a client's path absolute, by its names alone.
    pub(crate) fn absolute(&self, text: &str) -> Result<AbsolutePath, FileError> {
        self.roots.absolute(text, &self.served)
    }

    /// The folders that are served. Relative paths begin in the first.
    pub(crate) fn served(&self) -> &[AbsolutePath] {
        &self.served
    }

    /// The folder in which relative paths begin.
    fn default_root(&self) -> &AbsolutePath {
        self.roots.default_of(&self.served)
    }

    /// The error for a path in no root.
    pub(super) fn outside(&self, shown: &str) -> FileError {
        FileError::outside_of(&self.served, shown)
    }

    /// Whether the path is a root or contains one. Such a path can't be moved or deleted (FS-30).
    pub(crate) fn holds_root(&self, path: &AbsolutePath) -> bool {
        let mut roots = self.roots.paths().iter().chain(&*self.served);
        roots.any(|root| path.inner(root).is_some())
    }

    /// Whether the path is a root.
    pub(super) fn is_root(&self, path: &AbsolutePath) -> bool {
        self.roots.paths().iter().chain(&*self.served).any(|root| root == path)
    }

    /// Whether a real path is visible.
    pub(crate) fn sees(&self, path: &AbsolutePath) -> bool {
        self.decide(path, PathAccess::See, "").is_ok()
    }

    /// Returns which checks the entries of a visible folder don't need. `outer` is the result for
    /// the folder around it.
    pub(crate) fn visibility(&self, folder: &AbsolutePath, outer: SubtreeVisibility) -> SubtreeVisibility {
        // Outside the roots, a folder may contain a root that has rules of its own.
        if !self.roots.is_in_root(folder) {
            return SubtreeVisibility::default();
        }
        // A scope for a folder is allowed only if nothing beneath it is denied.
        let covers =
            |context: &Context| context.allows(&Scope::of_path(Action::Read, "file", folder.as_str()), true);
        SubtreeVisibility {
            regions: outer.regions || self.all_visible_beneath(folder),
            scopes: outer.scopes || self.context.as_ref().is_none_or(covers),
        }
    }

    /// Returns the key of what this call can see beneath a folder.
    pub(crate) fn visibility_key(&self, folder: &AbsolutePath) -> VisibilityKey {
        let sees_all = self.visibility(folder, SubtreeVisibility::default()).scopes;
        let session =
            self.context.as_ref().filter(|_| !sees_all).map(|context| context.session_id().to_owned());
        VisibilityKey { rules: Some(Arc::clone(&self.rules)), session }
    }

    /// Whether an entry of a folder is visible; the result is that of [`sees`](Self::sees).
    /// `visibility` says which checks can be skipped.
    pub(crate) fn sees_in(&self, visibility: SubtreeVisibility, path: &AbsolutePath) -> bool {
        match visibility {
            SubtreeVisibility { regions: true, scopes: true } => true,
            SubtreeVisibility { scopes: true, .. } => self.decide_by_rules(path, PathAccess::See, "").is_ok(),
            SubtreeVisibility { .. } => self.sees(path),
        }
    }

    fn all_visible_beneath(&self, folder: &AbsolutePath) -> bool {
        self.rules.roots.all_visible_beneath(folder.as_str()) && !self.roots.holds_private(folder)
    }

    /// Whether a path is in a root, or in a folder that can be granted.
    pub(crate) fn is_reached(&self, path: &AbsolutePath) -> bool {
        self.roots.root_dir_of(path).is_some()
    }

    /// Whether a real path may be changed.
    pub(crate) fn may_change(&self, path: &AbsolutePath) -> bool {
        self.decide(path, PathAccess::Change, "").is_ok()
    }

    /// Fails for a file with a second hard link, if the settings forbid reading such files. Callers
    /// check every file that they open.
    pub(crate) fn check_links(&self, facts: &Facts, shown: &str) -> Result<(), FileError> {
        if self.hides_hard_links && facts.kind == Kind::File && facts.links > 1 {
            return Err(FileError::hard_link(shown));
        }
        Ok(())
    }

    /// Decides about one path: by its root, by the rules and by scopes. Callers decide about a path
    /// as written and, if it contains links, again about the place where it led.
    pub(super) fn decide(&self, path: &AbsolutePath, want: PathAccess, shown: &str) -> Result<(), FileError> {
        if want == PathAccess::Change && self.is_read_only {
            return Err(FileError::immutable(shown));
        }
        let is_in_root = self.roots.is_in_root(path);
        let is_narrowed_out =
            self.is_narrowed && !self.served.iter().any(|folder| folder.inner(path).is_some());
        let can_be_granted =
            !self.is_narrowed && self.context.is_some() && self.roots.root_dir_of(path).is_some();
        let is_served = is_in_root && !is_narrowed_out;
        if !is_served && !can_be_granted {
            return Err(self.outside(shown));
        }
        self.decide_by_rules(path, want, shown)?;
        let Some(context) = &self.context else { return Ok(()) };
        // A preview needs no permission to write.
        let action = match want {
            PathAccess::Change if !context.is_preview() => Action::Write,
            PathAccess::Change | PathAccess::See => Action::Read,
        };
        if context.allows(&Scope::of_path(action, "file", path.as_str()), is_in_root) {
            return Ok(());
        }
        Err(if is_in_root { FileError::hidden(shown) } else { self.outside(shown) })
    }

    /// Applies the rules to a path in a served or grantable folder, whichever way its folders
    /// compare names.
    fn decide_by_rules(&self, path: &AbsolutePath, want: PathAccess, shown: &str) -> Result<(), FileError> {
        // Unfinished files are hidden from reads, but a change of a whole folder includes those in
        // it.
        let is_left_over = want == PathAccess::See && is_unfinished(path);
        if is_left_over || self.roots.is_private(path) {
            return Err(FileError::hidden(shown));
        }
        let regions = match self.roots.is_in_root(path) {
            true => &self.rules.roots,
            false => &self.rules.grantable,
        };
        decide_in(regions, path, want, shown, || self.names_on_the_way(path))
    }

    /// Whether a name in the path may be the short form of another one, which is not known.
    pub(crate) fn may_have_another_name(&self, path: &AbsolutePath) -> bool {
        names::has_short_name(path.as_str()) && self.names_on_the_way(path) == NameMatching::Short
    }

    /// Returns the loosest name matching of all folders on the path. Assumes the worst if one of
    /// them can't be opened.
    fn names_on_the_way(&self, path: &AbsolutePath) -> NameMatching {
        let Some((root_dir, inner)) = self.roots.root_dir_of(path) else { return NameMatching::Short };
        let folders = inner.match_indices('/').map(|(end, _)| &inner[..end]);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut worst = NameMatching::Exact;
        for folder in [""].into_iter().chain(folders) {
            match open::beneath(root_dir.handle(), folder, flags, Links::FollowBeneath, Mounts::Cross) {
                Ok(handle) => worst = worst.max(names::names_in(&handle)),
                // The rest of the path does not exist.
                Err(Errno::NOENT | Errno::NOTDIR) => break,
                Err(_) => return NameMatching::Short,
            }
        }
        worst
    }
}
