//! Names of an open folder, a buffer full at a time: a folder of a million entries takes no more
//! memory than one of ten.
use rustix::fs::{FileType, RawDir};
use rustix::io::Errno;

use super::super::access::{Folder, Kind};

/// Bytes that the system fills at once: some hundreds of names.
const BUFFER: usize = 16 << 10;

/// One buffer full.
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
    /// None where the file system doesn't say.
    kind: Option<Kind>,
}

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    /// There is nothing more.
    pub(super) is_end: bool,
    /// Names that are not text: they can't be given, so they are counted (FS-18).
    pub(super) unreadable: u64,
}

impl Batch {
    /// Reads on where the handle stands.
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
                // The folder was deleted while we read it.
                Err(Errno::NOENT) => return Ok(Read { is_end: true, unreadable }),
                Err(errno) => return Err(errno),
            };
            let name = entry.file_name().to_bytes();
            // What the system needs beside the name.
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
            // A buffer that was not half full was the last one, most likely: the next look says so.
            if listing.is_buffer_empty() && bytes > BUFFER / 2 {
                return Ok(Read { is_end: false, unreadable });
            }
        }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, Option<Kind>)> {
        self.entries.iter().map(|entry| (&self.names[entry.start..entry.end], entry.kind))
    }
}
