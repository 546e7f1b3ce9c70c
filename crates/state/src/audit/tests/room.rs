//! Room in the queue: large calls take none from others, and how a call ended always finds some.
use overt_layers::audit::{Entry, Kind};
use overt_wire::json::JsonBuf;

use super::support::{Place, intent, outcome, wait};
use crate::audit::draft::Draft;
use crate::audit::keys::Keys;
use crate::audit::options::Arguments;
use crate::audit::queue::Queue;

fn draft(place: &Place, entry: Entry) -> Draft {
    Draft::of(entry, &Keys::open(&place.keys()).unwrap(), Arguments::Digest)
}

fn calls(queue: &Queue) -> Vec<String> {
    queue.take(std::time::Duration::ZERO).unwrap().into_iter().map(|item| item.draft.call).collect()
}

/// AUD-01: a client can't hide what was refused behind large arguments, names or results.
#[test]
fn aud_01_large_calls_take_no_room_from_others() {
    let place = Place::new();
    let queue = Queue::new(1024);
    let large = JsonBuf::parse(&format!(r#"{{"a":"{}"}}"#, "x".repeat(1 << 20))).unwrap();
    for call in 0..10 {
        let entry = Entry {
            kind: Kind::Deny,
            arguments: Some(large.clone()),
            result: Some(large.clone()),
            target: Some("y".repeat(1 << 20)),
            needed: vec!["z".repeat(1 << 20); 3],
            ..intent(&call.to_string())
        };
        queue.offer(draft(&place, entry));
    }
    queue.offer(draft(&place, Entry { kind: Kind::Deny, ..intent("small") }));
    assert_eq!((calls(&queue).len(), queue.missed()), (11, 0));
}

#[test]
fn aud_01_how_a_call_ended_always_finds_room() {
    let place = Place::new();
    let queue = Queue::new(16);
    wait(queue.put(draft(&place, intent("begun")), None)).unwrap();
    wait(queue.put(draft(&place, intent("refused")), None)).unwrap();
    queue.release("refused");
    (0..100)
        .for_each(|call| queue.offer(draft(&place, Entry { kind: Kind::Deny, ..intent(&call.to_string()) })));
    assert_eq!(queue.missed(), 86);
    queue.offer(draft(&place, outcome("begun")));
    assert_eq!(queue.missed(), 0);
    queue.offer(draft(&place, outcome("begun")));
    queue.offer(draft(&place, outcome("refused")));
    assert_eq!(queue.missed(), 2, "one promise is for one record");
    assert_eq!(calls(&queue).last().unwrap(), "begun");
    // Whoever waits does not wait either.
    wait(queue.put(draft(&place, intent("next")), None)).unwrap();
    (0..100).for_each(|_| queue.offer(draft(&place, Entry { kind: Kind::Deny, ..intent("deny") })));
    wait(queue.put(draft(&place, outcome("next")), None)).unwrap();
}
