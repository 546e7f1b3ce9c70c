//! Regions in layers. A path must be in a region of every layer, and no layer may deny it.
use super::path::{self, Path};
use super::patterns::{Case, Patterns};

/// A folder, and the part of it that is allowed.
#[derive(Debug, Clone)]
pub struct Region {
    pub(super) path: Path,
    /// Patterns over paths within the folder. `None`: everything; an empty list: nothing.
    pub(super) allow: Option<Patterns>,
    /// Matching paths, and everything beneath them, are hidden.
    pub(super) deny: Option<Patterns>,
    /// Matching paths, and everything beneath them, can be seen and not changed.
    pub(super) immutable: Option<Patterns>,
    /// True if the whole folder is hidden.
    pub(super) blocked: bool,
    /// True if relative paths begin here. It allows nothing by itself.
    pub(super) is_default: bool,
    /// Position in the document, for the places of findings. It is ignored in comparisons.
    pub(super) index: usize,
    /// How many narrowings came before this region, so that the latest one says where relative
    /// paths begin. It is ignored in comparisons.
    pub(super) narrowing: usize,
}

/// Layers of regions. Without a layer nothing is restricted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regions {
    /// Sorted and without duplicates, so that equivalent regions are equal.
    pub(super) layers: Vec<Vec<Region>>,
}

// === impl Regions ===

impl Regions {
    /// Restricts nothing.
    pub fn top() -> Self {
        Self::default()
    }

    /// Returns whether a path can be seen at all.
    pub fn visible(&self, path: &str) -> bool {
        self.visible_in(path, Case::Exact)
    }

    /// Returns whether everything beneath a path can be seen, as far as that is known without
    /// checking each path: no pattern and no other region reaches into it.
    pub fn all_visible_beneath(&self, path: &str) -> bool {
        let Some(path) = Path::parse(path) else { return false };
        self.layers.iter().all(|layer| {
            layer.iter().any(|region| region.allow.is_none() && path.is_beneath(&region.path))
                && !layer.iter().any(|region| region.may_hide_beneath(&path))
        })
    }

    /// Returns whether a path can be changed.
    pub fn writable(&self, path: &str) -> bool {
        self.writable_in(path, Case::Exact)
    }

    /// Returns whether a path can be seen if names are compared with this case sensitivity.
    pub fn visible_in(&self, path: &str, case: Case) -> bool {
        let Some(path) = path::comparable(path) else { return false };
        self.layers.iter().all(|layer| is_visible(layer, path, case))
    }

    /// Returns whether a path can be changed if names are compared with this case sensitivity.
    pub fn writable_in(&self, path: &str, case: Case) -> bool {
        let Some(path) = path::comparable(path) else { return false };
        let is_immutable = |layer: &[Region]| layer.iter().any(|region| region.is_immutable(path, case));
        self.layers.iter().all(|layer| is_visible(layer, path, case) && !is_immutable(layer))
    }

    /// Returns whether a pattern hides or protects anything, so that the comparison of names can
    /// matter.
    pub fn has_patterns(&self) -> bool {
        let is_some =
            |patterns: &Option<Patterns>| patterns.as_ref().is_some_and(|patterns| !patterns.is_empty());
        self.layers.iter().flatten().any(|region| is_some(&region.deny) || is_some(&region.immutable))
    }

    /// Returns what both allow. Of the folders in which relative paths may begin, those of `other`
    /// come first.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let before = self.layers.iter().flatten().map(|region| region.narrowing + 1).max().unwrap_or(0);
        let later = |region: &Region| Region { narrowing: region.narrowing + before, ..region.clone() };
        let later = other.layers.iter().map(|layer| layer.iter().map(later).collect());
        // The sort keeps the order of equal layers, and the first of them stays.
        let mut layers: Vec<Vec<Region>> = later.chain(self.layers.iter().cloned()).collect();
        layers.sort();
        layers.dedup();
        Self { layers }
    }
}

/// Returns whether a layer shows a path. One region is enough to show it and one is enough to hide
/// it: a region inside another shows nothing that the outer one denies (POL-11).
fn is_visible(layer: &[Region], path: &str, case: Case) -> bool {
    layer.iter().any(|region| region.allows(path)) && !layer.iter().any(|region| region.hides(path, case))
}

// === impl Region ===

impl Region {
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn order(&self) -> (&Path, &Option<Patterns>, &Option<Patterns>, &Option<Patterns>, bool) {
        (&self.path, &self.allow, &self.deny, &self.immutable, self.blocked)
    }

    fn allows(&self, path: &str) -> bool {
        match (self.path.inner(path), &self.allow) {
            (None, _) => false,
            (Some(_), None) => true,
            // The folder itself is visible if anything in it can be.
            (Some(""), Some(allow)) => !allow.is_empty(),
            (Some(inner), Some(allow)) => allow.matches(inner, Case::Exact),
        }
    }

    pub(super) fn hides(&self, path: &str, case: Case) -> bool {
        let is_denied = |inner| self.deny.as_ref().is_some_and(|deny| deny.matches(inner, case));
        self.path.inner(path).is_some_and(|inner| self.blocked || is_denied(inner))
    }

    fn is_immutable(&self, path: &str, case: Case) -> bool {
        let Some(immutable) = &self.immutable else { return false };
        self.path.inner(path).is_some_and(|inner| immutable.matches(inner, case))
    }

    fn may_hide_beneath(&self, path: &Path) -> bool {
        let hides = self.blocked || self.deny.as_ref().is_some_and(|deny| !deny.is_empty());
        hides && (path.is_beneath(&self.path) || self.path.is_beneath(path))
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
