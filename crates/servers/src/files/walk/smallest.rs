//! The first so many of what comes in any order, in memory for so many and no more. How many came is counted.
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

    /// Whether something like this would be kept; for whoever can tell before the thing is made.
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

/// Paths in the order of a tree: a folder, everything in it, then what follows the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathOrder(pub(crate) String);

impl PathOrder {
    pub(crate) fn compare(&self, path: &str) -> Ordering {
        in_tree(&self.0, path)
    }
}

impl Ord for PathOrder {
    fn cmp(&self, other: &Self) -> Ordering {
        in_tree(&self.0, &other.0)
    }
}

impl PartialOrd for PathOrder {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn in_tree(one: &str, two: &str) -> Ordering {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    match one.iter().zip(two).position(|(one, two)| one != two) {
        // The end of a name sorts before everything that could go on.
        Some(at) => {
            let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
            rank(one[at]).cmp(&rank(two[at]))
        }
        None => one.len().cmp(&two.len()),
    }
}
