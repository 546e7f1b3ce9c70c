//! A signed statement of how far the log had come, and where it is published. A copy that the
//! writer of the log can't change shows whether the log was cut or rewritten.
use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use overt_wire::json::{Json, JsonBuf, quote};

use super::chain::Hash;
use super::files;
use super::keys::{Keys, PublicKey};
use super::seal::{is_sealed, seal};
use super::tip::Tip;

const PURPOSE: &str = "checkpoint";

/// A signed statement of how far the log had come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The number of the last record that it covers.
    pub seq: u64,
    /// The hash of that record.
    pub head: Hash,
    /// The time when it was made, in UTC.
    pub ts: String,
    text: JsonBuf,
}

/// Publishes checkpoints elsewhere. The sinks have a thread of their own and may be slow; if they
/// are too slow, checkpoints are skipped.
pub trait CheckpointSink: fmt::Debug + Send {
    fn publish(&mut self, checkpoint: &Checkpoint) -> io::Result<()>;
}

/// Appends checkpoints to a file, which should be on another disk.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    file: Option<File>,
}

impl Checkpoint {
    pub(super) fn new(Tip { seq, head, .. }: Tip, segment: &str, ts: &str, keys: &Keys) -> Self {
        let members = [
            // A log begins with 1 and skips no number, so the count is the last number.
            ("count", seq.to_string()),
            ("head", quote(&head.to_string())),
            ("segment", quote(segment)),
            ("seq", seq.to_string()),
            ("ts", quote(ts)),
            ("v", "1".to_owned()),
        ];
        let text = seal(PURPOSE, &members, keys);
        // We wrote this text, and it is well formed.
        let text = JsonBuf::parse(&text).unwrap_or_else(|_| JsonBuf::empty_object());
        Self { seq, head, ts: ts.to_owned(), text }
    }

    pub fn read(json: Json<'_>) -> Option<Self> {
        let seq = json.get("seq").value()?.integer()?.try_into().ok()?;
        let head = Hash::parse(&json.get("head").string()?)?;
        Some(Self { seq, head, ts: json.get("ts").string()?.into_owned(), text: json.to_buf() })
    }

    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        is_sealed(PURPOSE, self.text.as_json(), key)
    }

    /// Returns the JSON object on one line.
    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }
}

impl CheckpointFile {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), file: None }
    }
}

impl CheckpointSink for CheckpointFile {
    fn publish(&mut self, checkpoint: &Checkpoint) -> io::Result<()> {
        let file = match self.file.take() {
            Some(file) if files::is_in_place(&file, &self.path).unwrap_or(false) => file,
            _ => files::open_append(&self.path).map_err(io::Error::other)?,
        };
        let file = self.file.insert(file);
        file.write_all(format!("{}\n", checkpoint.as_str()).as_bytes())?;
        file.sync_data()
    }
}
