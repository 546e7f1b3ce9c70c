//! Writes the log. It takes all waiting entries, writes them in one piece, syncs if a call waits
//! for that, and then answers the callers. It runs in a thread of its own, or in that of a call
//! that would only wait for that thread.
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

use overt_layers::audit::{Kind, LedgerError};
use overt_wire::hex::hex;
use overt_wire::text::error_chain;

use super::ack::Acknowledgement;
use super::active::ActiveSegment;
use super::batch::Batch;
use super::checkpoint::Checkpoint;
use super::closing::ClosingMark;
use super::disk::Disk;
use super::error::{AuditError, failed};
use super::files;
use super::keys::Keys;
use super::open_calls::{Change, OpenCalls};
use super::options::{CommitPoint, Mode, Options};
use super::publish::Publisher;
use super::queue::{Item, Queue};
use super::recurring::RecurringTexts;
use super::retain;
use super::schedule::CheckpointSchedule;
use super::start::{Recorder, StartRecords};
use super::takeover::Takeover;
use super::tip::Tip;

/// Records that no call waits for are synced after this time.
const SYNC_AGE: Duration = Duration::from_millis(200);
/// They are also synced when this many records that begin or end a call wait for the disk.
const MOST_CHANGES: usize = 4096;
/// The longest time for which records that calls wait for are gathered.
const MOST_PATIENCE: Duration = Duration::from_micros(500);
/// How soon a write that failed is tried again if no entry comes.
const RETRY: Duration = Duration::from_secs(5);
/// The longest time for which a thread that serves calls may wait for the disk, as far as the last
/// sync tells.
const MOST_BLOCKED: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Writer {
    dir: PathBuf,
    queue: Arc<Queue>,
    keys: Arc<Keys>,
    options: Options,
    boot: String,
    publisher: Publisher,
    active: ActiveSegment,
    /// The calls that are open according to the records on disk.
    open: OpenCalls,
    /// The effects on `open` of written records that may not be on disk yet.
    changes: Vec<Change>,
    /// The records of this start, until they are on disk.
    start: Option<StartRecords>,
    recurring: RecurringTexts,
    /// The number of written entries that may not be on disk yet.
    unsynced: u64,
    /// The number of entries that could not be written, and why.
    lost: u64,
    why: String,
    schedule: CheckpointSchedule,
    /// How long the last sync took.
    last_sync: Duration,
}

impl Writer {
    /// Takes the log over from the process that wrote it last, and writes the records of this
    /// start.
    pub(super) fn open(
        dir: PathBuf,
        disk: Disk,
        mut options: Options,
        keys: Arc<Keys>,
        queue: Arc<Queue>,
    ) -> Result<Self, AuditError> {
        files::make_dir(&dir)?;
        let lock = files::lock(&dir)?;
        let Takeover { end, found, broken } = Takeover::of(&dir, options.mode, &keys.public())?;
        let mut boot = [0; 8];
        getrandom::fill(&mut boot)
            .map_err(|_| failed("name this start of", &dir, io::ErrorKind::Other.into()))?;
        let sinks = std::mem::take(&mut options.sinks);
        let publisher =
            Publisher::start(sinks).map_err(|source| failed("start a thread for", &dir, source))?;
        let schedule = CheckpointSchedule::new(&options, end.seq);
        let mut writer = Self {
            active: ActiveSegment::open(dir.clone(), disk, lock, &end, found)?,
            dir,
            queue,
            keys,
            options,
            boot: hex(&boot),
            publisher,
            start: Some(StartRecords::new(&end, broken)),
            open: end.open,
            changes: Vec::new(),
            recurring: RecurringTexts::default(),
            unsynced: 0,
            lost: 0,
            why: String::new(),
            schedule,
            last_sync: Duration::ZERO,
        };
        let begins_segment = writer.active.written().length == 0 && end.seq > 0;
        let needs_older = begins_segment || !writer.open.is_empty();
        let mut batch = writer.batch();
        writer.add_beginning(&mut batch);
        let (text, tip) = batch.finish();
        // This need not be durable yet; the first durable record syncs it too.
        writer.active.write(&text, tip)?;
        writer.note_beginning();
        if needs_older {
            // The beginning repeats facts of earlier segments, which retention may remove now.
            writer.sync()?;
        }
        writer.put_away_older();
        Ok(writer)
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(writer: &Mutex<Self>, queue: &Queue) {
        let Ok(mut next) = writer.lock().map(|writer| writer.next_look()) else { return };
        let mut patience = Duration::ZERO;
        loop {
            let is_open = queue.wait(next, patience);
            // Records are taken while the writer is held, so that they are written in their order.
            // If a call panicked while it wrote, the log ends here.
            let Ok(mut writer) = writer.lock() else { return };
            if !is_open {
                return writer.end();
            }
            writer.commit(queue.take());
            next = writer.next_look();
            // Waiting longer than the disk takes would gain nothing.
            patience = writer.last_sync.min(MOST_PATIENCE);
        }
    }

    /// Writes the waiting records in the thread of the only call that waits, which takes less time
    /// than to wake another thread twice. Returns false if the writer's thread has to write them:
    /// more calls may wait soon, and one sync serves all of them, or this would take long.
    pub(super) fn write_here(writer: &Mutex<Self>, queue: &Queue) -> bool {
        let mut writer = match writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::WouldBlock | TryLockError::Poisoned(_)) => return false,
        };
        if !writer.is_quick() {
            return false;
        }
        let Some(items) = queue.take_of_one() else { return false };
        writer.commit(items);
        if let Some(next) = writer.next_look() {
            queue.look_by(next);
        }
        true
    }

    /// Returns whether the next batch needs no more than a short write.
    fn is_quick(&self) -> bool {
        self.last_sync <= MOST_BLOCKED && self.active.is_open() && !self.is_segment_complete()
    }

    fn is_segment_complete(&self) -> bool {
        self.active.is_complete(self.options.segment_bytes, self.options.segment_age)
    }

    fn commit(&mut self, mut items: Vec<Item>) {
        self.lost += self.queue.missed();
        let done = self.try_commit(&items);
        if let Err(error) = &done {
            self.fail(error, items.len() as u64);
        }
        let answer = match (&done, self.options.mode) {
            (Err(error), Mode::Strict) => Err(LedgerError { why: error_chain(error) }),
            _ => Ok(()),
        };
        let mut acks = Vec::new();
        for item in &mut items {
            let Some(ack) = item.ack.take() else { continue };
            if answer.is_err() && item.draft.kind == Kind::Intent {
                self.queue.release(&item.draft.call);
            }
            acks.push(ack);
        }
        self.queue.written();
        Acknowledgement::send(&answer, acks);
    }

    fn try_commit(&mut self, items: &[Item]) -> Result<(), AuditError> {
        let nothing =
            items.is_empty() && self.lost == 0 && !self.schedule.is_due_after(self.active.written().seq);
        if nothing {
            return if self.active.is_open() && self.is_sync_due() { self.sync() } else { Ok(()) };
        }
        self.make_ready()?;
        let mut recurring = std::mem::take(&mut self.recurring);
        let mut batch = self.batch();
        self.add_beginning(&mut batch);
        if self.lost > 0 {
            batch.add(Kind::Gap, |members| {
                members.number("count", self.lost);
                members.string(
                    "reason",
                    if self.why.is_empty() { "there was no room to wait" } else { &self.why },
                );
            });
        }
        for item in items {
            batch.entry(item, &self.keys, self.options.arguments, &mut recurring);
        }
        let checkpoint = self.schedule.is_due_after(batch.tip().seq).then(|| self.checkpoint(batch.tip()));
        checkpoint.iter().for_each(|checkpoint| batch.checkpoint(checkpoint));
        let (text, tip) = batch.finish();
        self.recurring = recurring;
        let is_awaited =
            self.options.commit_point == CommitPoint::Disk && items.iter().any(|item| item.ack.is_some());
        let are_many = self.changes.len() + items.len() >= MOST_CHANGES;
        let is_synced = checkpoint.is_some() || self.lost > 0 || is_awaited || are_many || self.is_sync_due();
        let begun = Instant::now();
        match is_synced {
            true => self.active.write_durably(&text, tip)?,
            false => self.active.write(&text, tip)?,
        }
        self.note_beginning();
        self.changes.extend(items.iter().filter_map(|item| Change::of(&item.draft)));
        match is_synced {
            true => self.note_synced(begun),
            false => self.unsynced += items.len() as u64,
        }
        self.lost = 0;
        self.why.clear();
        if let Some(checkpoint) = checkpoint {
            self.schedule.note(self.active.written().seq);
            self.publisher.publish(checkpoint);
        }
        Ok(())
    }

    /// Reopens the segment after a failure. Begins the next segment if this one is complete or no
    /// longer exists.
    fn make_ready(&mut self) -> Result<(), AuditError> {
        let is_there = self.active.reopen()?;
        if is_there && !self.is_segment_complete() {
            return Ok(());
        }
        if is_there {
            self.sync()?;
        }
        let (boot, queue, open) = (&self.boot, &self.queue, &self.open);
        self.active.begin_next(|segment, tip| {
            let mut batch = Batch::new(tip, tip.seq, boot, queue);
            batch.header(segment, open);
            batch.finish()
        })?;
        self.put_away_older();
        Ok(())
    }

    /// Adds the header of an empty segment and the records of this start, unless they are already
    /// written.
    fn add_beginning(&self, batch: &mut Batch<'_>) {
        if self.active.written().length == 0 {
            batch.header(self.active.segment(), &self.open);
        }
        let by = Recorder { mode: self.options.mode, keys: &self.keys };
        for start in self.start.iter().filter(|start| !start.written) {
            start.add_to(batch, &self.open, &self.active.segment().name(), &by);
        }
    }

    /// Notes that the beginning is written.
    fn note_beginning(&mut self) {
        for start in self.start.iter_mut().filter(|start| !start.written) {
            start.written = true;
            self.changes.extend(start.changes());
        }
    }

    /// Makes the written text durable.
    fn sync(&mut self) -> Result<(), AuditError> {
        let begun = Instant::now();
        self.active.sync()?;
        self.note_synced(begun);
        Ok(())
    }

    /// Notes that everything is on disk, after a sync that was begun at this time.
    fn note_synced(&mut self, begun: Instant) {
        self.last_sync = begun.elapsed();
        if self.start.take_if(|start| start.written).is_some() {
            // The recovery record has reported them.
            self.open.forget_not_listed();
        }
        self.changes.drain(..).for_each(|change| self.open.apply(change));
        self.unsynced = 0;
    }

    /// Goes back to what is on disk, and counts the rest as lost.
    fn fail(&mut self, error: &AuditError, entries: u64) {
        if self.why.is_empty() {
            tracing::error!(error = error_chain(error), "the audit log can't be written");
        }
        self.why = error_chain(error);
        self.lost += entries + std::mem::take(&mut self.unsynced);
        self.changes.clear();
        self.start.iter_mut().for_each(|start| start.written = false);
        self.active.forget_unsynced();
    }

    /// Makes closed segments read-only, and removes those that exceed the retention limits.
    fn put_away_older(&self) {
        let put_away = self.active.seal_older().and_then(|older| {
            retain::retain(&self.dir, &older, &self.options, &self.keys, self.active.disk())
        });
        if let Err(error) = put_away {
            tracing::warn!(error = error_chain(&error), "old segments of the audit log can't be put away");
        }
    }

    fn end(&mut self) {
        if let Err(error) = self.try_end() {
            tracing::warn!(error = error_chain(&error), "the end of the audit log can't be written");
        }
        self.publisher.close();
        self.active.unlock();
    }

    fn try_end(&mut self) -> Result<(), AuditError> {
        self.lost += self.queue.missed();
        if !self.active.reopen()? {
            self.make_ready()?;
        }
        let mut batch = self.batch();
        self.add_beginning(&mut batch);
        if self.lost > 0 {
            batch.add(Kind::Gap, |members| members.number("count", self.lost));
        }
        let mut open = self.open.clone();
        if let Some(start) = &self.start {
            open.forget_not_listed();
            start.changes().for_each(|change| open.apply(change));
        }
        self.changes.iter().for_each(|change| open.apply(change.clone()));
        // The next start reads the open calls from this record.
        batch.add(Kind::Stop, |members| open.describe(members));
        let checkpoint = self.checkpoint(batch.tip());
        batch.checkpoint(&checkpoint);
        let ts = batch.now();
        let (text, tip) = batch.finish();
        self.active.write_durably(&text, tip)?;
        self.publisher.publish(checkpoint);
        ClosingMark::write(&self.dir, tip, &ts, &self.keys, self.active.disk())
    }

    fn batch(&self) -> Batch<'_> {
        Batch::new(self.active.written(), self.active.synced().seq, &self.boot, &self.queue)
    }

    fn checkpoint(&self, tip: Tip) -> Checkpoint {
        let ts = overt_wire::rfc3339::format_micros(self.queue.now().wall);
        Checkpoint::new(tip, &self.active.segment().name(), &ts, &self.keys)
    }

    fn is_sync_due(&self) -> bool {
        self.active.unsynced_since().is_some_and(|since| since.elapsed() >= SYNC_AGE)
    }

    /// Returns when something is due although no entry comes.
    fn next_look(&self) -> Option<Instant> {
        if !self.why.is_empty() {
            return Some(Instant::now() + RETRY);
        }
        let sync = self.active.unsynced_since().map(|since| since + SYNC_AGE);
        let checkpoint = self.schedule.due_after(self.active.written().seq);
        sync.into_iter().chain(checkpoint).min()
    }
}
