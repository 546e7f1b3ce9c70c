//! Removes segments when they are too old or the log is too large. Their signed heads stay, so that
//! the rest can still be verified.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use overt_wire::json::{Json, JsonBuf, quote};
use overt_wire::rfc3339::format_micros;

use super::chain::Hash;
use super::disk::Disk;
use super::error::{AuditError, failed};
use super::keys::{Keys, PublicKey};
use super::options::Options;
use super::seal::{is_sealed, seal};
use super::segment::{Line, Lines, Segment};

const PURPOSE: &str = "head";

/// The signed facts about a removed segment.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) head: Hash,
    text: JsonBuf,
}

pub(super) fn path(dir: &Path) -> PathBuf {
    dir.join("heads.jsonl")
}

/// Removes the segments of `closed` that exceed the limits of the options, oldest first.
pub(super) fn retain(
    dir: &Path,
    closed: &[Segment],
    options: &Options,
    keys: &Keys,
    disk: &Disk,
) -> Result<(), AuditError> {
    let mut sizes = Vec::new();
    for segment in closed {
        let meta =
            fs::symlink_metadata(&segment.path).map_err(|source| failed("look at", &segment.path, source))?;
        let age =
            meta.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok()).unwrap_or_default();
        sizes.push((meta.len(), age));
    }
    let mut total: u64 = sizes.iter().map(|(size, _)| size).sum();
    for (segment, (size, age)) in closed.iter().zip(sizes) {
        let too_old = options.retention.is_some_and(|longest| age >= longest);
        let too_much = options.max_bytes.is_some_and(|most| total > most);
        if !too_old && !too_much {
            break;
        }
        remove(dir, segment, keys, disk)?;
        total -= size;
    }
    Ok(())
}

fn remove(dir: &Path, segment: &Segment, keys: &Keys, disk: &Disk) -> Result<(), AuditError> {
    let Some(last) = segment.last_record()? else {
        return Err(AuditError::Broken {
            seq: segment.first,
            why: format!("`{}` has no end", segment.name()),
        });
    };
    // A crash may have come between writing the head and removing the segment.
    let has_head = Head::all(dir)?.iter().any(|head| (head.last, head.head) == (last.seq, last.hash));
    if !has_head {
        let members = [
            ("first", segment.first.to_string()),
            ("head", quote(&last.hash.to_string())),
            ("last", last.seq.to_string()),
            ("segment", quote(&segment.name())),
            ("ts", quote(&format_micros(SystemTime::now()))),
            ("v", "1".to_owned()),
        ];
        append(&path(dir), &seal(PURPOSE, &members, keys), disk)?;
    }
    // This also syncs an existing head: the process that wrote it may have ended before it was on
    // disk.
    sync(&path(dir), disk)?;
    disk.sync_dir(dir)?;
    disk.remove(&segment.path)?;
    // Syncs before the next segment is removed, so that a power cut can bring back at most the last
    // one.
    disk.sync_dir(dir)
}

fn sync(path: &Path, disk: &Disk) -> Result<(), AuditError> {
    disk.open(path)?.sync().map_err(|source| failed("make durable", path, source))
}

/// Appends a line. Cuts off a partial line that a crash left, because the new line would become a
/// part of it.
fn append(path: &Path, line: &str, disk: &Disk) -> Result<(), AuditError> {
    let mut file = disk.open_or_create(path)?;
    let mut lines = Lines::open(path)?;
    let mut whole = 0;
    while let Some(line) = lines.next()? {
        if !matches!(line, Line::Torn(_)) {
            whole = lines.offset;
        }
    }
    let appended = file.cut_to(whole).and_then(|()| file.append(&format!("{line}\n")));
    appended.map_err(|source| failed("write", path, source))
}

// === impl Head ===

impl Head {
    /// Returns the heads in the order in which they were written. Skips a line that is not a head
    /// or was torn by a crash. The head is then missing, and verification reports it.
    pub(super) fn all(dir: &Path) -> Result<Vec<Self>, AuditError> {
        let path = path(dir);
        let mut lines = match Lines::open(&path) {
            Err(AuditError::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Vec::new());
            }
            lines => lines?,
        };
        let mut heads = Vec::new();
        while let Some(line) = lines.next()? {
            let Line::Whole(text) = line else { continue };
            heads.extend(Json::parse(&text).ok().and_then(Self::read));
        }
        Ok(heads)
    }

    fn read(json: Json<'_>) -> Option<Self> {
        let number = |name| json.get(name).value()?.integer()?.try_into().ok();
        let head = Hash::parse(&json.get("head").string()?)?;
        Some(Self { first: number("first")?, last: number("last")?, head, text: json.to_buf() })
    }

    pub(super) fn is_signed_by(&self, key: &PublicKey) -> bool {
        is_sealed(PURPOSE, self.text.as_json(), key)
    }
}
