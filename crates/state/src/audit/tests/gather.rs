//! Records that several calls wait for are written together. A single call does not wait for
//! others, nor for another thread.
use std::io;
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use overt_layers::audit::Ledger as _;

use super::support::{Place, durable, intent, outcome, wait};
use crate::audit::disk::{Disk, DiskObserver, Operation};
use crate::audit::draft::Draft;
use crate::audit::keys::Keys;
use crate::audit::options::Arguments;
use crate::audit::queue::Queue;
use crate::audit::{AuditLog, CommitPoint};

/// Much longer than a test may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn put(place: &Place, queue: &Queue, call: &str) {
    let keys = Keys::open(&place.keys()).unwrap();
    let draft = Draft::of(&intent(call), |_| 0, &keys, Arguments::Digest);
    wait(queue.put(draft, Some(oneshot::channel().0))).unwrap();
}

fn take(queue: &Queue, patience: Duration) -> usize {
    assert!(queue.wait(Some(Instant::now()), patience));
    queue.take().len()
}

/// Takes and finishes a batch as the writer does.
fn write(queue: &Queue, patience: Duration) -> usize {
    let count = take(queue, patience);
    queue.written();
    count
}

#[test]
fn one_caller_alone_waits_for_nobody() {
    let (place, queue) = (Place::new(), Queue::new(1024));
    let begun = Instant::now();
    for call in 0..10 {
        put(&place, &queue, &call.to_string());
        assert_eq!(write(&queue, PATIENCE), 1);
    }
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn callers_of_the_last_batch_are_waited_for() {
    let (place, queue) = (Place::new(), Queue::new(1024));
    ["a", "b", "c"].iter().for_each(|call| put(&place, &queue, call));
    assert_eq!(take(&queue, Duration::ZERO), 3);
    put(&place, &queue, "d");
    // One record arrived while the batch was written, so four are expected.
    queue.written();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            for call in ["a2", "b2", "c2"] {
                put(&place, &queue, call);
                queue.wake_writer();
            }
        });
        assert_eq!(take(&queue, PATIENCE), 4);
    });
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn nobody_waits_long_for_callers_that_do_not_come() {
    let (place, queue) = (Place::new(), Queue::new(1024));
    ["a", "b"].iter().for_each(|call| put(&place, &queue, call));
    assert_eq!(write(&queue, Duration::ZERO), 2);
    put(&place, &queue, "c");
    assert_eq!(write(&queue, Duration::from_millis(5)), 1, "the time is over");
    put(&place, &queue, "d");
    let begun = Instant::now();
    assert_eq!(take(&queue, PATIENCE), 1, "nobody came the last time");
    assert!(begun.elapsed() < PATIENCE);
}

/// The threads that wrote, one for each write.
#[derive(Debug, Default)]
struct Writers(Mutex<Vec<ThreadId>>);

impl DiskObserver for Writers {
    fn before(&self, operation: Operation<'_>) -> io::Result<()> {
        if matches!(operation, Operation::Append(..) | Operation::AppendDurably(..)) {
            self.0.lock().unwrap().push(thread::current().id());
        }
        Ok(())
    }
}

#[test]
fn the_only_open_call_writes_in_its_own_thread() {
    let (place, writers) = (Place::new(), Arc::new(Writers::default()));
    let observer: Arc<Writers> = Arc::clone(&writers);
    let log = AuditLog::open_on(Disk::observed_by(observer), &place.dir(), place.options()).unwrap();
    let is_ours = |call: &str| {
        durable(&log, intent(call)).unwrap();
        writers.0.lock().unwrap().last() == Some(&thread::current().id())
    };
    // Now and then the thread of the log is at work, or the disk is slow.
    assert!((0..1000).any(|call| {
        let call = format!("alone-{call}");
        let is_ours = is_ours(&call);
        log.note(outcome(&call));
        is_ours
    }));
    is_ours("open");
    assert!(!(0..5).any(|call| is_ours(&format!("beside-{call}"))), "more calls may come soon");
    log.close();
    assert_eq!(place.verify().broken, None);
}

/// A call that writes while the thread of the log collects leaves the sync to that thread.
#[test]
fn what_a_call_wrote_and_did_not_wait_for_is_on_the_disk_soon() {
    let place = Place::new();
    let log = place.open_with(|options| options.commit_point = CommitPoint::System).unwrap();
    // What the start wrote is synced.
    thread::sleep(Duration::from_millis(400));
    log.note(outcome("earlier"));
    durable(&log, intent("long")).unwrap();
    thread::sleep(Duration::from_millis(600));
    log.note(outcome("later"));
    log.close();
    let records = place.records();
    let find = |call: &str| records.iter().find(|record| record.text("call") == call).unwrap();
    assert!(find("later").number("synced") >= Some(find("long").seq), "{}", place.text());
}
