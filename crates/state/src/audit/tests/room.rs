//! The room in the queue: large calls take none from others, and outcomes always find some.
use overt_layers::audit::{Entry, Kind};
use overt_wire::json::JsonBuf;
use overt_wire::{Id, Message};

use super::support::{Place, intent, outcome, wait};
use crate::audit::draft::Draft;
use crate::audit::keys::Keys;
use crate::audit::options::Arguments;
use crate::audit::queue::Queue;

fn draft(place: &Place, queue: &Queue, entry: &Entry) -> Draft {
    let keys = Keys::open(&place.keys()).unwrap();
    let room = |call: Option<&str>| queue.room(call);
    Draft::of(entry, room, &keys, Arguments::Digest)
}

fn calls(queue: &Queue) -> Vec<String> {
    queue.take().into_iter().map(|item| item.draft.call.to_string()).collect()
}

/// AUD-01: a client can't hide refusals behind large arguments, names or results.
#[test]
fn aud_01_large_calls_take_no_room_from_others() {
    let place = Place::new();
    let queue = Queue::new(1024);
    let large = JsonBuf::parse(&format!(r#"{{"a":"{}"}}"#, "x".repeat(1 << 20))).unwrap();
    for call in 0..10 {
        let entry = Entry {
            kind: Kind::Deny,
            arguments: Some(large.clone().into()),
            answer: Some(Message::result(&Id::from(1), large.as_json())),
            target: Some("y".repeat(1 << 20)),
            needed: vec!["z".repeat(1 << 20); 3],
            ..intent(&call.to_string())
        };
        queue.offer(draft(&place, &queue, &entry));
    }
    queue.offer(draft(&place, &queue, &Entry { kind: Kind::Deny, ..intent("small") }));
    assert_eq!((calls(&queue).len(), queue.missed()), (11, 0));
}

/// Long answers wait for their digests, and leave half of the room free.
#[test]
fn aud_01_answers_that_wait_leave_room_for_records() {
    let place = Place::new();
    let queue = Queue::new(640);
    let text = JsonBuf::parse(&format!(r#"{{"a":"{}"}}"#, "x".repeat(100 << 10))).unwrap();
    let answer = Message::result(&Id::from(1), text.as_json());
    for call in 0..20 {
        let entry = Entry { answer: Some(answer.clone()), ..outcome(&call.to_string()) };
        queue.offer(draft(&place, &queue, &entry));
    }
    assert_eq!((calls(&queue).len(), queue.missed()), (20, 0));
}

#[test]
fn aud_01_how_a_call_ended_always_finds_room() {
    let place = Place::new();
    let queue = Queue::new(16);
    wait(queue.put(draft(&place, &queue, &intent("begun")), None)).unwrap();
    wait(queue.put(draft(&place, &queue, &intent("refused")), None)).unwrap();
    queue.release("refused");
    (0..100).for_each(|call| {
        queue.offer(draft(&place, &queue, &Entry { kind: Kind::Deny, ..intent(&call.to_string()) }));
    });
    assert_eq!(queue.missed(), 86);
    queue.offer(draft(&place, &queue, &outcome("begun")));
    assert_eq!(queue.missed(), 0);
    queue.offer(draft(&place, &queue, &outcome("begun")));
    queue.offer(draft(&place, &queue, &outcome("refused")));
    assert_eq!(queue.missed(), 2, "one promise is for one record");
    assert_eq!(calls(&queue).last().unwrap(), "begun");
    // A call that waits for its record is not delayed either.
    wait(queue.put(draft(&place, &queue, &intent("next")), None)).unwrap();
    (0..100).for_each(|_| queue.offer(draft(&place, &queue, &Entry { kind: Kind::Deny, ..intent("deny") })));
    wait(queue.put(draft(&place, &queue, &outcome("next")), None)).unwrap();
}
