//! The first so many of what comes in any order, in memory for so many and no more. How many came
//! is counted.
use std::cmp::Ordering;

#[derive(Debug)]
pub(crate) struct Smallest<T> {
    most: usize,
    kept: Vec<T>,
    /// Whether `kept` was cut before: then what is larger than all of it need not come in.
    is_cut: bool,
    /// Everything that came.
    pub(crate) count: u64,
}

impl<T: Ord> Smallest<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Vec::new(), is_cut: false, count: 0 }
    }

    /// Whether something like this would be kept, for callers that can tell before they make the
    /// thing.
    pub(crate) fn takes(&self, is_before: impl Fn(&T) -> bool) -> bool {
        // After a cut, the last one kept is the largest of them.
        self.most > 0 && (!self.is_cut || self.kept.get(self.most - 1).is_none_or(is_before))
    }

    pub(crate) fn add(&mut self, item: T) {
        self.count += 1;
        if !self.takes(|last| item < *last) {
            return;
        }
        self.kept.push(item);
        // Cutting takes as long as all of it is, so it is done rarely.
        if self.kept.len() >= self.most.saturating_mul(2).max(64) {
            self.cut();
        }
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.count += other.count;
        self.kept.extend(other.kept);
        self.cut();
        self
    }

    /// In order.
    pub(crate) fn into_sorted(mut self) -> Vec<T> {
        self.kept.sort_unstable();
        self.kept.truncate(self.most);
        self.kept
    }

    fn cut(&mut self) {
        if self.kept.len() > self.most && self.most > 0 {
            self.kept.select_nth_unstable(self.most - 1);
            self.kept.truncate(self.most);
            self.is_cut = true;
        }
    }
}

/// A path that sorts in the order of a tree: a folder, everything in it, then what follows the
/// folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathOrder(
    /// With a NUL for each `/`, which no name can hold and which sorts before everything that could
    /// go on a name.
    String,
);

impl PathOrder {
    pub(crate) fn new(path: &str) -> Self {
        Self(path.replace('/', NUL))
    }

    pub(crate) fn path(&self) -> String {
        self.0.replace('\0', "/")
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Compares with a text without copying it.
    pub(crate) fn compare(&self, path: &str) -> Ordering {
        self.0.bytes().cmp(path.bytes().map(rank))
    }
}

/// The order of two paths in a tree.
pub(super) fn tree_order(one: &str, other: &str) -> Ordering {
    one.bytes().map(rank).cmp(other.bytes().map(rank))
}

fn rank(byte: u8) -> u8 {
    if byte == b'/' { 0 } else { byte }
}

const NUL: &str = "\0";
