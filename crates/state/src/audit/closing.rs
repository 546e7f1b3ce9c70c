//! The mark of a closed log: a signed file that names the last record. It is written when
//! everything before it is on disk, so a log that ends earlier was cut.
use std::path::{Path, PathBuf};

use overt_wire::json::{Json, JsonBuf, quote};

use super::chain::Hash;
use super::disk::Disk;
use super::error::{AuditError, failed};
use super::keys::{Keys, PublicKey};
use super::seal::{is_sealed, seal};
use super::segment::{Line, Lines};
use super::tip::Tip;

const PURPOSE: &str = "closing";

/// The last record of a log at the time it was closed.
#[derive(Debug, Clone)]
pub(super) struct ClosingMark {
    pub(super) seq: u64,
    pub(super) head: Hash,
    pub(super) ts: String,
    text: JsonBuf,
}

pub(super) fn path(dir: &Path) -> PathBuf {
    dir.join("closed.json")
}

impl ClosingMark {
    /// Writes the mark. Does not sync it: a crash that loses the mark does no harm.
    pub(super) fn write(dir: &Path, tip: Tip, ts: &str, keys: &Keys, disk: &Disk) -> Result<(), AuditError> {
        let members = [
            ("head", quote(&tip.head.to_string())),
            ("seq", tip.seq.to_string()),
            ("ts", quote(ts)),
            ("v", "1".to_owned()),
        ];
        let path = path(dir);
        let mut file = disk.open_or_create(&path)?;
        let text = format!("{}\n", seal(PURPOSE, &members, keys));
        let written = file.clear().and_then(|()| file.append(&text));
        written.map_err(|source| failed("write", &path, source))
    }

    /// Reads the mark. Returns `None` if it is missing or incomplete.
    pub(super) fn read(dir: &Path) -> Result<Option<Self>, AuditError> {
        let mut lines = match Lines::open(&path(dir)) {
            Err(error) if error.is_not_found() => return Ok(None),
            lines => lines?,
        };
        let Some(Line::Whole(text)) = lines.next()? else { return Ok(None) };
        Ok(Json::parse(&text).ok().and_then(Self::parse))
    }

    fn parse(json: Json<'_>) -> Option<Self> {
        let seq = json.get("seq").value()?.integer()?.try_into().ok()?;
        let head = Hash::parse(&json.get("head").string()?)?;
        Some(Self { seq, head, ts: json.get("ts").string()?.into_owned(), text: json.to_buf() })
    }

    /// Returns the finding for a log that ends before the mark.
    pub(super) fn missing_end_message(&self) -> String {
        format!("the log ends before it, but `closed.json` says that it was closed with record {}", self.seq)
    }

    pub(super) fn is_signed_by(&self, key: &PublicKey) -> bool {
        is_sealed(PURPOSE, self.text.as_json(), key)
    }
}
