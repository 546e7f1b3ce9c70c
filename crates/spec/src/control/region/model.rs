//! Regions in layers. A path must be in a region of every layer, and nothing that any of them denies is left.
use super::super::globs::Globs;
use super::path::Path;

/// A folder, and what of it.
#[derive(Debug, Clone)]
pub struct Region {
    pub(super) path: Path,
    /// Patterns over paths within it. None: all of it; an empty list: nothing of it.
    pub(super) allow: Option<Globs>,
    /// What matches is not there, nor is anything beneath it.
    pub(super) deny: Option<Globs>,
    /// What matches can be seen and not changed, nor can anything beneath it.
    pub(super) immutable: Option<Globs>,
    /// Nothing of it is there.
    pub(super) blocked: bool,
    /// Relative paths begin here; no part of what is allowed.
    pub(super) is_default: bool,
    /// Where it stood, for the places of findings; no part of what is said.
    pub(super) index: usize,
}

/// Layers of regions. None of them: no constraint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regions {
    /// Sorted and without repetition, so that two that say the same are equal.
    pub(super) layers: Vec<Vec<Region>>,
}

// === impl Regions ===

impl Regions {
    /// Says nothing.
    pub fn top() -> Self {
        Self::default()
    }

    /// Whether a path can be seen at all.
    pub fn visible(&self, path: &str) -> bool {
        Path::parse(path).is_some_and(|path| self.layers.iter().all(|layer| is_visible(layer, &path)))
    }

    /// Whether a path can be changed.
    pub fn writable(&self, path: &str) -> bool {
        let Some(path) = Path::parse(path) else { return false };
        self.layers
            .iter()
            .all(|layer| is_visible(layer, &path) && !layer.iter().any(|region| region.is_immutable(&path)))
    }

    /// What both allow.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let mut layers = [&*self.layers, &*other.layers].concat();
        layers.sort();
        layers.dedup();
        Self { layers }
    }
}

/// One region is enough to see a path, and one that hides it is enough to hide it: a region within another opens nothing
/// that the outer one denies (POL-11).
fn is_visible(layer: &[Region], path: &Path) -> bool {
    layer.iter().any(|region| region.allows(path)) && !layer.iter().any(|region| region.hides(path))
}

// === impl Region ===

impl Region {
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn order(&self) -> (&Path, &Option<Globs>, &Option<Globs>, &Option<Globs>, bool) {
        (&self.path, &self.allow, &self.deny, &self.immutable, self.blocked)
    }

    fn allows(&self, path: &Path) -> bool {
        match (self.path.to(path), &self.allow) {
            (None, _) => false,
            (Some(_), None) => true,
            // The folder itself is there if anything of it can be.
            (Some(inner), Some(allow)) => {
                if inner.is_empty() {
                    !allow.is_empty()
                } else {
                    allow.matches(&inner)
                }
            }
        }
    }

    fn hides(&self, path: &Path) -> bool {
        self.path.to(path).is_some_and(|inner| self.blocked || is_within(self.deny.as_ref(), &inner))
    }

    fn is_immutable(&self, path: &Path) -> bool {
        self.path.to(path).is_some_and(|inner| is_within(self.immutable.as_ref(), &inner))
    }
}

impl PartialEq for Region {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Region {}

impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Region {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

/// Whether a path or a folder on the way to it matches.
fn is_within(globs: Option<&Globs>, path: &str) -> bool {
    let Some(globs) = globs else { return false };
    let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
    [""].into_iter().chain(folders).chain([path]).any(|path| globs.matches(path))
}
