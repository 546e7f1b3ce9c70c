//! Single cases, and a model: no answer is lost, in whatever order things happen.
use std::collections::BTreeMap;
use std::task::Waker;

use overt_wire::Id;
use overt_wire::json::Object;
use proptest::prelude::*;

use super::*;

fn streams(max_replay_events: usize, max_replay_bytes: usize) -> Streams {
    let limits = Limits { max_replay_events, max_replay_bytes, ..Limits::default() };
    Streams::new(&limits, ByteBudget::new(usize::MAX))
}

fn note(bytes: usize) -> Message {
    let params = Object::new().string("text", &"x".repeat(bytes)).finish();
    Message::notification("notifications/message", Some(params.as_json()))
}

fn reply(bytes: usize) -> Message {
    let result = Object::new().string("text", &"x".repeat(bytes)).finish();
    Message::result(&Id::from(1), result.as_json())
}

fn take(streams: &mut Streams, cursor: &mut Cursor) -> Option<SentMessage> {
    match streams.poll_next(cursor, &Context::from_waker(Waker::noop())) {
        Poll::Ready(Some(Item::Event(sent))) => Some(sent),
        _ => None,
    }
}

fn numbers(streams: &mut Streams, mut cursor: Cursor) -> Vec<u64> {
    let numbers = std::iter::from_fn(|| take(streams, &mut cursor)).map(|sent| sent.number).collect();
    streams.detach(&cursor);
    numbers
}

#[test]
fn http_14_a_client_that_comes_back_gets_what_it_missed() {
    let mut streams = streams(10, 10_000);
    let stream = streams.number();
    let first = streams.attach(stream);
    streams.push(stream, note(1));
    streams.push(stream, note(2));
    assert_eq!(numbers(&mut streams, first), [1, 2]);
    streams.push_answer(stream, reply(3));
    let resumed = streams.resume(stream, 1).unwrap();
    assert_eq!(numbers(&mut streams, resumed), [2, 3]);
    assert!(streams.resume(stream, 9).is_none());
    assert!(streams.resume(77, 0).is_none());
}

#[test]
fn http_14_the_events_are_bounded() {
    let mut few = streams(3, 10_000);
    (0..10).for_each(|_| few.push(STANDALONE, note(1)));
    assert_eq!(few.kept_events, 3);
    let resumed = few.resume(STANDALONE, 2).unwrap();
    assert_eq!(numbers(&mut few, resumed), [8, 9, 10]);
    let mut short = streams(1000, 300);
    (0..100).for_each(|_| short.push(STANDALONE, note(1)));
    assert!(short.kept_bytes <= 300);
}

#[test]
fn g_49_progress_of_one_call_does_not_drop_the_answer_of_another() {
    let mut streams = streams(256, 4 << 20);
    let (a, b) = (streams.number(), streams.number());
    streams.push_answer(a, reply(10));
    (0..300).for_each(|_| streams.push(b, note(10)));
    let resumed = streams.resume(a, 0).expect("its answer waits");
    assert_eq!(numbers(&mut streams, resumed), [1]);
}

#[test]
fn g_49_what_was_taken_goes_first() {
    let mut streams = streams(4, 10_000);
    let (a, b) = (streams.number(), streams.number());
    streams.push(b, note(1));
    let taken = streams.attach(a);
    streams.push(a, note(1));
    streams.push(a, note(2));
    assert_eq!(numbers(&mut streams, taken), [1, 2]);
    (0..3).for_each(|_| streams.push(b, note(1)));
    let rest = streams.attach(b);
    assert_eq!(numbers(&mut streams, rest), [1, 2, 3, 4], "nobody had taken these");
}

#[test]
fn g_49_an_answer_that_is_too_large_to_be_kept_becomes_an_error() {
    let mut streams = streams(256, 5 << 20);
    let (a, b, c) = (streams.number(), streams.number(), streams.number());
    streams.push_answer(a, reply(4 << 20));
    assert!(!streams.is_full());
    streams.push_answer(b, reply(4 << 20));
    let attached = streams.attach(c);
    streams.push_answer(c, reply(4 << 20));
    for (stream, bytes, code) in [(a, 4 << 20, None), (b, 0, Some(code::OVERLOADED)), (c, 4 << 20, None)] {
        let mut cursor = if stream == c { Cursor { ..attached } } else { streams.attach(stream) };
        let sent = take(&mut streams, &mut cursor).expect("an answer in any case");
        assert!(sent.last && sent.message.text().len() >= bytes);
        assert_eq!(sent.message.error_body().map(|error| error.code), code);
        if stream == c {
            break;
        }
    }
}

#[test]
fn rpc_16_a_connection_that_does_not_read_misses_notifications_and_no_answer() {
    let mut streams = streams(10, 1 << 20);
    let stream = streams.number();
    let slow = streams.attach(stream);
    (0..50).for_each(|_| streams.push(stream, note(1)));
    streams.push_answer(stream, reply(1));
    assert_eq!(numbers(&mut streams, slow), (42..=51).collect::<Vec<_>>());
}

#[test]
fn http_14_a_second_connection_ends_the_first() {
    let mut streams = streams(10, 10_000);
    let mut first = streams.attach(STANDALONE);
    let second = streams.attach(STANDALONE);
    streams.push(STANDALONE, note(1));
    let context = Context::from_waker(Waker::noop());
    assert!(matches!(streams.poll_next(&mut first, &context), Poll::Ready(None)));
    streams.detach(&first);
    assert_eq!(numbers(&mut streams, second), [1]);
}

// === the model ===

const MOST_EVENTS: usize = 6;
const MOST_BYTES: usize = 2000;

/// An event in the life of a session. There are three streams, numbered from 1.
#[derive(Debug, Clone)]
enum Step {
    Notify(u64, usize),
    Answer(u64, usize),
    Attach(u64),
    /// Contains the event after which to resume, in quarters of all events.
    Resume(u64, u64),
    Take(u64),
    Detach(u64),
    DropTaken,
}

fn step() -> impl Strategy<Value = Step> {
    let stream = 1_u64..4;
    prop_oneof![
        4 => (stream.clone(), 0_usize..900).prop_map(|(stream, bytes)| Step::Notify(stream, bytes)),
        2 => (stream.clone(), 0_usize..900).prop_map(|(stream, bytes)| Step::Answer(stream, bytes)),
        2 => stream.clone().prop_map(Step::Attach),
        2 => (stream.clone(), 0_u64..4).prop_map(|(stream, part)| Step::Resume(stream, part)),
        6 => stream.clone().prop_map(Step::Take),
        1 => stream.prop_map(Step::Detach),
        1 => Just(Step::DropTaken),
    ]
}

/// One stream as it would be without limits.
#[derive(Default)]
struct Model {
    /// All messages, the answer last.
    events: Vec<Message>,
    has_answer: bool,
    answer_taken: bool,
    cursor: Option<Cursor>,
}

proptest! {
    #[test]
    fn g_49_no_answer_is_lost_and_nothing_comes_twice(steps in prop::collection::vec(step(), 0..120)) {
        let mut streams = streams(MOST_EVENTS, MOST_BYTES);
        let mut model: BTreeMap<u64, Model> = (1..4).map(|stream| (stream, Model::default())).collect();
        (1..4).for_each(|stream| assert_eq!(streams.number(), stream));
        for step in steps {
            match step {
                Step::Notify(stream, bytes) => {
                    let model = model.get_mut(&stream).unwrap();
                    if !model.has_answer {
                        model.events.push(note(bytes));
                        streams.push(stream, note(bytes));
                    }
                }
                Step::Answer(stream, bytes) => {
                    let model = model.get_mut(&stream).unwrap();
                    if !model.has_answer {
                        model.has_answer = true;
                        model.events.push(reply(bytes));
                        streams.push_answer(stream, reply(bytes));
                    }
                }
                Step::Attach(stream) => {
                    let model = model.get_mut(&stream).unwrap();
                    // A request attaches before its answer exists.
                    if !model.has_answer {
                        model.cursor = Some(streams.attach(stream));
                    }
                }
                Step::Resume(stream, part) => {
                    let model = model.get_mut(&stream).unwrap();
                    let after = model.events.len() as u64 * part / 4;
                    let resumed = streams.resume(stream, after);
                    let must_be_there = model.has_answer && !model.answer_taken;
                    prop_assert!(resumed.is_some() || !must_be_there, "an answer waits on stream {}", stream);
                    if resumed.is_some() {
                        model.cursor = resumed;
                    }
                }
                Step::Take(stream) => {
                    let model = model.get_mut(&stream).unwrap();
                    let Some(cursor) = &mut model.cursor else { continue };
                    let before = cursor.after;
                    match take(&mut streams, cursor) {
                        Some(sent) => {
                            prop_assert!(sent.number > before, "in order and once");
                            let expected = &model.events[sent.number as usize - 1];
                            let is_replaced = sent.last && sent.message.error_body().is_some();
                            prop_assert!(is_replaced || sent.message.text() == expected.text());
                            prop_assert_eq!(sent.last, model.has_answer && sent.number == model.events.len() as u64);
                            model.answer_taken |= sent.last;
                        }
                        None => prop_assert!(
                            !model.has_answer || model.answer_taken,
                            "a client that takes everything gets the answer"
                        ),
                    }
                }
                Step::Detach(stream) => {
                    let cursor = model.get_mut(&stream).unwrap().cursor.take();
                    cursor.iter().for_each(|cursor| streams.detach(cursor));
                }
                Step::DropTaken => streams.drop_taken(),
            }
            // One event may be on its way to a connection, in addition to answers up to the limit.
            prop_assert!(streams.kept_events <= MOST_EVENTS + 3);
            prop_assert!(streams.kept_bytes <= 2 * MOST_BYTES + 1000, "{}", streams.kept_bytes);
            prop_assert_eq!(streams.total.used(), streams.kept_bytes);
            let kept: usize = streams.streams.values().flat_map(|stream| &stream.kept).map(bytes_of).sum();
            prop_assert_eq!(kept, streams.kept_bytes);
        }
    }
}
