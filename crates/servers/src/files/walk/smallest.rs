//! Keeps the smallest items of a stream that arrives in any order, in bounded memory, and counts
//! all items.
use std::cmp::Ordering;

#[derive(Debug)]
pub(crate) struct Smallest<T> {
    most: usize,
    kept: Vec<T>,
    /// Whether larger items were dropped from `kept`. An item larger than all that were kept then
    /// can be skipped.
    is_cut: bool,
    /// The number of all items that arrived.
    pub(crate) count: u64,
}

impl<T: Ord> Smallest<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: Vec::new(), is_cut: false, count: 0 }
    }

    /// Whether an item would be kept, for callers that can tell before they build the item.
    pub(crate) fn has_room_for(&self, is_before: impl Fn(&T) -> bool) -> bool {
        // After a cut, the item at this position is the largest of the smallest `most` items.
        self.most > 0 && (!self.is_cut || self.kept.get(self.most - 1).is_none_or(is_before))
    }

    pub(crate) fn add(&mut self, item: T) {
        self.count += 1;
        if !self.has_room_for(|last| item < *last) {
            return;
        }
        self.kept.push(item);
        // A cut takes time in proportion to the length, so it is done rarely.
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

    /// Returns the kept items in order.
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

/// A path that sorts in tree order: a folder, then everything in it, then its next sibling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathOrder(
    /// The path with a NUL for each `/`. No name can contain NUL, and it sorts before every
    /// character that could continue a name.
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

    /// Compares with a path without copying it.
    pub(crate) fn compare(&self, path: &str) -> Ordering {
        self.0.bytes().cmp(path.bytes().map(rank))
    }
}

/// Compares two paths in tree order.
pub(super) fn tree_order(one: &str, other: &str) -> Ordering {
    one.bytes().map(rank).cmp(other.bytes().map(rank))
}

fn rank(byte: u8) -> u8 {
    if byte == b'/' { 0 } else { byte }
}

const NUL: &str = "\0";
