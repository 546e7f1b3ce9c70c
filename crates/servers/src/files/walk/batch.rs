//! Reads the names of an open folder, one buffer at a time. A folder of a million entries takes no
//! more memory than one of ten.
use rustix::fs::{FileType, RawDir};
use rustix::io::Errno;

use super::super::access::{Folder, Kind};

/// Bytes that the system fills in one call, enough for some hundreds of names.
const BUFFER: usize = 16 << 10;

/// The names of one buffer.
#[derive(Debug, Default)]
pub(super) struct Batch {
    raw: Vec<u8>,
    names: String,
    entries: Vec<Name>,
}

#[derive(Debug, Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    /// `None` if the file system does not report it.
    kind: Option<Kind>,
}

/// The result of one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    /// Whether the folder has no further names.
    pub(super) is_end: bool,
    /// The number of names that are not UTF-8. They can't be returned, so they are counted (FS-18).
    pub(super) unreadable: u64,
}

impl Batch {
    /// Reads the next names of the folder.
    pub(super) fn fill(&mut self, folder: &Folder) -> Result<Read, Errno> {
        self.names.clear();
        self.entries.clear();
        self.raw.reserve(BUFFER);
        let mut unreadable = 0;
        let mut bytes = 0;
        let mut listing = RawDir::new(folder, self.raw.spare_capacity_mut());
        loop {
            let Some(entry) = listing.next() else { return Ok(Read { is_end: true, unreadable }) };
            let entry = match entry {
                Ok(entry) => entry,
                Err(Errno::INTR) => continue,
                // The folder was deleted during the walk.
                Err(Errno::NOENT) => return Ok(Read { is_end: true, unreadable }),
                Err(errno) => return Err(errno),
            };
            let name = entry.file_name().to_bytes();
            // Each entry needs some bytes in addition to its name.
            bytes += name.len() + 24;
            match std::str::from_utf8(name) {
                Ok("." | "..") => {}
                Ok(name) => {
                    let start = self.names.len();
                    self.names.push_str(name);
                    let kind = match entry.file_type() {
                        FileType::Unknown => None,
                        kind => Some(Kind::of(kind)),
                    };
                    self.entries.push(Name { start, end: self.names.len(), kind });
                }
                Err(_) => unreadable += 1,
            }
            // A buffer that is less than half full is most likely the last one; the next turn finds
            // out.
            if listing.is_buffer_empty() && bytes > BUFFER / 2 {
                return Ok(Read { is_end: false, unreadable });
            }
        }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, Option<Kind>)> {
        self.entries.iter().map(|entry| (&self.names[entry.start..entry.end], entry.kind))
    }
}
