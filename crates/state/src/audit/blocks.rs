//! Tells which blocks of a closed segment may hold records with certain values, so that a search
//! skips the others. This is a cache beside the log. It is built on first use, and again if it is
//! missing, damaged or belongs to another file. Without it the whole segment is read, with the same
//! results.
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::ops::Range;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, SHA256_OUTPUT_LEN, digest};

use super::bloom::Bloom;
use super::error::AuditError;
use super::files;
use super::record_key::for_each_key;
use super::segment::{Line, Segment};

/// Bytes of the segment in one block; its last line may extend beyond.
const BLOCK: u64 = 256 << 10;
/// The most bytes of a cache file that are read.
const MOST_BYTES: u64 = 64 << 20;
/// Changes with the format and with the definition of a key.
const VERSION: &[u8; 8] = b"blocks 1";

/// The blocks of one segment, in order.
#[derive(Debug)]
pub(super) struct Blocks(Vec<(Range<u64>, Bloom)>);

impl Blocks {
    /// Returns the blocks of a closed segment, or `None` if they are unknown and the whole segment
    /// must be read.
    pub(super) fn of(segment: &Segment) -> Option<Self> {
        let path = path_of(segment)?;
        let identity = identity(&segment.path)?;
        if let Some(known) = read(&path).and_then(|bytes| Self::decode(&bytes, &identity)) {
            return Some(known);
        }
        let blocks = Self::build(segment).ok()?;
        if let Err(error) = blocks.keep(&path, &identity) {
            tracing::debug!(%error, path = %path.display(), "the search cache of the log can't be kept");
        }
        remove_orphans(segment);
        Some(blocks)
    }

    /// Returns the ranges, in order, that may hold records with all of the keys.
    pub(super) fn with_all(&self, keys: &[u64]) -> Vec<Range<u64>> {
        let has_all = |bloom: &Bloom| keys.iter().all(|key| bloom.may_have(*key));
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for (range, _) in self.0.iter().filter(|(_, bloom)| has_all(bloom)) {
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range.clone()),
            }
        }
        ranges
    }

    fn build(segment: &Segment) -> Result<Self, AuditError> {
        let mut lines = segment.lines()?;
        let (mut blocks, mut start, mut keys) = (Vec::new(), 0, Vec::new());
        while let Some(line) = lines.next()? {
            if let Line::Whole(line) = line {
                for_each_key(&line, &mut |key| keys.push(key));
            }
            if lines.offset - start >= BLOCK {
                blocks.push((start..lines.offset, Bloom::new(&mut keys)));
                start = lines.offset;
                keys.clear();
            }
        }
        if lines.offset > start {
            blocks.push((start..lines.offset, Bloom::new(&mut keys)));
        }
        Ok(Self(blocks))
    }

    fn keep(&self, path: &Path, identity: &[u8]) -> Result<(), io::Error> {
        let part = path.with_extension(format!("{}.new", std::process::id()));
        let _ = fs::remove_file(&part);
        let written = files::create(&part)
            .map_err(io::Error::other)
            .and_then(|mut file| file.write_all(&self.encode(identity)))
            .and_then(|()| fs::rename(&part, path));
        written.inspect_err(|_| _ = fs::remove_file(&part))
    }

    fn encode(&self, identity: &[u8]) -> Vec<u8> {
        let mut bytes = [VERSION.as_slice(), identity].concat();
        for (range, bloom) in &self.0 {
            bytes.extend(range.end.to_le_bytes());
            bytes.extend((bloom.words().len() as u64).to_le_bytes());
            bytes.extend(bloom.words().iter().flat_map(|word| word.to_le_bytes()));
        }
        let sum = digest(&SHA256, &bytes);
        bytes.extend(sum.as_ref());
        bytes
    }

    /// Returns `None` unless every byte is intact and the cache belongs to the same segment.
    fn decode(bytes: &[u8], identity: &[u8]) -> Option<Self> {
        let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(SHA256_OUTPUT_LEN)?)?;
        if digest(&SHA256, content).as_ref() != sum {
            return None;
        }
        let mut rest = content.strip_prefix(VERSION.as_slice())?.strip_prefix(identity)?;
        let number = |rest: &mut &[u8]| -> Option<u64> {
            let (first, others) = rest.split_first_chunk::<8>()?;
            *rest = others;
            Some(u64::from_le_bytes(*first))
        };
        let (mut blocks, mut start) = (Vec::new(), 0);
        while !rest.is_empty() {
            let end = number(&mut rest)?;
            let count = usize::try_from(number(&mut rest)?).ok()?;
            let (words, others) = rest.split_at_checked(count.checked_mul(8)?)?;
            let words = words.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            blocks.push((start..end, Bloom::from_words(words)));
            (start, rest) = (end, others);
        }
        Some(Self(blocks))
    }
}

/// Returns `<log>.seg-<number>.blocks`, a path beside the folder of the log.
fn path_of(segment: &Segment) -> Option<PathBuf> {
    let dir = segment.path.parent()?;
    let log = dir.file_name()?.to_str()?;
    let name = segment.path.file_stem()?.to_str()?;
    Some(dir.with_file_name(format!("{log}.{name}.blocks")))
}

/// Returns the size, inode and modification time of a file. Another or a changed file has another
/// identity.
fn identity(path: &Path) -> Option<Vec<u8>> {
    let about = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let numbers =
        [about.len(), about.ino(), about.mtime().cast_unsigned(), about.mtime_nsec().cast_unsigned()];
    Some(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let file: File = files::open_read(path).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Removes the caches of segments that retention has removed.
fn remove_orphans(segment: &Segment) {
    let Some(dir) = segment.path.parent() else { return };
    let Some((log, all)) = dir.file_name().and_then(|name| name.to_str()).zip(dir.parent()) else { return };
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let cached = name.to_str().and_then(|name| name.strip_prefix(log)?.strip_prefix('.'));
        let segment = cached.and_then(|name| name.strip_suffix(".blocks"));
        let is_orphan =
            |segment: &str| segment.starts_with("seg-") && !dir.join(format!("{segment}.jsonl")).exists();
        if segment.is_some_and(is_orphan) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
