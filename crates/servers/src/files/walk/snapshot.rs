//! Listings with further pages. Each is read once, kept for a while, and paged through without
//! reading the folders again (I-13). One string holds all names, so that a million names take
//! little more memory than their letters.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::super::access::{Kind, VisibilityKey};
use super::smallest::{PathOrder, tree_order};
use super::walk_context::WalkTotals;

/// Maximum bytes of all snapshots.
const MOST_BYTES: usize = 64 << 20;
/// Maximum number of snapshots.
const MOST_SNAPSHOTS: usize = 16;
/// Lifetime of an unused snapshot. For a later page, the folder is read again.
const LIFETIME: Duration = Duration::from_mins(10);

/// Entries in the order in which they arrive. If they exceed the size limit, all are dropped.
#[derive(Debug, Default)]
pub(crate) struct EntryNames {
    text: String,
    /// The end of each entry in `text`.
    ends: Vec<u32>,
    kinds: Vec<u8>,
    /// The sort key that is compared before the path. Empty if the caller sorts by path alone.
    keys: Vec<i128>,
    is_cut: bool,
}

/// A sorted listing. The names stay in the buffers of the threads that read them, because a copy of
/// a million names would take as much memory again.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// The names, one buffer per thread.
    parts: Vec<EntryNames>,
    /// The sorted entries, each as part and index in the part.
    order: Vec<(u32, u32)>,
    pub(crate) totals: WalkTotals,
    /// The modification time of the folder before it was read.
    pub(crate) modified: i128,
}

/// An entry of a snapshot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SnapshotEntry<'a> {
    pub(crate) key: i128,
    /// Relative to the listed folder.
    pub(crate) path: &'a str,
    pub(crate) kind: Kind,
}

/// The folder and the arguments that a snapshot belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SnapshotKey {
    /// The folder and the arguments of the call, as text.
    pub(crate) terms: String,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Identifies what the call could see.
    pub(crate) visibility_key: VisibilityKey,
}

/// The snapshots of a server. The least recently used ones are dropped first.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(Mutex<VecDeque<(SnapshotKey, Arc<Snapshot>, Instant)>>);

impl EntryNames {
    pub(crate) fn push(&mut self, key: Option<i128>, path: &str, kind: Kind) {
        let end = u32::try_from(self.text.len() + path.len());
        let (Ok(end), false) = (end, self.is_cut || self.bytes() > MOST_BYTES / 2) else {
            *self = Self { is_cut: true, ..Self::default() };
            return;
        };
        self.text.push_str(path);
        self.ends.push(end);
        self.kinds.push(match kind {
            Kind::File => 0,
            Kind::Folder => 1,
            Kind::Link => 2,
            Kind::Other(_) => 3,
        });
        self.keys.extend(key);
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.ends.len() * 5 + self.keys.len() * 16
    }

    fn get(&self, index: usize) -> SnapshotEntry<'_> {
        let end = |index: usize| position(self.ends[index]);
        let start = if index == 0 { 0 } else { end(index - 1) };
        let kind = match self.kinds[index] {
            0 => Kind::File,
            1 => Kind::Folder,
            2 => Kind::Link,
            _ => Kind::Other(""),
        };
        SnapshotEntry {
            key: self.keys.get(index).copied().unwrap_or(0),
            path: &self.text[start..end(index)],
            kind,
        }
    }
}

impl Snapshot {
    /// Sorts the names of all threads. `None` if there are too many.
    pub(crate) fn of(parts: Vec<EntryNames>, totals: WalkTotals, modified: i128) -> Option<Self> {
        let bytes: usize = parts.iter().map(EntryNames::bytes).sum();
        if parts.iter().any(|names| names.is_cut) || bytes > MOST_BYTES / 2 {
            return None;
        }
        let mut order = Vec::with_capacity(parts.iter().map(EntryNames::len).sum());
        for (names, part) in parts.iter().zip(0..) {
            order.extend(names.ends.iter().zip(0..).map(|(_, index)| (part, index)));
        }
        order.sort_unstable_by(|one, other| {
            let (one, other) = (entry(&parts, *one), entry(&parts, *other));
            one.key.cmp(&other.key).then_with(|| tree_order(one.path, other.path))
        });
        Some(Self { parts, order, totals, modified })
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    fn bytes(&self) -> usize {
        self.parts.iter().map(EntryNames::bytes).sum::<usize>() + self.order.len() * 8
    }

    /// Returns the entries after a position, even if no entry is at that position any more.
    pub(crate) fn after(&self, key: i128, path: &PathOrder) -> impl Iterator<Item = SnapshotEntry<'_>> {
        let is_given = |place: &(u32, u32)| {
            let kept = entry(&self.parts, *place);
            kept.key.cmp(&key).then_with(|| path.compare(kept.path).reverse()).is_le()
        };
        let given = self.order.partition_point(is_given);
        self.order[given..].iter().map(|place| entry(&self.parts, *place))
    }
}

fn entry(parts: &[EntryNames], (part, index): (u32, u32)) -> SnapshotEntry<'_> {
    parts[position(part)].get(position(index))
}

/// A `u32` fits into a `usize` on all platforms of Overt.
fn position(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Snapshots {
    pub(crate) fn find(&self, listed: &SnapshotKey) -> Option<Arc<Snapshot>> {
        let mut kept = self.lock();
        kept.retain(|(.., used)| used.elapsed() < LIFETIME);
        let at = kept.iter().position(|(other, ..)| other == listed)?;
        let (listed, snapshot, _) = kept.remove(at)?;
        kept.push_back((listed, Arc::clone(&snapshot), Instant::now()));
        Some(snapshot)
    }

    pub(crate) fn keep(&self, listed: SnapshotKey, snapshot: Snapshot) {
        let mut kept = self.lock();
        kept.retain(|(other, _, used)| *other != listed && used.elapsed() < LIFETIME);
        let mut bytes: usize = kept.iter().map(|(_, snapshot, _)| snapshot.bytes()).sum();
        bytes += snapshot.bytes();
        while kept.len() >= MOST_SNAPSHOTS || (bytes > MOST_BYTES && !kept.is_empty()) {
            let Some((_, oldest, _)) = kept.pop_front() else { break };
            bytes -= oldest.bytes();
        }
        kept.push_back((listed, Arc::new(snapshot), Instant::now()));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(SnapshotKey, Arc<Snapshot>, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(paths: &[&str]) -> Snapshot {
        let mut parts = [EntryNames::default(), EntryNames::default()];
        for (number, path) in paths.iter().enumerate() {
            parts[number % 2].push(None, path, Kind::File);
        }
        Snapshot::of(parts.into(), WalkTotals::default(), 7).unwrap()
    }

    #[test]
    fn i_13_pages_go_on_after_any_path() {
        let snapshot = snapshot(&["b", "a/y", "a", "a-", "c", "a/x"]);
        let after = |path: &str| -> Vec<String> {
            snapshot.after(0, &PathOrder::new(path)).map(|kept| kept.path.to_owned()).collect()
        };
        assert_eq!(after(""), ["a", "a/x", "a/y", "a-", "b", "c"]);
        assert_eq!(after("a/x"), ["a/y", "a-", "b", "c"]);
        assert_eq!(after("a/xx"), ["a/y", "a-", "b", "c"]);
        assert_eq!(after("c"), [""; 0]);
    }

    #[test]
    fn i_13_snapshots_are_bounded() {
        let snapshots = Snapshots::default();
        let listed = |number: u64| SnapshotKey {
            terms: String::new(),
            device: 1,
            inode: number,
            visibility_key: VisibilityKey::default(),
        };
        for number in 0..40 {
            snapshots.keep(listed(number), snapshot(&["a"]));
        }
        assert!(snapshots.find(&listed(39)).is_some() && snapshots.find(&listed(0)).is_none());
        assert!(snapshots.lock().len() <= MOST_SNAPSHOTS);
        let mut names = EntryNames::default();
        let long = "x".repeat(1 << 20);
        (0..40).for_each(|_| names.push(None, &long, Kind::File));
        assert!(names.is_cut && names.bytes() == 0);
        assert!(Snapshot::of(vec![names], WalkTotals::default(), 0).is_none());
    }
}
