//! Judges a planned change by the guarded files that it results in: files that start programs by
//! themselves or permit tools. A path counts as the client wrote it, and where links led.
use std::os::fd::AsFd as _;

use overt_clients::guarded::{Content, GuardedFile, Judgement, PathNames};
use rustix::fs::Dir;

use super::super::access::{AbsolutePath, Folder, Kind, Slot, View};
use super::super::error::{FileError, code};
use super::super::journal::Journal;
use super::super::work::Stop;
use super::change::Act;
use super::grow::Grow;
use super::put::{Part, Put};

/// The largest file whose members are compared, in bytes. Files of clients are smaller.
const MOST_BYTES: u64 = 4 << 20;
/// The most guarded files that a question names.
const MOST_NAMED: usize = 4;

/// The context in which a change is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judging<'a> {
    pub(crate) view: &'a View,
    pub(crate) journal: Option<&'a Journal>,
    /// Folders that stand for usual folders of clients.
    pub(crate) client_folders: &'a [(AbsolutePath, String)],
    pub(crate) stop: &'a Stop,
}

/// What a change does at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Leaves,
    Arrives,
}

/// A path at which an entry appears or disappears, in each form in which it is known.
struct Place {
    names: Vec<PathNames>,
    side: Side,
    shown: String,
    /// The path without links.
    real: AbsolutePath,
}

/// The guarded files that were found so far.
#[derive(Debug, Default)]
struct Found {
    named: Vec<String>,
    more: usize,
}

impl Judging<'_> {
    /// Returns what the change does that a person must be asked about each time, as part of a
    /// sentence; `None` for an ordinary change. Fails if the change is refused.
    pub(crate) fn judge(self, act: &Act) -> Result<Option<String>, FileError> {
        let mut found = Found::default();
        match act {
            Act::Put(put) => self.put(put, &mut found)?,
            Act::PutAll(all) => all.puts.iter().try_for_each(|put| self.put(put, &mut found))?,
            Act::Grow(grow) => self.grow(grow, &mut found)?,
            Act::Remove(remove) => {
                let left = self.place(&remove.slot, &remove.shown, Side::Leaves, &mut found);
                self.entry((&remove.slot.folder, &remove.slot.name), vec![left], &mut found)?;
            }
            Act::Move(moving) => {
                let left = self.place(&moving.from, &moving.shown, Side::Leaves, &mut found);
                let new = self.place(&moving.to, &moving.shown_to, Side::Arrives, &mut found);
                self.entry((&moving.from.folder, &moving.from.name), vec![left, new], &mut found)?;
            }
            Act::Copy(copy) => {
                let new = self.place(&copy.to, &copy.shown_to, Side::Arrives, &mut found);
                self.copied(&copy.from, new, &mut found)?;
            }
            Act::Restore(restore) => {
                let new = self.place(&restore.to, &restore.shown, Side::Arrives, &mut found);
                if let Some(journal) = self.journal {
                    let kept = Journal::kept_name(&restore.id);
                    self.entry((&journal.folder, &kept), vec![new], &mut found)?;
                }
            }
        }
        Ok(found.into_text())
    }

    fn put(self, put: &Put, found: &mut Found) -> Result<(), FileError> {
        let place = self.place(&put.slot, &put.shown, Side::Arrives, found);
        let guards = place.guards();
        if guards.is_empty() {
            return Ok(());
        }
        let before = put.old.as_ref().map(|old| match &old.content {
            Some(content) => Some(content.bytes.clone()),
            None => read(&put.slot.folder, &put.slot.name),
        });
        let after = after(put, before.as_ref().and_then(Option::as_deref));
        let before = before.as_ref().map_or(Content::Absent, |bytes| content(bytes.as_deref()));
        found.judge(&guards, before, content(after.as_deref()), &quoted(&put.shown))
    }

    fn grow(self, grow: &Grow, found: &mut Found) -> Result<(), FileError> {
        let innermost = grow.inner.iter().fold(grow.slot.path(), |path, name| path.child(name));
        let file = grow.file.as_ref();
        let real = file.map_or(innermost.clone(), |file| innermost.child(&file.name));
        let place = self.place_at(real, &grow.slot.path(), &grow.shown, Side::Arrives, found);
        let after = match file {
            Some(file) => Content::Bytes(file.content.as_bytes()),
            None => Content::Unknown,
        };
        let guards = place.guards().into_iter().filter(|guard| file.is_some() || guard.is_for_folders());
        found.judge(&guards.collect::<Vec<_>>(), Content::Absent, after, &quoted(&grow.shown))
    }

    fn place(self, slot: &Slot, shown: &str, side: Side, found: &mut Found) -> Place {
        self.place_at(slot.path(), &slot.path(), shown, side, found)
    }

    /// Returns a place. `existing` is the part of it that exists, or its name in a folder that
    /// exists.
    fn place_at(
        self,
        real: AbsolutePath,
        existing: &AbsolutePath,
        shown: &str,
        side: Side,
        found: &mut Found,
    ) -> Place {
        if self.view.may_have_another_name(existing) {
            found.add(&quoted(shown), "perhaps the short name of another file");
        }
        let mut names = vec![PathNames::of(real.as_str())];
        // The path as written can have guarded names that are links.
        if let Ok(written) = self.view.absolute(shown) {
            let written = PathNames::of(written.as_str());
            if !names.contains(&written) {
                names.push(written);
            }
        }
        for (folder, usual) in self.client_folders {
            if let Some(inner) = folder.inner(&real) {
                names.push(PathNames::of(&format!("{usual}/{inner}")));
            }
        }
        Place { names, side, shown: shown.to_owned(), real }
    }

    /// Judges a copy, which leaves out what the caller can't see.
    fn copied(self, from: &Slot, to: Place, found: &mut Found) -> Result<(), FileError> {
        let sees = |path: &AbsolutePath| self.view.sees(path);
        self.tree((&from.folder, &from.name), vec![to], &sees, found)
    }

    fn entry(self, at: (&Folder, &str), places: Vec<Place>, found: &mut Found) -> Result<(), FileError> {
        self.tree(at, places, &|_| true, found)
    }

    /// Judges an entry, and everything in it, that appears at or disappears from places.
    fn tree(
        self,
        (folder, name): (&Folder, &str),
        mut places: Vec<Place>,
        includes: &dyn Fn(&AbsolutePath) -> bool,
        found: &mut Found,
    ) -> Result<(), FileError> {
        let Some(facts) = folder.entry_facts(name)? else { return Ok(()) };
        let inner = String::new();
        self.one(folder, name, facts.kind, &inner, &places, found)?;
        if facts.kind != Kind::Folder {
            return Ok(());
        }
        // The plan has scanned the same tree, so its size and depth are bounded.
        let mut open = vec![Level::of(folder.child_folder_here(name)?, inner)?];
        while let Some(level) = open.last_mut() {
            let Some(name) = level.names.pop() else {
                open.pop();
                if !open.is_empty() {
                    places.iter_mut().for_each(Place::leave);
                }
                continue;
            };
            self.stop.check()?;
            if !includes(&level.folder.path.child(&name)) {
                continue;
            }
            let Some(kind) = level.kind(&name)? else { continue };
            let inner = if level.inner.is_empty() { name.clone() } else { format!("{}/{name}", level.inner) };
            places.iter_mut().for_each(|place| place.enter(&name));
            self.one(&level.folder, &name, kind, &inner, &places, found)?;
            if kind == Kind::Folder {
                let next = level.folder.child_folder_here(&name)?;
                open.push(Level::of(next, inner)?);
            } else {
                places.iter_mut().for_each(Place::leave);
            }
        }
        Ok(())
    }

    /// Judges one entry at each place.
    fn one(
        self,
        folder: &Folder,
        name: &str,
        kind: Kind,
        inner: &str,
        places: &[Place],
        found: &mut Found,
    ) -> Result<(), FileError> {
        for place in places {
            let mut guards = place.guards();
            if kind == Kind::Link {
                guards.extend(place.names.iter().find_map(GuardedFile::beneath_link));
            }
            if kind == Kind::Folder {
                guards.retain(GuardedFile::is_for_folders);
            }
            if guards.is_empty() {
                continue;
            }
            let bytes = if kind == Kind::File { read(folder, name) } else { None };
            let (before, after) = match place.side {
                Side::Leaves => (content(bytes.as_deref()), Content::Absent),
                Side::Arrives => (Content::Absent, content(bytes.as_deref())),
            };
            // What the caller can't see is not named.
            let path = if inner.is_empty() { place.real.clone() } else { place.real.child(inner) };
            let shown = match inner {
                "" => quoted(&place.shown),
                inner if self.view.sees(&path) => {
                    quoted(&format!("{}/{inner}", place.shown.trim_end_matches('/')))
                }
                _ => format!("something in `{}`", place.shown),
            };
            found.judge(&guards, before, after, &shown)?;
        }
        Ok(())
    }
}

impl Place {
    fn guards(&self) -> Vec<GuardedFile> {
        let mut guards: Vec<GuardedFile> = Vec::new();
        for guard in self.names.iter().flat_map(GuardedFile::at) {
            if !guards.contains(&guard) {
                guards.push(guard);
            }
        }
        guards
    }

    fn enter(&mut self, name: &str) {
        self.names.iter_mut().for_each(|names| names.push(name));
    }

    fn leave(&mut self) {
        self.names.iter_mut().for_each(PathNames::pop);
    }
}

impl Found {
    fn judge(
        &mut self,
        guards: &[GuardedFile],
        before: Content<'_>,
        after: Content<'_>,
        shown: &str,
    ) -> Result<(), FileError> {
        for guard in guards {
            if let Judgement::Refuse(why) = guard.judge(before, after) {
                return Err(FileError::new(
                    code::GUARDED,
                    format!("{shown} is {}, and {why}; nothing was done", guard.what),
                    "Ask the user to make the change, and say why; they can edit the file, and `overt wrap` puts Overt in front of servers. Then `read_file` shows what they did.",
                ));
            }
        }
        if let Some(guard) = guards.first() {
            self.add(shown, &guard.what);
        }
        Ok(())
    }

    fn add(&mut self, shown: &str, what: &str) {
        let text = format!("{shown} is {what}");
        match self.named.len() < MOST_NAMED {
            true if self.named.contains(&text) => {}
            true => self.named.push(text),
            false => self.more += 1,
        }
    }

    fn into_text(self) -> Option<String> {
        let named = self.named.join(", ");
        match (named.is_empty(), self.more) {
            (true, _) => None,
            (false, 0) => Some(named),
            (false, more) => Some(format!("{named}, and {more} more")),
        }
    }
}

/// A folder of the walk, with the names that are left.
struct Level {
    folder: Folder,
    names: Vec<String>,
    inner: String,
}

impl Level {
    fn of(folder: Folder, inner: String) -> Result<Self, FileError> {
        let failed = |errno| FileError::system(errno, &inner);
        let mut names = Vec::new();
        for entry in Dir::read_from(folder.as_fd()).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // A copy leaves out names that are not UTF-8, and other changes fail at them.
            if let Ok(name) = entry.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Self { folder, names, inner })
    }

    fn kind(&self, name: &str) -> Result<Option<Kind>, FileError> {
        Ok(self.folder.entry_facts(name)?.map(|facts| facts.kind))
    }
}

/// Reads a file as far as it is compared. `None` if it can't be read or is larger.
fn read(folder: &Folder, name: &str) -> Option<Vec<u8>> {
    let open = folder.child_file(name).ok().filter(|open| open.facts.size <= MOST_BYTES)?;
    let mut bytes = vec![0; usize::try_from(open.facts.size).ok()?];
    let mut at = 0;
    while at < bytes.len() {
        match rustix::io::pread(&open.file, &mut bytes[at..], at as u64) {
            Ok(0) | Err(_) => return None,
            Ok(count) => at += count,
        }
    }
    Some(bytes)
}

/// Returns the content that a file gets. `None` if it is not held in memory.
fn after(put: &Put, before: Option<&[u8]>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for part in &put.parts {
        match part {
            Part::Bytes(_) | Part::Text(_) => bytes.extend_from_slice(part.bytes()?),
            Part::OldFile { skip } => bytes.extend_from_slice(before?.get(usize::try_from(*skip).ok()?..)?),
            Part::File { .. } => return None,
        }
        if bytes.len() as u64 > MOST_BYTES {
            return None;
        }
    }
    Some(bytes)
}

fn quoted(path: &str) -> String {
    format!("`{path}`")
}

fn content(bytes: Option<&[u8]>) -> Content<'_> {
    bytes.map_or(Content::Unknown, Content::Bytes)
}
