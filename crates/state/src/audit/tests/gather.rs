//! Records that several calls wait for are written together. A single call does not wait for
//! others.
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::support::{Place, intent, wait};
use crate::audit::draft::Draft;
use crate::audit::keys::Keys;
use crate::audit::options::Arguments;
use crate::audit::queue::Queue;

/// Much longer than a test may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn put(place: &Place, queue: &Queue, call: &str) {
    let keys = Keys::open(&place.keys()).unwrap();
    let draft = Draft::of(&intent(call), |_| 0, &keys, Arguments::Digest);
    wait(queue.put(draft, Some(oneshot::channel().0))).unwrap();
}

fn take(queue: &Queue, patience: Duration) -> usize {
    queue.take(Duration::ZERO, patience).unwrap().len()
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
