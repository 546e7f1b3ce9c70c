//! Records every change that a log makes to its files, and rebuilds what a crash or a power cut at
//! any point would leave.
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Mutex;

use crate::audit::disk::{DiskObserver, Operation};

/// A change or an acknowledgement, in the order in which it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Create(String),
    Append(String, Vec<u8>),
    /// Also makes the bytes durable, but not what was appended before.
    AppendDurably(String, Vec<u8>),
    Cut(String, u64),
    Sync(String),
    SyncDir,
    Remove(String),
    Seal(String),
    /// A caller was told that this record is on disk.
    Acknowledged {
        kind: String,
        call: String,
    },
}

/// Records every change, and makes some of them fail.
#[derive(Debug, Default)]
pub(super) struct Tracer {
    steps: Mutex<Vec<Step>>,
    /// The numbers of the changes that fail.
    failing: std::ops::Range<usize>,
}

impl Tracer {
    pub(super) fn failing(failing: std::ops::Range<usize>) -> Self {
        Self { failing, ..Self::default() }
    }

    pub(super) fn note(&self, step: Step) {
        self.steps.lock().unwrap().push(step);
    }

    pub(super) fn steps(&self) -> Vec<Step> {
        self.steps.lock().unwrap().clone()
    }
}

impl DiskObserver for Tracer {
    fn before(&self, operation: Operation<'_>) -> io::Result<()> {
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let step = match operation {
            Operation::Create(path) => Step::Create(name(path)),
            Operation::Append(path, text) => Step::Append(name(path), text.as_bytes().to_vec()),
            Operation::AppendDurably(path, text) => Step::AppendDurably(name(path), text.as_bytes().to_vec()),
            Operation::Cut(path, length) => Step::Cut(name(path), length),
            Operation::Sync(path) => Step::Sync(name(path)),
            Operation::SyncDir => Step::SyncDir,
            Operation::Remove(path) => Step::Remove(name(path)),
            Operation::Seal(path) => Step::Seal(name(path)),
        };
        let mut steps = self.steps.lock().unwrap();
        steps.push(step);
        let changes = steps.iter().filter(|step| !matches!(step, Step::Acknowledged { .. })).count();
        match self.failing.contains(&(changes - 1)) {
            true => Err(io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error())),
            false => Ok(()),
        }
    }
}

/// The files of a folder, each with whether it is writable.
pub(super) type Files = BTreeMap<String, (Vec<u8>, bool)>;

/// A folder as the operating system has it in memory and on disk.
#[derive(Debug, Clone, Default)]
pub(super) struct Folder {
    files: Vec<Content>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    sealed: BTreeSet<usize>,
}

#[derive(Debug, Clone, Default)]
struct Content {
    now: Vec<u8>,
    durable: Vec<u8>,
}

/// The way in which everything ends, and what is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The process is killed: nothing is lost.
    Killed,
    /// The power fails: everything that was not synced is lost.
    AllUnsynced,
    /// The power fails: unsynced contents are lost; new names stay.
    Contents,
    /// The power fails: unsynced changes of names are lost; contents stay.
    Names,
    /// The power fails: unsynced new names are lost; removed names stay removed.
    NewNames,
    /// The power fails: unsynced removals are lost; new names stay.
    Removals,
    /// The power fails: the second half of each file's unsynced content is lost.
    HalfOfContents,
    /// The power fails: the first half of each file's unsynced content becomes zeros, and the
    /// second half stays.
    Hole,
    /// The power fails: unsynced contents become zeros.
    Zeros,
}

pub(super) const ENDINGS: [Ending; 9] = [
    Ending::Killed,
    Ending::AllUnsynced,
    Ending::Contents,
    Ending::Names,
    Ending::NewNames,
    Ending::Removals,
    Ending::HalfOfContents,
    Ending::Hole,
    Ending::Zeros,
];

impl Folder {
    /// A folder whose files are all on disk.
    pub(super) fn of(files: &Files) -> Self {
        let mut folder = Self::default();
        for (name, (text, is_writable)) in files {
            let file = folder.files.len();
            folder.files.push(Content { now: text.clone(), durable: text.clone() });
            folder.names.insert(name.clone(), file);
            folder.sealed.extend((!is_writable).then_some(file));
        }
        folder.durable_names = folder.names.clone();
        folder
    }

    pub(super) fn apply(&mut self, step: &Step) {
        match step {
            Step::Create(name) => {
                self.names.insert(name.clone(), self.files.len());
                self.files.push(Content::default());
            }
            Step::Append(name, bytes) => self.file(name).now.extend_from_slice(bytes),
            Step::AppendDurably(name, bytes) => {
                let file = self.file(name);
                assert_eq!(file.now, file.durable, "what was appended to {name} before is not synced");
                file.now.extend_from_slice(bytes);
                file.durable = file.now.clone();
            }
            Step::Cut(name, length) => {
                self.file(name).now.truncate(usize::try_from(*length).unwrap());
            }
            Step::Sync(name) => {
                let file = self.file(name);
                file.durable = file.now.clone();
            }
            Step::SyncDir => self.durable_names = self.names.clone(),
            Step::Remove(name) => drop(self.names.remove(name)),
            Step::Seal(name) => drop(self.sealed.insert(self.names[name])),
            Step::Acknowledged { .. } => {}
        }
    }

    /// Returns the folder in the middle of a step that can be interrupted: after half of a text,
    /// and after each of its lines.
    pub(super) fn within(&self, step: &Step) -> Vec<Self> {
        let (Step::Append(name, bytes) | Step::AppendDurably(name, bytes)) = step else { return Vec::new() };
        let lines = (1..bytes.len()).filter(|end| bytes[end - 1] == b'\n');
        let parts = lines.chain([bytes.len() / 2]).map(|end| {
            let mut folder = self.clone();
            folder.file(name).now.extend_from_slice(&bytes[..end]);
            folder
        });
        parts.collect()
    }

    fn file(&mut self, name: &str) -> &mut Content {
        let file = self.names[name];
        &mut self.files[file]
    }

    /// Returns the folder as the next process finds it. Data that a killed process did not sync is
    /// still not on disk.
    pub(super) fn found_after(&self, ending: Ending) -> Self {
        if ending == Ending::Killed { self.clone() } else { Self::of(&self.after(ending)) }
    }

    /// Returns the files that are left.
    pub(super) fn after(&self, ending: Ending) -> Files {
        let mut names = self.names.clone();
        match ending {
            Ending::AllUnsynced | Ending::Names => names = self.durable_names.clone(),
            Ending::NewNames => names.retain(|name, _| self.durable_names.contains_key(name)),
            Ending::Removals => names.extend(self.durable_names.clone()),
            _ => {}
        }
        let left = names.iter().map(|(name, file)| {
            let is_writable = ending != Ending::Killed || !self.sealed.contains(file);
            (name.clone(), (self.files[*file].after(ending), is_writable))
        });
        left.collect()
    }
}

impl Ending {
    fn loses_contents(self) -> bool {
        !matches!(self, Self::Killed | Self::Names | Self::NewNames | Self::Removals)
    }
}

impl Content {
    fn after(&self, ending: Ending) -> Vec<u8> {
        // A cut that was not synced is undone: the earlier content comes back.
        if !self.now.starts_with(&self.durable) && ending.loses_contents() {
            return self.durable.clone();
        }
        let unsynced = self.now.len().saturating_sub(self.durable.len());
        let mut left = self.durable.clone();
        match ending {
            Ending::Killed | Ending::Names | Ending::NewNames | Ending::Removals => return self.now.clone(),
            Ending::AllUnsynced | Ending::Contents => {}
            Ending::HalfOfContents => left = self.now[..left.len() + unsynced / 2].to_vec(),
            Ending::Hole => {
                left.resize(left.len() + unsynced / 2, 0);
                left.extend_from_slice(&self.now[left.len()..]);
            }
            Ending::Zeros => left.resize(left.len() + unsynced, 0),
        }
        left
    }
}
