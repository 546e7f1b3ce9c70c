//! What a log is held against, and what is found.
use std::path::Path;

use super::chain::Hash;
use super::checkpoint::Checkpoint;
use super::error::{AuditError, failed};
use super::keys::PublicKey;
use super::known_logs::RemovedLog;
use super::segment::{Line, Lines};

/// What a log is verified against.
#[derive(Debug, Default)]
pub struct TrustAnchors {
    /// Checkpoints from outside.
    pub anchors: Vec<Checkpoint>,
    /// The key that must have signed them, and the checkpoints in the log.
    pub key: Option<PublicKey>,
}

impl TrustAnchors {
    /// The anchors that count, by the record that they are about.
    pub(super) fn sorted(&self) -> Vec<&Checkpoint> {
        let counts = |anchor: &&Checkpoint| self.key.as_ref().is_none_or(|key| anchor.is_signed_by(key));
        let mut anchors: Vec<&Checkpoint> = self.anchors.iter().filter(counts).collect();
        anchors.sort_by_key(|anchor| anchor.seq);
        anchors
    }
}

/// How far a log holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Records that were there and hold together.
    pub records: u64,
    pub segments: u64,
    /// The first and the last of them.
    pub first: u64,
    pub last: u64,
    pub head: Hash,
    /// The last record that was removed on purpose.
    pub removed_to: Option<u64>,
    /// The last record that a checkpoint from outside covers.
    pub anchored_to: Option<u64>,
    /// The last record that a checkpoint in the log covers whose signature is right.
    pub signed_to: Option<u64>,
    /// The first record that does not hold.
    pub broken: Option<Break>,
    /// Records that the log itself says are missing.
    pub missing: u64,
    pub recoveries: u64,
    /// The last line has no end: a running process is writing it, or a crash left it so, or the
    /// file was cut.
    pub unfinished: bool,
    /// It ends as a log that was closed: with a stop, its checkpoint, and the mark in
    /// `closed.json`.
    pub closed: bool,
    /// Starts after the last signed record. Only older versions leave any.
    pub unsigned_starts: u64,
    /// A process has the log open for writing.
    pub being_written: bool,
    /// A key was given, so signatures were checked.
    pub key_known: bool,
    /// What this check can't see.
    pub blind: Vec<String>,
}

/// Where a log does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    pub seq: u64,
    pub why: String,
}

impl Report {
    /// Whether the log holds but has no end, though no process is writing it. A crash leaves it so
    /// until the next start, and so does a cut.
    pub fn lacks_its_end(&self) -> bool {
        self.broken.is_none() && !self.closed && !self.being_written
    }

    /// What is to be said of a log that is not there any more.
    pub fn removed(log: &RemovedLog) -> Self {
        let (dir, note) = (log.dir.display(), log.note.display());
        let why = format!("`{dir}` was removed as a whole; if you did that, remove `{note}` too");
        Self { broken: Some(Break { seq: 1, why }), ..Self::default() }
    }

    /// What is to be said of a log that has no records.
    pub fn empty(error: &AuditError) -> Self {
        let broken = Break { seq: 1, why: error.to_string() };
        Self { broken: Some(broken), ..Self::default() }
    }
}

/// Reads anchors from a file with a checkpoint on each line. A line that is none is passed over.
pub fn read_anchors(path: &Path) -> Result<Vec<Checkpoint>, AuditError> {
    let mut lines = Lines::open(path)?;
    let mut anchors = Vec::new();
    while let Some(line) = lines.next()? {
        let Line::Whole(text) = line else { continue };
        let json = overt_wire::json::Json::parse(&text).ok();
        anchors.extend(json.and_then(Checkpoint::read));
        if anchors.len() > MOST_ANCHORS {
            return Err(failed("read", path, std::io::Error::other("it has too many anchors")));
        }
    }
    Ok(anchors)
}

const MOST_ANCHORS: usize = 1_000_000;
