//! The minimum time that the machine needs for each row: only the system calls, in one thread,
//! without a protocol.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::corpus;
use super::rows::Row;
use crate::samples::Samples;

/// Measures the floors of a row. Returns what was done, and how long it took.
pub(crate) fn of(row: Row, root: &Path, time: Duration) -> io::Result<Vec<(&'static str, Samples)>> {
    let mut buffer = vec![0; 1 << 20];
    let mut read = |path: String, size: usize| {
        let count = File::open(root.join(path))?.read_at(&mut buffer, 0)?;
        if count == size { Ok(()) } else { Err(io::Error::other("a file has another size")) }
    };
    let floors = match row {
        Row::Read4k => vec![("open, pread", repeat(time, |call| read(corpus::file_4k(call), 4096))?)],
        Row::Read1m => vec![("open, pread", repeat(time, |call| read(corpus::file_1m(call), 1 << 20))?)],
        Row::Edit64k => {
            corpus::reset_edits(root)?;
            let renamed = repeat(time, |call| edit(root, call, Sync::No))?;
            corpus::reset_edits(root)?;
            let synced = repeat(time, |call| edit(root, call, Sync::Yes))?;
            corpus::reset_edits(root)?;
            vec![("read, write, rename", renamed), ("read, write, fsync, rename, fsync", synced)]
        }
        Row::List50 => vec![(
            "readdir",
            repeat(time, |call| count(50, fs::read_dir(root.join(corpus::folder(call)))?.count()))?,
        )],
        Row::Tree20k | Row::Glob20k => {
            vec![("walk", repeat(time, |_| count(20_085, walk(root, &mut |_| Ok(true))?))?)]
        }
        Row::Glob1k => {
            let root = root.join("d00");
            vec![("walk", repeat(time, |_| count(1000, walk(&root, &mut |_| Ok(true))?))?)]
        }
        Row::Grep1k => vec![("walk, read, memmem", repeat(time, |_| count(2, grep(&root.join("d00"))?))?)],
        Row::Grep20k => vec![("walk, read, memmem", repeat(time, |_| count(40, grep(root)?))?)],
    };
    Ok(floors)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sync {
    Yes,
    No,
}

fn edit(root: &Path, call: u64, sync: Sync) -> io::Result<()> {
    let (file, find, replace) = corpus::edit(call);
    let path = root.join(file);
    let text = fs::read_to_string(&path)?.replacen(find, replace, 1);
    let temporary = path.with_extension("tmp");
    fs::write(&temporary, text)?;
    if sync == Sync::Yes {
        File::open(&temporary)?.sync_all()?;
    }
    fs::rename(&temporary, &path)?;
    if sync == Sync::Yes {
        File::open(root.join("edit"))?.sync_all()?;
    }
    Ok(())
}

/// Returns how many files below a folder `look` accepts.
fn walk(folder: &Path, look: &mut impl FnMut(&Path) -> io::Result<bool>) -> io::Result<usize> {
    let mut found = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        found += if entry.file_type()?.is_dir() { walk(&path, look)? } else { usize::from(look(&path)?) };
    }
    Ok(found)
}

fn grep(folder: &Path) -> io::Result<usize> {
    let needle = memchr::memmem::Finder::new(corpus::NEEDLE);
    walk(folder, &mut |path| Ok(needle.find(&fs::read(path)?).is_some()))
}

fn count(wanted: usize, found: usize) -> io::Result<()> {
    if wanted == found {
        return Ok(());
    }
    Err(io::Error::other(format!("{found} instead of {wanted}; make the files anew")))
}

fn repeat(time: Duration, mut once: impl FnMut(u64) -> io::Result<()>) -> io::Result<Samples> {
    let mut samples = Samples::default();
    let started = Instant::now();
    while samples.len() < 3 || started.elapsed() < time {
        let call = samples.len() as u64;
        let began = Instant::now();
        once(call)?;
        samples.push(began.elapsed());
    }
    Ok(samples)
}
