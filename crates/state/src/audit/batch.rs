//! Records that are written together: numbered, chained, and put into one text.
use overt_layers::audit::Kind;

use super::checkpoint::Checkpoint;
use super::describe::frame;
use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;
use super::queue::{Item, Queue};
use super::recover::OpenCalls;
use super::segment::Segment;
use super::writer::Tip;

#[derive(Debug)]
pub(super) struct Batch<'a> {
    tip: Tip,
    /// The last record that was known to be on the disk before this batch.
    synced: u64,
    boot: &'a str,
    queue: &'a Queue,
    text: String,
}

impl<'a> Batch<'a> {
    pub(super) fn new(tip: Tip, synced: u64, boot: &'a str, queue: &'a Queue) -> Self {
        Self { tip, synced, boot, queue, text: String::new() }
    }

    /// A record of the log's own.
    pub(super) fn add(&mut self, kind: Kind, fill: impl FnOnce(&mut Members)) {
        let mut members = frame(&kind.to_string(), self.queue.now(), self.boot);
        fill(&mut members);
        self.push(members);
    }

    pub(super) fn entry(&mut self, item: &Item, keys: &Keys, arguments: Arguments) {
        let frame = frame(&item.draft.kind.to_string(), item.moment, self.boot);
        self.push(item.draft.describe(frame, keys, arguments));
    }

    /// The first record of a segment: which calls are under way, so that nobody has to read the segments before it.
    pub(super) fn header(&mut self, segment: &Segment, open: &OpenCalls) {
        self.add(Kind::Segment, |members| {
            members.string("segment", &segment.name());
            members.strings("open", &open.sorted());
        });
    }

    pub(super) fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.add(Kind::Checkpoint, |members| members.token("checkpoint", checkpoint.as_str().to_owned()));
    }

    /// Where the log is after what was added so far.
    pub(super) fn tip(&self) -> Tip {
        self.tip
    }

    pub(super) fn finish(self) -> (String, Tip) {
        (self.text, self.tip)
    }

    fn push(&mut self, mut members: Members) {
        members.number("synced", self.synced);
        let seq = self.tip.seq + 1;
        let (line, hash) = members.line(seq, self.tip.head);
        self.text.push_str(&line);
        self.text.push('\n');
        self.tip = Tip { seq, head: hash, length: self.tip.length + line.len() as u64 + 1 };
    }
}
