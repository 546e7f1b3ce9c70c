//! The state of a log that a process takes over.
use std::path::Path;

use super::active::SegmentCondition;
use super::closing::ClosingMark;
use super::error::AuditError;
use super::keys::PublicKey;
use super::options::Mode;
use super::recover::End;

/// The position where a log continues, and its condition.
#[derive(Debug)]
pub(super) struct Takeover {
    pub(super) end: End,
    pub(super) found: SegmentCondition,
    /// Why the log can't be continued at its end.
    pub(super) broken: Option<String>,
}

impl Takeover {
    /// Reads the end of the log. A broken log is an error, except in [`Mode::BestEffort`].
    pub(super) fn of(dir: &Path, mode: Mode, key: &PublicKey) -> Result<Self, AuditError> {
        let mark = ClosingMark::read(dir)?.filter(|mark| mark.is_signed_by(key));
        match End::find(dir).and_then(|end| end.reaches(mark.as_ref())) {
            Err(AuditError::Broken { seq, why }) if mode == Mode::BestEffort => {
                let broken = Some(format!("record {seq}: {why}"));
                Ok(Self { end: End::after_damage(dir)?, found: SegmentCondition::Damaged, broken })
            }
            end => {
                let end = end?;
                // The mark is written when everything before it is on disk.
                let is_marked = mark.is_some_and(|mark| (mark.seq, mark.head) == (end.seq, end.head));
                let is_durable = is_marked || end.last.is_none();
                let found = if is_durable { SegmentCondition::Durable } else { SegmentCondition::Unsure };
                Ok(Self { end, found, broken: None })
            }
        }
    }
}
