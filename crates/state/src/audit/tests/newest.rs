//! Reading from the end gives the same records as reading from the beginning, in reverse order.
use std::fs;

use overt_layers::audit::{CallOutcome, Durability, Entry, Kind, Ledger as _};
use proptest::prelude::*;

use super::support::{Place, intent, outcome, wait};
use crate::audit::backward::{BackwardLines, LineResult};
use crate::audit::{Actions, End, Filter, Follower, NewestRecords, RecordQuery, Source, for_each};

fn source(place: &Place, name: &str) -> Source {
    Source { name: name.to_owned(), dir: place.dir(), after: 0, before: None }
}

/// Returns all lines of a file with this content, last line first, and the number of garbage lines.
fn backwards(content: &[u8]) -> (Vec<String>, u64) {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("seg-00000000000000000001.jsonl"), content).unwrap();
    let mut lines = BackwardLines::open(place.path()).unwrap();
    let mut found = Vec::new();
    while let Some(line) = lines.next(|line| LineResult::Taken(line.to_owned())).unwrap() {
        found.push(line);
    }
    (found, lines.garbage)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Lines of every length, around the chunk size, with or without a line break at the end.
    #[test]
    fn every_line_is_found_once(
        lengths in proptest::collection::vec(prop_oneof![0..200_usize, 130_000..140_000_usize, 262_100..262_200_usize], 0..6),
        torn in 0..3_usize,
    ) {
        let lines: Vec<String> = lengths.iter().enumerate().map(|(number, length)| format!("{number}:{}", "x".repeat(*length))).collect();
        let mut content: Vec<u8> = lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
        content.extend(vec![b'y'; torn * 150_000]);
        let (found, garbage) = backwards(&content);
        let expected: Vec<String> = lines.into_iter().rev().collect();
        prop_assert!(found == expected, "{} of {}", found.len(), expected.len());
        prop_assert_eq!(garbage, 0);
    }
}

#[test]
fn what_is_too_long_or_no_text_is_counted() {
    let mut content = b"one\n\xff\xfe\n".to_vec();
    content.extend(vec![b'z'; 3 << 20]);
    content.extend(b"\ntwo\n");
    let (found, garbage) = backwards(&content);
    assert_eq!(
        (found.first().map(String::as_str), found.last().map(String::as_str)),
        (Some("two"), Some("one"))
    );
    assert!(garbage >= 2, "{garbage}");
}

/// Writes a log in several segments, with calls of every kind.
fn filled(place: &Place, calls: usize) {
    let log = place.open_with(|options| options.segment_bytes = 10_000).unwrap();
    for number in 0..calls {
        let call = format!("c{number}");
        let begun = Entry { target: Some(format!("t{}", number % 3)), ..intent(&call) };
        wait(log.write(begun, Durability::Batched)).unwrap();
        match number % 4 {
            0 => wait(log.write(Entry { kind: Kind::Deny, ..intent(&call) }, Durability::Batched)).unwrap(),
            1 => {}
            _ => {
                let ended = Entry { target: Some(format!("t{}", number % 3)), ..outcome(&call) };
                wait(log.write(Entry { outcome: Some(CallOutcome::Ok), ..ended }, Durability::Batched))
                    .unwrap();
            }
        }
    }
    log.close();
}

#[test]
fn records_come_newest_first_and_all_of_them() {
    let place = Place::new();
    filled(&place, 60);
    let mut forward = Vec::new();
    let filter = Filter { without_own: true, ..Filter::default() };
    for_each(&place.dir(), &filter, &mut |record| {
        forward.push(record.seq);
        Ok(true)
    })
    .unwrap();
    let mut newest = NewestRecords::open(&[source(&place, "log")], &RecordQuery::default());
    let mut backward = Vec::new();
    for (_, record) in newest.by_ref() {
        backward.push(record.seq);
    }
    backward.reverse();
    assert_eq!(forward, backward);
    assert!(newest.unread().is_empty());
    let wanted = RecordQuery { texts: vec!["\"target\":\"t1\"".to_owned()], ..RecordQuery::default() };
    let mut count = 0;
    for (_, record) in NewestRecords::open(&[source(&place, "log")], &wanted) {
        assert_eq!(record.text("target"), "t1");
        count += 1;
    }
    assert!(count > 10);
}

/// A call is one action, however many records it has.
#[test]
fn each_call_is_one_action() {
    let place = Place::new();
    filled(&place, 40);
    let actions = Actions::new(NewestRecords::open(&[source(&place, "log")], &RecordQuery::default()));
    let calls: Vec<String> = actions.map(|action| action.call).collect();
    let expected: Vec<String> = (0..40).rev().map(|number| format!("c{number}")).collect();
    // A call without an outcome gets one when the log is closed or reopened, so its position may
    // differ.
    assert_eq!(calls.len(), 40);
    assert!(expected.iter().all(|call| calls.contains(call)), "{calls:?}");
}

/// Two logs are merged by time, and times limit the result at both ends.
#[test]
fn logs_are_read_as_one_and_times_bound_them() {
    let (one, two) = (Place::new(), Place::new());
    filled(&one, 10);
    filled(&two, 10);
    let logs = [source(&one, "one"), source(&two, "two")];
    let mut times = Vec::new();
    let mut of_first = None;
    for (log, record) in NewestRecords::open(&logs, &RecordQuery::default()) {
        times.push(record.text("ts"));
        of_first = (log == 0).then(|| record.text("ts")).or(of_first);
    }
    assert!(times.is_sorted_by(|later, earlier| later >= earlier), "{times:?}");
    assert!(of_first.is_some());
    let future = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let wanted = RecordQuery { since: Some(future), ..RecordQuery::default() };
    assert!(NewestRecords::open(&logs, &wanted).next().is_none());
    let wanted = RecordQuery { until: Some(std::time::UNIX_EPOCH), ..RecordQuery::default() };
    assert!(NewestRecords::open(&logs, &wanted).next().is_none());
}

#[test]
fn a_follower_sees_what_is_new_once() {
    let place = Place::new();
    filled(&place, 5);
    let logs = [source(&place, "log")];
    let mut follower = Follower::from_end(&logs);
    assert!(follower.next(&logs, 100).is_empty());
    let log = place.open();
    wait(log.write(Entry { kind: Kind::Deny, ..intent("new") }, Durability::Durable)).unwrap();
    let new: Vec<String> = follower.next(&logs, 100).into_iter().map(|action| action.call).collect();
    assert_eq!(new.last().map(String::as_str), Some("new"), "{new:?}");
    assert!(follower.next(&logs, 100).is_empty());
}

#[test]
fn a_follower_can_see_what_has_not_ended() {
    let place = Place::new();
    filled(&place, 5);
    let logs = [source(&place, "log")];
    let (mut all, mut ended) = (Follower::from_end(&logs), Follower::from_end(&logs));
    let log = place.open();
    wait(log.write(intent("begun"), Durability::Durable)).unwrap();
    let new = all.next_with_open(&logs, 100);
    assert!(new.iter().any(|action| action.call == "begun" && action.end == End::Open), "{new:?}");
    assert!(ended.next(&logs, 100).iter().all(|action| action.call != "begun"));
}
