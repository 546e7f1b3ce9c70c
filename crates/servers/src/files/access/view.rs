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

/// Belongs to one call.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(super) roots: Arc<Roots>,
    /// What of the folders is in force: the operator's, the client's and the call's own rules, all
    /// of which must leave a path.
    rules: Arc<Rules>,
    /// Nothing beside the roots can be granted where a client or a policy has narrowed them.
    is_narrowed: bool,
    is_read_only: bool,
    /// A file with a second name is not read, because the other may be anywhere (FS-12).
    hides_hard_links: bool,
    /// Decides again, on the path that a name has led to.
    context: Option<Context>,
    /// Paths are shown whole, because there is no root that people would take them to begin in.
    shows_absolute: bool,
}

/// What a call can see of everything beneath a folder, however deep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SubtreeVisibility {
    /// No region hides any of it.
    regions: bool,
    /// All of it is within what the call may read.
    scopes: bool,
}

/// What decides what a call can see beneath a folder: calls with equal keys see the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct VisibilityKey {
    rules: Option<Arc<Rules>>,
    /// Whose scopes leave only a part of it.
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
    /// Nothing is hidden, so nothing need be asked.
    pub(crate) fn is_clear(self) -> bool {
        self.regions && self.scopes
    }
}

impl View {
    /// What this call can see, from the settings that are in force for it.
    pub(crate) fn of(context: &Context, roots: &Arc<Roots>) -> Result<Self, ToolError> {
        let settings = RuleSettings {
            roots: context.setting("roots")?,
            hidden: context.setting("hidden")?,
            immutable: context.setting("immutable")?,
        };
        Ok(Self {
            is_narrowed: context.is_narrowed("roots"),
            is_read_only: context.setting("read_only")?,
            hides_hard_links: context.setting::<String>("hardlinks")? == "deny",
            rules: roots.rules_of(settings)?,
            roots: Arc::clone(roots),
            context: Some(context.clone()),
            shows_absolute: false,
        })
    }

    /// What such regions leave, without a decision by scopes: the owner of the files is at work.
    pub(crate) fn of_regions(roots: &Arc<Roots>, regions: overt_policy::Regions) -> Self {
        let roots = Arc::clone(roots);
        Self {
            roots,
            rules: Arc::new(Rules { roots: regions, ..Rules::default() }),
            is_narrowed: false,
            is_read_only: false,
            hides_hard_links: false,
            context: None,
            shows_absolute: false,
        }
    }

    /// What is seen after the request was answered: the rules hold, and the caller decides by
    /// scopes itself.
    pub(crate) fn without_caller(&self) -> Self {
        Self { context: None, ..self.clone() }
    }

    /// This view, with absolute paths in everything that people are shown.
    pub(crate) fn showing_absolute_paths(self) -> Self {
        Self { shows_absolute: true, ..self }
    }

    /// The path as it is shown: relative to the default root, or whole.
    pub(crate) fn shown(&self, path: &AbsolutePath) -> String {
        match self.roots.default_root().inner(path) {
            _ if self.shows_absolute => path.to_string(),
            Some("") => ".".to_owned(),
            Some(inner) => inner.to_owned(),
            None => path.to_string(),
        }
    }

    /// The path of an entry of a folder as it is shown.
    pub(crate) fn shown_in(&self, folder: &AbsolutePath, name: &str) -> String {
        let folder = match self.roots.default_root().inner(folder) {
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

    /// A path as the client wrote it, made absolute by its names alone.
    pub(crate) fn absolute(&self, text: &str) -> Result<AbsolutePath, FileError> {
        self.roots.absolute(text)
    }

    /// Whether a root is there, or inside it: it can't be moved or deleted (FS-30).
    pub(crate) fn holds_root(&self, path: &AbsolutePath) -> bool {
        self.roots.served().any(|root| path.inner(root.path()).is_some())
    }

    /// Whether a real path can be seen.
    pub(crate) fn sees(&self, path: &AbsolutePath) -> bool {
        self.decide(path, PathAccess::See, "").is_ok()
    }

    /// What need not be asked about each entry of a folder that can be seen. `outer` is what is
    /// known of the folder around it.
    pub(crate) fn visibility(&self, folder: &AbsolutePath, outer: SubtreeVisibility) -> SubtreeVisibility {
        // Beside the roots there may be a root further in, with rules of its own.
        if !self.roots.is_in_root(folder) {
            return SubtreeVisibility::default();
        }
        // A scope is only allowed if nothing beneath it is denied.
        let covers =
            |context: &Context| context.allows(&Scope::of_path(Action::Read, "file", folder.as_str()), true);
        SubtreeVisibility {
            regions: outer.regions || self.all_visible_beneath(folder),
            scopes: outer.scopes || self.context.as_ref().is_none_or(covers),
        }
    }

    /// What decides what this call can see beneath a folder.
    pub(crate) fn visibility_key(&self, folder: &AbsolutePath) -> VisibilityKey {
        let sees_all = self.visibility(folder, SubtreeVisibility::default()).scopes;
        let session =
            self.context.as_ref().filter(|_| !sees_all).map(|context| context.session_id().to_owned());
        VisibilityKey { rules: Some(Arc::clone(&self.rules)), session }
    }

    /// Whether an entry of a folder can be seen, as [`sees`](Self::sees) decides it. `visibility`
    /// says which checks are not needed.
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

    /// Whether a path is in the folder that everything is reached from.
    pub(crate) fn is_reached(&self, path: &AbsolutePath) -> bool {
        self.roots.root_dir_of(path).is_some()
    }

    /// Whether a real path can be changed.
    pub(crate) fn may_change(&self, path: &AbsolutePath) -> bool {
        self.decide(path, PathAccess::Change, "").is_ok()
    }

    /// Fails for a file that has a second name where such files are not read. To be asked for every
    /// file that is opened.
    pub(crate) fn check_links(&self, facts: &Facts, shown: &str) -> Result<(), FileError> {
        if self.hides_hard_links && facts.kind == Kind::File && facts.links > 1 {
            return Err(FileError::hard_link(shown));
        }
        Ok(())
    }

    /// The one decision about a path. A path is decided as it was written and, if links were on the
    /// way, as it is.
    pub(super) fn decide(&self, path: &AbsolutePath, want: PathAccess, shown: &str) -> Result<(), FileError> {
        if want == PathAccess::Change && self.is_read_only {
            return Err(FileError::immutable(shown));
        }
        let is_in_root = self.roots.is_in_root(path);
        let can_be_granted =
            !self.is_narrowed && self.context.is_some() && self.roots.root_dir_of(path).is_some();
        if !is_in_root && !can_be_granted {
            return Err(FileError::outside(shown));
        }
        self.decide_by_rules(path, want, shown)?;
        let Some(context) = &self.context else { return Ok(()) };
        // A preview needs no permission to carry out the plan.
        let action = match want {
            PathAccess::Change if !context.is_preview() => Action::Write,
            PathAccess::Change | PathAccess::See => Action::Read,
        };
        if context.allows(&Scope::of_path(action, "file", path.as_str()), is_in_root) {
            return Ok(());
        }
        Err(if is_in_root { FileError::hidden(shown) } else { FileError::outside(shown) })
    }

    /// What the rules say of a path in a folder that is served or can be granted, whatever its
    /// names are compared by.
    fn decide_by_rules(&self, path: &AbsolutePath, want: PathAccess, shown: &str) -> Result<(), FileError> {
        // Whole folders are changed with what is left over in them.
        let is_left_over = want == PathAccess::See && is_unfinished(path);
        if is_left_over || self.roots.is_private(path) {
            return Err(FileError::hidden(shown));
        }
        let regions = match self.roots.is_in_root(path) {
            true => &self.rules.roots,
            false => &self.rules.beside,
        };
        decide_in(regions, path, want, shown, || self.names_on_the_way(path))
    }

    /// How names are compared in the folders that a path leads through.
    fn names_on_the_way(&self, path: &AbsolutePath) -> NameMatching {
        let Some((root_dir, inner)) = self.roots.root_dir_of(path) else { return NameMatching::Short };
        let folders = inner.match_indices('/').map(|(end, _)| &inner[..end]);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut worst = NameMatching::Exact;
        for folder in [""].into_iter().chain(folders) {
            match open::beneath(root_dir.handle(), folder, flags, Links::FollowBeneath, Mounts::Cross) {
                Ok(handle) => worst = worst.max(names::names_in(&handle)),
                // There is nothing further on.
                Err(Errno::NOENT | Errno::NOTDIR) => break,
                Err(_) => return NameMatching::Short,
            }
        }
        worst
    }
}
