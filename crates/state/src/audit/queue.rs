//! The queue of entries that wait to be written. It is bounded in bytes; any number of callers fill
//! it, and the writer empties it.
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use overt_layers::audit::{Kind, LedgerError};
use tokio::sync::Semaphore;

use super::ack::Ack;
use super::describe::Timestamp;
use super::draft::Draft;

#[derive(Debug)]
pub(super) struct Queue {
    /// Free space in KiB; a record takes at least one.
    room: Semaphore,
    capacity: u32,
    waiting: Mutex<WaitingRecords>,
    arrived: Condvar,
    /// The number of notes that were dropped because the queue was full.
    missed: AtomicU64,
    opened: Instant,
}

#[derive(Debug, Default)]
struct WaitingRecords {
    items: VecDeque<Item>,
    /// Calls whose intent is in the queue or written, at most `MOST_PROMISED`. There is always room
    /// for their outcomes.
    promised: HashSet<Arc<str>>,
    /// Those of them that waited for their intents. While one is open, others may come.
    changing: HashSet<Arc<str>>,
    /// The number of waiting records that a call waits for, and the number of such records in the
    /// last batch.
    awaited: usize,
    last_awaited: usize,
    /// How many awaited records to gather before one sync, and how many batches to write without
    /// gathering.
    expected: usize,
    not_gathered: u32,
    closed: bool,
    writer: WriterState,
    /// When the writer has to look although no entry came; `None` if never.
    look_at: Option<Instant>,
}

/// What the writer is doing. Callers wake it only if it would sleep too long, because each wake-up
/// is a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum WriterState {
    #[default]
    Busy,
    /// It sleeps for a short time and then takes the entries that have arrived.
    Collecting,
    /// It sleeps for a shorter time, to gather more awaited records.
    Gathering,
    /// It sleeps until an entry arrives.
    Idle,
}

#[derive(Debug)]
pub(super) struct Item {
    pub(super) draft: Draft,
    pub(super) moment: Timestamp,
    /// The caller that waits until the record is on disk.
    pub(super) ack: Option<Ack>,
    cost: u32,
}

/// The most records that are written together.
pub(super) const BATCH: usize = 1024;
/// Records that no call waits for are collected for this time, or until there are `MANY`. Then many
/// records cost one wake-up and one write. The writer also collects right after a batch, so that a
/// record soon after another wakes no thread.
const COLLECTED: Duration = Duration::from_millis(5);
const MANY: usize = 256;
/// How many batches are written at once after one that gathered no further record.
const NOT_GATHERED: u32 = 16;
/// The most simultaneous calls whose outcome is guaranteed room. A record has a bounded size, so
/// this also bounds the memory beyond the capacity.
const MOST_PROMISED: usize = 4096;

impl Queue {
    pub(super) fn new(capacity: u32) -> Self {
        let capacity = capacity.max(1);
        Self {
            room: Semaphore::new(capacity as usize),
            capacity,
            waiting: Mutex::default(),
            arrived: Condvar::new(),
            missed: AtomicU64::new(0),
            opened: Instant::now(),
        }
    }

    /// Waits for room, and adds the entry unless the queue is closed. A caller that passes an `ack`
    /// must call [`Queue::wake_writer`] afterwards.
    pub(super) async fn put(&self, draft: Draft, ack: Option<Ack>) -> Result<(), LedgerError> {
        let cost = self.cost(&draft);
        match self.room.acquire_many(cost).await {
            Ok(permit) => permit.forget(),
            Err(_) => return Err(closed()),
        }
        self.push(draft, cost, ack)
    }

    /// Adds the entry if there is room now, or if its room was promised. Otherwise counts it as
    /// missed.
    pub(super) fn offer(&self, draft: Draft) {
        let cost = self.cost(&draft);
        let taken = self.room.try_acquire_many(cost).is_ok_and(|permit| {
            permit.forget();
            self.push(draft, cost, None).is_ok()
        });
        if !taken {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn push(&self, draft: Draft, cost: u32, ack: Option<Ack>) -> Result<(), LedgerError> {
        let mut waiting = self.lock();
        if waiting.closed {
            return Err(closed());
        }
        match draft.kind {
            Kind::Intent if waiting.promised.len() < MOST_PROMISED => {
                waiting.promised.insert(Arc::clone(&draft.call));
                if ack.is_some() {
                    waiting.changing.insert(Arc::clone(&draft.call));
                }
            }
            Kind::Outcome => waiting.end_promise(&draft.call),
            _ => {}
        }
        // The lock is held, so the records are in the order of their times.
        let item = Item { draft, moment: self.now(), ack, cost };
        let is_urgent = item.ack.is_some();
        waiting.awaited += usize::from(is_urgent);
        waiting.items.push_back(item);
        match waiting.writer {
            WriterState::Idle if !is_urgent => self.wake(waiting),
            WriterState::Collecting if waiting.items.len() >= MANY => self.wake(waiting),
            _ => {}
        }
        Ok(())
    }

    /// Wakes the writer for the awaited records, unless it is about to take them.
    pub(super) fn wake_writer(&self) {
        let waiting = self.lock();
        let is_wanted = match waiting.writer {
            WriterState::Busy => false,
            WriterState::Gathering => waiting.awaited >= waiting.expected,
            WriterState::Collecting | WriterState::Idle => waiting.awaited > 0,
        };
        if is_wanted {
            self.wake(waiting);
        }
    }

    fn wake(&self, mut waiting: MutexGuard<'_, WaitingRecords>) {
        waiting.writer = WriterState::Busy;
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Waits until there are entries to write, the queue is closed, or it is `until`. Gathers
    /// awaited records for at most `patience`. Returns false if the queue is closed and empty.
    pub(super) fn wait(&self, until: Option<Instant>, patience: Duration) -> bool {
        let mut waiting = self.lock();
        waiting.look_by(until);
        waiting = self.collect(waiting);
        if waiting.items.is_empty() && !waiting.closed {
            waiting = self.sleep(waiting);
            if !waiting.items.is_empty() {
                waiting = self.collect(waiting);
            }
        }
        waiting = self.gather(waiting, patience);
        waiting.writer = WriterState::Busy;
        waiting.look_at = None;
        !waiting.closed || !waiting.items.is_empty()
    }

    /// Returns the waiting entries, at most one batch.
    pub(super) fn take(&self) -> Vec<Item> {
        self.take_from(self.lock())
    }

    /// Returns the waiting entries if one caller waits for its record, no other call that waited
    /// for one is open, and the writer's thread sleeps.
    pub(super) fn take_of_one(&self) -> Option<Vec<Item>> {
        let waiting = self.lock();
        let sleeps = matches!(waiting.writer, WriterState::Idle | WriterState::Collecting);
        let is_alone = waiting.awaited == 1 && waiting.changing.len() <= 1 && waiting.items.len() <= BATCH;
        (sleeps && is_alone && !waiting.closed).then(|| self.take_from(waiting))
    }

    fn take_from(&self, mut waiting: MutexGuard<'_, WaitingRecords>) -> Vec<Item> {
        let count = waiting.items.len().min(BATCH);
        let batch: Vec<Item> = waiting.items.drain(..count).collect();
        waiting.awaited = waiting.items.iter().filter(|item| item.ack.is_some()).count();
        waiting.last_awaited = batch.iter().filter(|item| item.ack.is_some()).count();
        drop(waiting);
        self.room.add_permits(batch.iter().map(|item| item.cost as usize).sum());
        batch
    }

    /// Sleeps until an entry arrives, the queue is closed, or the writer has to look.
    fn sleep<'a>(&'a self, mut waiting: MutexGuard<'a, WaitingRecords>) -> MutexGuard<'a, WaitingRecords> {
        waiting.writer = WriterState::Idle;
        while waiting.writer == WriterState::Idle && waiting.items.is_empty() && !waiting.closed {
            waiting = match waiting.time_left() {
                Some(Duration::ZERO) => break,
                Some(left) => {
                    self.arrived.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            };
        }
        waiting
    }

    /// Has the writer look at this time at the latest, because somebody else wrote.
    pub(super) fn look_by(&self, when: Instant) {
        let mut waiting = self.lock();
        if waiting.look_by(Some(when)) && waiting.writer == WriterState::Idle {
            drop(waiting);
            self.arrived.notify_one();
        }
    }

    /// Notes that a batch is written and its callers are about to be answered. These callers may
    /// soon write again, as may those that arrived meanwhile.
    pub(super) fn written(&self) {
        let mut waiting = self.lock();
        waiting.expected = waiting.awaited + waiting.last_awaited;
    }

    /// Waits a short time for more entries, unless the present ones are due. Only due entries wake
    /// the writer during that time.
    fn collect<'a>(&'a self, mut waiting: MutexGuard<'a, WaitingRecords>) -> MutexGuard<'a, WaitingRecords> {
        if waiting.is_due() {
            return waiting;
        }
        waiting.writer = WriterState::Collecting;
        let left = waiting.time_left().unwrap_or(COLLECTED);
        let waited =
            self.arrived.wait_timeout_while(waiting, COLLECTED.min(left), |waiting| !waiting.is_due());
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for the awaited records of callers that will probably write soon, so that one sync
    /// serves all of them. A single caller never waits here. If no record comes, the next batches
    /// are written without waiting.
    fn gather<'a>(
        &'a self,
        mut waiting: MutexGuard<'a, WaitingRecords>,
        patience: Duration,
    ) -> MutexGuard<'a, WaitingRecords> {
        let before = waiting.awaited;
        if !waiting.gathers() || patience.is_zero() {
            return waiting;
        }
        if waiting.not_gathered > 0 {
            waiting.not_gathered -= 1;
            return waiting;
        }
        waiting.writer = WriterState::Gathering;
        let waited = self.arrived.wait_timeout_while(waiting, patience, |waiting| waiting.gathers());
        waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        if waiting.awaited == before {
            waiting.not_gathered = NOT_GATHERED;
        }
        waiting
    }

    /// Returns how many bytes of an answer may wait. Half of the room is reserved for records. A
    /// call whose outcome is promised room gets none for its answer, because its draft does not
    /// count against the capacity.
    pub(super) fn room(&self, call: Option<&str>) -> usize {
        let is_promised = call.is_some_and(|call| self.lock().promised.contains(call));
        let kept = self.capacity.div_ceil(2) as usize;
        if is_promised { 0 } else { self.room.available_permits().saturating_sub(kept) << 10 }
    }

    /// Returns how many notes were dropped since the last call.
    pub(super) fn missed(&self) -> u64 {
        self.missed.swap(0, Ordering::Relaxed)
    }

    /// Closes the queue. Waiting entries are still written.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.room.close();
        self.arrived.notify_all();
    }

    pub(super) fn now(&self) -> Timestamp {
        let nanos = u64::try_from(self.opened.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Timestamp { wall: SystemTime::now(), nanos }
    }

    /// Withdraws the promise of room, because the call does not run after all.
    pub(super) fn release(&self, call: &str) {
        self.lock().end_promise(call);
    }

    /// Returns the room that a record takes, in KiB; 0 if the room was promised.
    fn cost(&self, draft: &Draft) -> u32 {
        if draft.kind == Kind::Outcome && self.lock().promised.contains(&draft.call) {
            return 0;
        }
        u32::try_from(1 + (draft.bytes >> 10)).unwrap_or(u32::MAX).min(self.capacity)
    }

    fn lock(&self) -> MutexGuard<'_, WaitingRecords> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingRecords {
    /// Returns whether the writer has to look earlier than before.
    fn look_by(&mut self, when: Option<Instant>) -> bool {
        let is_earlier = when.is_some_and(|when| self.look_at.is_none_or(|look_at| when < look_at));
        if is_earlier {
            self.look_at = when;
        }
        is_earlier
    }

    fn time_left(&self) -> Option<Duration> {
        self.look_at.map(|look_at| look_at.saturating_duration_since(Instant::now()))
    }

    fn end_promise(&mut self, call: &str) {
        self.promised.remove(call);
        self.changing.remove(call);
    }

    /// Returns whether the writer must not wait for more.
    fn is_due(&self) -> bool {
        self.awaited > 0 || self.closed || self.items.len() >= MANY
    }

    /// Returns whether more awaited records may come soon.
    fn gathers(&self) -> bool {
        (1..self.expected).contains(&self.awaited) && !self.closed && self.items.len() < BATCH
    }
}

fn closed() -> LedgerError {
    LedgerError { why: "it is closed".to_owned() }
}
