//! Records that are written together: numbered, chained, and joined into one text.
use overt_layers::audit::Kind;

use super::checkpoint::Checkpoint;
use super::describe::{Timestamp, frame};
use super::keys::Keys;
use super::line::Members;
use super::open_calls::OpenCalls;
use super::options::Arguments;
use super::queue::{Item, Queue};
use super::recurring::RecurringTexts;
use super::segment::Segment;
use super::tip::Tip;

#[derive(Debug)]
pub(super) struct Batch<'a> {
    tip: Tip,
    /// The last record that was known to be on disk before this batch.
    synced: u64,
    boot: &'a str,
    queue: &'a Queue,
    text: String,
    /// The members that every record has, of the record that is being added. They are kept, as
    /// `content` is, to reuse the allocation.
    frame: Members,
    content: Members,
}

impl<'a> Batch<'a> {
    pub(super) fn new(tip: Tip, synced: u64, boot: &'a str, queue: &'a Queue) -> Self {
        let (frame, content) = (Members::default(), Members::default());
        Self { tip, synced, boot, queue, text: String::new(), frame, content }
    }

    /// Adds a record that the log writes about itself.
    pub(super) fn add(&mut self, kind: Kind, fill: impl FnOnce(&mut Members)) {
        let mut content = std::mem::take(&mut self.content);
        content.clear();
        fill(&mut content);
        content.sort();
        self.push(kind, self.queue.now(), &content);
        self.content = content;
    }

    pub(super) fn entry(
        &mut self,
        item: &Item,
        keys: &Keys,
        arguments: Arguments,
        recurring: &mut RecurringTexts,
    ) {
        let mut described = std::mem::take(&mut self.content);
        let content = item.draft.members(&mut described, keys, arguments, recurring);
        self.push(item.draft.kind, item.moment, content);
        self.content = described;
    }

    /// Adds the first record of a segment. It lists the open calls, so that earlier segments need
    /// not be read.
    pub(super) fn header(&mut self, segment: &Segment, open: &OpenCalls) {
        self.add(Kind::Segment, |members| {
            members.string("segment", &segment.name());
            open.describe(members);
        });
    }

    pub(super) fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.add(Kind::Checkpoint, |members| members.token("checkpoint", checkpoint.as_str()));
    }

    /// Returns the current time in the form that records use.
    pub(super) fn now(&self) -> String {
        overt_wire::rfc3339::format_micros(self.queue.now().wall)
    }

    /// Returns the position of the log after the records added so far.
    pub(super) fn tip(&self) -> Tip {
        self.tip
    }

    pub(super) fn finish(self) -> (String, Tip) {
        (self.text, self.tip)
    }

    fn push(&mut self, kind: Kind, moment: Timestamp, content: &Members) {
        self.frame.clear();
        frame(&mut self.frame, kind, moment, self.boot, self.synced);
        let (seq, start) = (self.tip.seq + 1, self.text.len());
        let head = self.frame.push_line(content, &mut self.text, seq, self.tip.head);
        self.text.push('\n');
        self.tip = Tip { seq, head, length: self.tip.length + (self.text.len() - start) as u64 };
    }
}
