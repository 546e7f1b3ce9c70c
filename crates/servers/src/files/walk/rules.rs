//! The rules of `.gitignore`, `.ignore` and `.git/info/exclude`, read through handles. Rules only
//! ever hide: no file in the tree can bring back what is denied (FS-40).
use std::io::Read as _;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::super::access::{Folder, Kind, SubtreeVisibility, View};

/// Limits for one file of rules: the bytes that are read, and the lines that are used.
const MOST_BYTES: u64 = 64 << 10;
const MOST_LINES: usize = 2_000;
/// Most nested folders with rules of their own.
const MOST_LEVELS: usize = 32;

const GIT: &str = ".git";

/// The rules of one folder. Where they don't decide, the rules of the folders around it apply.
#[derive(Debug)]
pub(super) struct Level {
    outer: Option<Arc<Self>>,
    count: usize,
    /// The offset in a path at which the part that the rules match begins.
    base: usize,
    ignore: Option<Gitignore>,
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// Whether the folder is a git repository of its own. Git rules of outer folders don't apply in
    /// it.
    is_repository: bool,
}

/// The rules that apply in a folder.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules(Option<Arc<Level>>);

impl Rules {
    /// Returns the rules for a folder inside the one that these rules apply to.
    pub(super) fn within(&self, folder: &Folder, view: &View, visibility: SubtreeVisibility) -> Self {
        let count = self.0.as_ref().map_or(0, |level| level.count);
        if count >= MOST_LEVELS {
            return self.clone();
        }
        let read = |folder: &Folder, name: &str| {
            let is_seen = visibility.is_clear() || view.sees_in(visibility, &folder.path.child(name));
            if is_seen { read(folder, name) } else { None }
        };
        let ignore = read(folder, ".ignore");
        let git = read(folder, ".gitignore");
        let is_repository = folder.entry_facts(GIT).is_ok_and(|facts| facts.is_some());
        let exclude = is_repository
            .then(|| folder.child_folder(GIT).ok()?.child_folder("info").ok())
            .flatten()
            .and_then(|info| read(&info, "exclude"));
        if ignore.is_none() && git.is_none() && !is_repository {
            return self.clone();
        }
        let base = folder.path.inner_at();
        let level =
            Level { outer: self.0.clone(), count: count + 1, base, ignore, git, exclude, is_repository };
        Self(Some(Arc::new(level)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether an entry is left out, by its absolute path. `.ignore` takes precedence over
    /// `.gitignore`, and inner rules over outer ones.
    pub(super) fn leave_out(&self, path: &str, kind: Kind) -> bool {
        let is_folder = kind == Kind::Folder;
        if is_folder && path.ends_with("/.git") {
            // Git's own files are not the user's work.
            return true;
        }
        let said = |rules: &Option<Gitignore>, inner: &str| match rules {
            Some(rules) => rules.matched(inner, is_folder).map(|_| ()),
            None => Match::None,
        };
        let (mut by_git, mut is_own) = (Match::None, true);
        let mut level = self.0.as_deref();
        while let Some(rules) = level {
            let Some(inner) = path.get(rules.base..) else { break };
            let by_ignore = said(&rules.ignore, inner);
            if !by_ignore.is_none() {
                return by_ignore.is_ignore();
            }
            if is_own {
                by_git = by_git.or(said(&rules.git, inner)).or(said(&rules.exclude, inner));
                is_own = !rules.is_repository;
            }
            level = rules.outer.as_deref();
        }
        by_git.is_ignore()
    }
}

fn read(folder: &Folder, name: &str) -> Option<Gitignore> {
    let file = folder.child_file(name).ok()?;
    let mut bytes = Vec::new();
    file.file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // Callers pass paths relative to the folder, so there is no prefix to strip.
    let mut builder = GitignoreBuilder::new(".");
    for line in text.trim_start_matches('\u{feff}').lines().take(MOST_LINES) {
        // An invalid line is skipped; the other lines apply.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}
