//! The inputs and the result of a verification.
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
    /// Checkpoints from outside the log.
    pub anchors: Vec<Checkpoint>,
    /// The public key that must have signed the anchors and the checkpoints in the log.
    pub key: Option<PublicKey>,
}

impl TrustAnchors {
    /// Returns the anchors that the key signed, or all anchors if there is no key, sorted by record
    /// number.
    pub(super) fn sorted(&self) -> Vec<&Checkpoint> {
        let counts = |anchor: &&Checkpoint| self.key.as_ref().is_none_or(|key| anchor.is_signed_by(key));
        let mut anchors: Vec<&Checkpoint> = self.anchors.iter().filter(counts).collect();
        anchors.sort_by_key(|anchor| anchor.seq);
        anchors
    }
}

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of records that were present and valid.
    pub records: u64,
    pub segments: u64,
    /// The numbers of the first and the last of them.
    pub first: u64,
    pub last: u64,
    pub head: Hash,
    /// The last record that was removed on purpose.
    pub removed_to: Option<u64>,
    /// The last record that a checkpoint from outside covers.
    pub anchored_to: Option<u64>,
    /// The last record that a validly signed checkpoint in the log covers.
    pub signed_to: Option<u64>,
    /// The first record that is not valid.
    pub broken: Option<Break>,
    /// The number of missing records that the log itself reports.
    pub missing: u64,
    pub recoveries: u64,
    /// Whether the last line is incomplete: a running process is writing it, a crash left it so, or
    /// the file was cut.
    pub unfinished: bool,
    /// Whether the log ends like a closed one: with a stop, its checkpoint, and the mark in
    /// `closed.json`.
    pub closed: bool,
    /// Whether a process has the log open for writing.
    pub being_written: bool,
    /// Whether a key was given, so that signatures were checked.
    pub key_known: bool,
    /// What this verification can't detect.
    pub blind: Vec<String>,
}

/// The first invalid place of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    pub seq: u64,
    pub why: String,
}

impl Report {
    /// Returns whether the log is valid but not closed, although no process is writing it. A crash
    /// leaves it so until the next start, and so does a cut.
    pub fn lacks_its_end(&self) -> bool {
        self.broken.is_none() && !self.closed && !self.being_written
    }

    /// Returns the report for a log that no longer exists.
    pub fn removed(log: &RemovedLog) -> Self {
        let (dir, note) = (log.dir.display(), log.note.display());
        let why = format!("`{dir}` was removed as a whole; if you did that, remove `{note}` too");
        Self { broken: Some(Break { seq: 1, why }), ..Self::default() }
    }

    /// Returns the report for a log that has no records.
    pub fn empty(error: &AuditError) -> Self {
        let broken = Break { seq: 1, why: error.to_string() };
        Self { broken: Some(broken), ..Self::default() }
    }
}

/// Reads anchors from a file with one checkpoint per line. Other lines are skipped.
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
