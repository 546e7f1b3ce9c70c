//! The first records of a start: what was found, which process writes from now on, and an outcome
//! for every call that the last process left open. They are written again if a failure loses them
//! before they are on disk.
use std::sync::Arc;

use overt_layers::audit::{CallOutcome, Kind};

use super::batch::Batch;
use super::checkpoint::Checkpoint;
use super::keys::Keys;
use super::open_calls::{Change, OpenCalls};
use super::options::Mode;
use super::recover::End;

#[derive(Debug)]
pub(super) struct StartRecords {
    recovery: Option<Recovery>,
    /// The calls that the last process left open.
    calls: Vec<Arc<str>>,
    /// Whether the records are in the file. They may not be on disk yet.
    pub(super) written: bool,
}

/// What was found after a crash.
#[derive(Debug)]
struct Recovery {
    cut_bytes: u64,
    reason: Option<String>,
    not_listed: u64,
}

/// The process that writes from now on.
#[derive(Debug)]
pub(super) struct Recorder<'a> {
    pub(super) mode: Mode,
    pub(super) keys: &'a Keys,
}

impl StartRecords {
    /// `broken` says why the log could not be continued at its end.
    pub(super) fn new(end: &End, broken: Option<String>) -> Self {
        let not_listed = end.open.not_listed();
        let is_needed = !end.closed || end.cut.is_some() || broken.is_some() || not_listed > 0;
        let (cut_bytes, why) = end.cut.as_ref().map_or((0, None), |(bytes, why)| (*bytes, Some(why)));
        let reason = broken.or_else(|| why.cloned());
        let recovery = is_needed.then_some(Recovery { cut_bytes, reason, not_listed });
        Self { recovery, calls: end.open.sorted(), written: false }
    }

    /// Adds the records to a batch. `open` has the context of the calls.
    pub(super) fn add_to(&self, batch: &mut Batch<'_>, open: &OpenCalls, segment: &str, by: &Recorder<'_>) {
        if let Some(recovery) = &self.recovery {
            batch.add(Kind::Recovery, |members| {
                members.number("cut_bytes", recovery.cut_bytes);
                members.number("open_calls", self.calls.len() as u64);
                if recovery.not_listed > 0 {
                    members.number("open_not_listed", recovery.not_listed);
                }
                recovery.reason.iter().for_each(|why| members.string("reason", why));
            });
        }
        // The start is signed, so that rewriting the log from here on needs the key.
        let checkpoint = Checkpoint::new(batch.tip(), segment, &batch.now(), by.keys);
        batch.add(Kind::Start, |members| {
            members.string("mode", &by.mode.to_string());
            members.token("checkpoint", checkpoint.as_str());
            members.string("key", &by.keys.public().to_string());
            members.string("version", env!("CARGO_PKG_VERSION"));
        });
        for call in &self.calls {
            batch.add(Kind::Outcome, |members| {
                members.string("call", call);
                open.about(call).iter().for_each(|(name, text)| members.string(name, text));
                members.string("outcome", &CallOutcome::Unknown.to_string());
                members.string("reason", "the process ended before the call did");
            });
        }
    }

    /// Returns the effect of these records on the open calls.
    pub(super) fn changes(&self) -> impl Iterator<Item = Change> {
        self.calls.iter().map(|call| Change::Ended(Arc::clone(call)))
    }
}
