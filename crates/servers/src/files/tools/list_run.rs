//! Runs `list_directory`. A directory with further pages is read once: the pages come from a
//! snapshot, which takes little more memory than the names (FS-26, I-13).
use super::super::access::{AbsolutePath, Facts, Folder, Follow, Kind, SubtreeVisibility, View};
use super::super::error::FileError;
use super::super::walk::{
    EntryNames, PathOrder, Smallest, Snapshot, SnapshotKey, Snapshots, Tally, Visitor, Walk, WalkEntry,
    WalkStep, WalkTotals, walk,
};
use super::super::work::Stop;
use super::cursor::CursorPosition;
use super::list_schema::{Input, Listed, Listing};
use super::params::{Depth, HERE};
use super::walking::{Page, Sort, moment};

/// A directory with more entries than this is not read again for the next page, even if it has
/// changed since. The answer says that it has changed.
const MOST_REREAD: usize = 10_000;

/// Returns one page of a directory.
pub(super) fn list(
    view: &View,
    input: &Input,
    page: Page,
    snapshots: &Snapshots,
    (stop, tally): (&Stop, &Tally),
) -> Result<Listing, FileError> {
    let limit = page.limit;
    let folder = view.folder(input.path.as_deref().unwrap_or(HERE))?;
    let shown = view.shown(&folder.path);
    let max_depth = input.max_depth.map_or(1, Depth::get);
    let terms = format!("{shown}\0{}\0{:?}\0{}", max_depth, input.sort, input.hidden.0);
    let after = input.cursor.as_deref().map(|cursor| CursorPosition::read(cursor, &terms)).transpose()?;
    let now = folder.facts.modified;
    let snapshot_of = SnapshotKey {
        terms: terms.clone(),
        device: folder.facts.device,
        inode: folder.facts.inode,
        visibility_key: view.visibility_key(&folder.path),
    };
    if let Some(after) = &after
        && let Some(snapshot) = snapshots.find(&snapshot_of)
        && (snapshot.modified == now || snapshot.len() > MOST_REREAD)
    {
        return next_page(view, input, page, &Turn { folder, terms, after, snapshot: &snapshot }, stop);
    }
    let options = Walk { view, stop, tally, hidden: input.hidden.0, ignore: false, follow: false, max_depth };
    let from =
        after.as_ref().map(|after| Item { key: after.key, path: PathOrder::new(&after.path), kind: None });
    let wants_facts = input.sizes || input.sort != Sort::Name;
    let place = folder.path.clone();
    // The walk consumes `folder`, so it is opened again if entries must be inspected.
    let again = if wants_facts { Some(view.folder(place.as_str())?) } else { None };
    let lister = || Lister {
        sort: input.sort,
        from: from.as_ref(),
        // One more entry than the page tells whether there is a next page.
        page: Smallest::new(limit + 1),
        total: 0,
        path: String::new(),
        names: EntryNames::default(),
    };
    let (mut listers, totals) = walk(&options, folder, lister)?;
    let total = listers.iter().map(|lister| lister.total).sum();
    let names: Vec<EntryNames> = listers.iter_mut().map(|lister| std::mem::take(&mut lister.names)).collect();
    let found = listers.into_iter().map(|lister| lister.page).reduce(Smallest::merge);
    let mut items = found.map(Smallest::into_sorted).unwrap_or_default();
    let has_more = items.len() > limit;
    items.truncate(limit);
    if let Some(snapshot) = has_more.then(|| Snapshot::of(names, totals, now)).flatten() {
        snapshots.keep(snapshot_of, snapshot);
    }
    let next_cursor = items
        .last()
        .filter(|_| has_more)
        .map(|last| CursorPosition { key: last.key, path: last.path.path(), changed: now }.write(&terms));
    let mut entries = Vec::with_capacity(items.len());
    for item in items {
        stop.check()?;
        entries.push(listed(view, &place, again.as_ref(), &item));
    }
    Ok(answer(
        shown,
        entries,
        &totals,
        Answer {
            page,
            total,
            has_more,
            next_cursor,
            changed: after.is_some_and(|after| after.changed != now),
        },
    ))
}

/// The state for a further page of a directory that was already read.
struct Turn<'a> {
    folder: Folder,
    terms: String,
    after: &'a CursorPosition,
    snapshot: &'a Snapshot,
}

/// Returns the entries after the previous page, as far as they are still visible.
fn next_page(
    view: &View,
    input: &Input,
    page: Page,
    turn: &Turn<'_>,
    stop: &Stop,
) -> Result<Listing, FileError> {
    let Turn { folder, terms, after, snapshot } = turn;
    let visibility = view.visibility(&folder.path, SubtreeVisibility::default());
    let looked_at = (input.sizes || input.sort != Sort::Name).then_some(folder);
    let mut entries = Vec::new();
    let mut last = None;
    let mut has_more = false;
    for kept in snapshot.after(after.key, &PathOrder::new(&after.path)) {
        stop.check()?;
        if !view.sees_in(visibility, &folder.path.child(kept.path)) {
            continue;
        }
        if entries.len() >= page.limit {
            has_more = true;
            break;
        }
        let item = Item { key: kept.key, path: PathOrder::new(kept.path), kind: Some(kept.kind) };
        entries.push(listed(view, &folder.path, looked_at, &item));
        last = Some(item);
    }
    let next_cursor = last.filter(|_| has_more).map(|last| {
        CursorPosition { key: last.key, path: last.path.path(), changed: snapshot.modified }.write(terms)
    });
    let now = folder.facts.modified;
    let changed = after.changed != now || snapshot.modified != now;
    let total = snapshot.len() as u64;
    let more = Answer { page, total, has_more, next_cursor, changed };
    Ok(answer(view.shown(&folder.path), entries, &snapshot.totals, more))
}

/// The members of the answer besides its entries.
struct Answer {
    page: Page,
    total: u64,
    has_more: bool,
    next_cursor: Option<String>,
    changed: bool,
}

fn answer(path: String, entries: Vec<Listed>, totals: &WalkTotals, answer: Answer) -> Listing {
    Listing {
        path,
        count: entries.len(),
        entries,
        total_count: answer.total,
        limit: answer.page.limit,
        note: answer.page.note(),
        has_more: answer.has_more,
        next_cursor: answer.next_cursor,
        truncated: answer.has_more || totals.is_partial(),
        changed: answer.changed,
        hidden_count: totals.hidden,
        unreadable_names: totals.unreadable_names,
        unreadable_directories: totals.unreadable_folders,
        too_deep: totals.too_deep,
    }
}

/// Describes an entry, with its facts if `folder` is given.
fn listed(view: &View, place: &AbsolutePath, folder: Option<&Folder>, item: &Item) -> Listed {
    let inner = item.path.path();
    let facts: Option<Facts> = match folder {
        None => None,
        Some(_) if inner.contains('/') => {
            view.entry(place.child(&inner).as_str(), Follow::No).ok().map(|entry| entry.facts)
        }
        Some(folder) => folder.entry_facts(&inner).ok().flatten(),
    };
    Listed {
        path: view.shown_in(place, &inner),
        r#type: item.kind.map_or("other", Kind::word),
        size: facts.map(|facts| facts.size),
        modified: facts.map(|facts| moment(facts.modified)),
    }
}

/// An entry that may be on the page.
#[derive(Debug)]
struct Item {
    key: i128,
    /// Relative to the listed directory.
    path: PathOrder,
    kind: Option<Kind>,
}

struct Lister<'a> {
    sort: Sort,
    /// The last entry of the previous page.
    from: Option<&'a Item>,
    page: Smallest<Item>,
    total: u64,
    path: String,
    /// All names, for further pages.
    names: EntryNames,
}

impl Visitor for Lister<'_> {
    fn visit(&mut self, found: &WalkEntry<'_>) -> Result<WalkStep, FileError> {
        self.total += 1;
        let facts = if self.sort == Sort::Name { None } else { found.facts() };
        let key = self.sort.key(facts.as_ref());
        found.relative(&mut self.path);
        self.names.push((self.sort != Sort::Name).then_some(key), &self.path, found.kind);
        let place = (key, self.path.as_str());
        let is_before =
            |item: &Item| (key.cmp(&item.key)).then_with(|| item.path.compare(place.1).reverse()).is_lt();
        let is_given =
            |from: &Item| is_before(from) || from.key == key && from.path.compare(&self.path).is_eq();
        let is_after = self.from.is_none_or(|from| !is_given(from));
        if is_after && self.page.has_room_for(is_before) {
            self.page.add(Item { key, path: PathOrder::new(&self.path), kind: Some(found.kind) });
        }
        Ok(WalkStep::Into)
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.key, &self.path).cmp(&(other.key, &other.path))
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Item {}

#[cfg(test)]
mod tests;
