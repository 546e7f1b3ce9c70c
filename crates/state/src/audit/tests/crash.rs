//! AUD-02: a log is recovered after a crash, and every acknowledged record is in it.
use std::fs::{self, OpenOptions};
use std::io::Write as _;

use overt_layers::audit::{Durability, Entry, Ledger as _};
use proptest::prelude::*;

use super::support::{Place, durable, intent, outcome, wait};
use crate::audit::{AuditError, CommitPoint, Record};

/// Copies the log as it is now, so that the copy was not closed.
fn crashed(place: &Place) -> Place {
    let copy = Place::new();
    fs::create_dir(copy.dir()).unwrap();
    fs::create_dir(copy.keys()).unwrap();
    for (from, to) in [(place.dir(), copy.dir()), (place.keys(), copy.keys())] {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    copy
}

#[test]
fn aud_02_calls_without_an_end_get_one() {
    let place = Place::new();
    let log = place.open();
    for call in ["c1", "c2", "c3"] {
        durable(&log, intent(call)).unwrap();
    }
    durable(&log, outcome("c2")).unwrap();
    let copy = crashed(&place);
    drop(copy.open());
    let records = copy.records();
    let kinds: Vec<_> = records.iter().skip(6).map(|record| record.text("kind")).collect();
    assert_eq!(kinds, ["recovery", "start", "outcome", "outcome", "stop", "checkpoint"]);
    assert_eq!((records[6].number("open_calls"), records[6].number("cut_bytes")), (Some(2), Some(0)));
    let unknown: Vec<_> = records
        .iter()
        .filter(|record| record.text("outcome") == "unknown")
        .map(|record| record.text("call"))
        .collect();
    assert_eq!(unknown, ["c1", "c3"]);
    assert!(records.iter().all(says_what_it_is_about));
    assert_eq!((copy.verify().broken, copy.verify().recoveries), (None, 1));
    // The recovery is recorded only once.
    drop(copy.open());
    assert_eq!(copy.verify().recoveries, 1);
}

/// A closed log with more records than a start reads. `open` is a call that has not ended by then.
fn long_and_closed(open: Option<&str>) -> Place {
    let place = Place::new();
    let log = place.open();
    let reason = Some("x".repeat(4000));
    for call in 0..12 {
        wait(log.write(Entry { reason: reason.clone(), ..outcome(&call.to_string()) }, Durability::Batched))
            .unwrap();
    }
    open.iter().for_each(|call| durable(&log, intent(call)).unwrap());
    log.close();
    assert!(place.text().len() > 40 << 10);
    place
}

/// A server with a long log starts as quickly as one with a short log. Only `verify` reads the
/// whole log.
#[test]
fn the_end_of_a_long_log_that_was_closed_is_enough_to_go_on() {
    let place = long_and_closed(None);
    let damaged = place.text().replacen("xxxx", "xyxx", 1);
    let path = place.segments().pop().unwrap();
    fs::write(&path, damaged).unwrap();
    let log = place.open();
    durable(&log, intent("next")).unwrap();
    log.close();
    assert!(place.verify().broken.is_some(), "the damage is still found");
    // A log without a complete end is read from the beginning, so the start finds the damage.
    let mut text = place.text();
    text.truncate(text.len() - 10);
    fs::write(&path, text).unwrap();
    assert!(matches!(place.open_with(|_| {}), Err(AuditError::Broken { .. })));
}

#[test]
fn aud_02_a_call_that_outlived_a_long_log_gets_an_end() {
    let place = long_and_closed(Some("late"));
    place.open().close();
    let unknown: Vec<_> =
        place.records().iter().filter(|record| record.text("outcome") == "unknown").cloned().collect();
    assert_eq!(unknown.iter().map(|record| record.text("call")).collect::<Vec<_>>(), ["late"]);
    assert!(says_what_it_is_about(&unknown[0]));
    assert_eq!(place.verify().broken, None);
}

/// In this mode no call waits for the disk. The operating system has the record before the call
/// continues, so the record outlives this process.
#[test]
fn aud_02_a_record_that_the_system_has_outlives_a_crash_of_the_process() {
    let place = Place::new();
    let log = place.open_with(|options| options.commit_point = CommitPoint::System).unwrap();
    for call in ["c1", "c2"] {
        durable(&log, intent(call)).unwrap();
        let copy = crashed(&place);
        assert!(copy.text().contains(&format!("\"call\":\"{call}\"")));
        drop(copy.open());
        assert_eq!(copy.verify().broken, None);
    }
}

/// The header of the last segment lists calls that began in an earlier segment.
#[test]
fn calls_are_followed_across_segments() {
    let place = Place::new();
    let log = place.open_with(|options| options.segment_bytes = 1).unwrap();
    for call in ["c1", "c2", "c3"] {
        durable(&log, intent(call)).unwrap();
    }
    durable(&log, outcome("c1")).unwrap();
    let copy = crashed(&place);
    drop(copy.open());
    let unknown: Vec<_> = copy
        .records()
        .iter()
        .filter(|record| record.text("outcome") == "unknown")
        .map(|record| record.text("call"))
        .collect();
    assert_eq!(unknown, ["c2", "c3"]);
    assert!(copy.records().iter().all(says_what_it_is_about), "{}", copy.text());
    assert_eq!(copy.verify().broken, None);
}

/// Returns whether an outcome with unknown result has the context of its call.
fn says_what_it_is_about(record: &Record) -> bool {
    let said = ["server", "target", "principal", "method"].map(|name| record.text(name));
    record.text("outcome") != "unknown" || said == ["files", "edit_file", "ada", "tools/call"]
}

/// A crash of the process is not reported as tampering, even before the next start. The remains of
/// a power cut may be.
#[test]
fn aud_02_an_unfinished_line_is_called_that() {
    let place = Place::new();
    let log = place.open();
    durable(&log, intent("c1")).unwrap();
    assert!(place.verify().being_written);
    let copy = crashed(&place);
    let path = copy.segments().pop().unwrap();
    let add =
        |text: &str| OpenOptions::new().append(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
    add("{\"half");
    let report = copy.verify();
    assert_eq!((report.broken, report.unfinished, report.being_written, report.last), (None, true, false, 3));
    add("\n");
    let report = copy.verify();
    assert_eq!((report.broken.unwrap().seq, report.unfinished), (4, false));
    fs::write(copy.dir().join("seg-00000000000000000004.jsonl"), "").unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("{\"half\n", "")).unwrap();
    assert_eq!(copy.verify().broken, None, "a file that was just made");
}

#[test]
fn aud_02_a_torn_end_is_cut_and_said() {
    let place = Place::new();
    let log = place.open();
    durable(&log, intent("c1")).unwrap();
    for torn in ["{\"half", "x\n", "\0\0\0\0\n{\"a\":1}\n", "\n"] {
        let copy = crashed(&place);
        let path = copy.segments().pop().unwrap();
        OpenOptions::new().append(true).open(path).unwrap().write_all(torn.as_bytes()).unwrap();
        drop(copy.open());
        let records = copy.records();
        let recovery = records.iter().find(|record| record.text("kind") == "recovery").unwrap();
        assert_eq!(recovery.number("cut_bytes"), Some(torn.len() as u64), "{torn:?}");
        assert_eq!(copy.verify().broken, None);
        assert_eq!(records[2].text("call"), "c1", "what was acknowledged is there");
    }
}

/// A record that was known to be on disk can't be torn by a crash, so somebody changed it.
#[test]
fn damage_in_the_middle_stops_the_start() {
    let place = Place::new();
    let log = place.open();
    for call in ["c1", "c2", "c3"] {
        durable(&log, intent(call)).unwrap();
    }
    let copy = crashed(&place);
    let path = copy.segments().pop().unwrap();
    let text = fs::read_to_string(&path).unwrap().replace("\"call\":\"c1\"", "\"call\":\"c9\"");
    fs::write(&path, text).unwrap();
    let error = copy.open_with(|_| {}).unwrap_err();
    assert!(matches!(error, AuditError::Broken { seq: 3, .. }), "{error}");
    // In best-effort mode the log continues, reports the damage, and does not repair the chain.
    let log = copy.open_with(|options| options.mode = crate::audit::Mode::BestEffort).unwrap();
    durable(&log, intent("c4")).unwrap();
    log.close();
    assert_eq!(copy.verify().broken.unwrap().seq, 3);
    assert!(copy.text().contains("\"kind\":\"recovery\""));
}

#[derive(Debug, Clone)]
enum Step {
    Durable,
    Batched,
    /// A crash that loses at most this many bytes of the last segment, but nothing that is known to
    /// be on disk.
    Crash(usize),
    Reopen,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// For any sequence of steps, the chain is valid, every acknowledged record exists once, and no
    /// number is used twice.
    #[test]
    fn aud_02_any_sequence_of_writes_and_crashes_holds(
        steps in proptest::collection::vec(
            prop_oneof![4 => Just(Step::Durable), 3 => Just(Step::Batched), 1 => (0..3000_usize).prop_map(Step::Crash), 1 => Just(Step::Reopen)],
            1..40,
        )
    ) {
        let mut place = Place::new();
        let change = |options: &mut crate::audit::Options| {
            options.segment_bytes = 3000;
            options.checkpoint_records = 7;
        };
        let mut log = place.open_with(change).unwrap();
        let mut acknowledged = Vec::new();
        let mut last_written = None;
        for (number, step) in steps.into_iter().enumerate() {
            let call = format!("c{number}");
            match step {
                Step::Durable => {
                    durable(&log, intent(&call)).unwrap();
                    acknowledged.push(call.clone());
                    last_written = Some(call);
                }
                Step::Batched => {
                    wait(log.write(intent(&call), Durability::Batched)).unwrap();
                    last_written = Some(call);
                }
                Step::Crash(cut) => {
                    // Waits until the last record is in the file, so that nothing changes while the
                    // copy is made.
                    while last_written.as_ref().is_some_and(|call| !place.text().contains(&format!("\"call\":\"{call}\""))) {
                        std::thread::sleep(std::time::Duration::from_millis(1));
                    }
                    last_written = None;
                    let certain: usize = place.segments().last().map_or(0, |path| {
                        let text = fs::read_to_string(path).unwrap();
                        let last = acknowledged.last().map(|call: &String| format!("\"call\":\"{call}\""));
                        let end = last.and_then(|last| text.find(&last)).map_or(0, |at| at + text[at..].find('\n').unwrap() + 1);
                        // A closed log is on disk.
                        let stop = text.rfind("\"kind\":\"stop\"");
                        let closed = stop.map_or(0, |at| text[at..].match_indices('\n').nth(1).map_or(0, |(end, _)| at + end + 1));
                        // A header is on disk before anything follows it.
                        end.max(closed).max(text.find('\n').unwrap() + 1)
                    });
                    let copy = crashed(&place);
                    drop(log);
                    let path = copy.segments().pop().unwrap();
                    let length = usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
                    let kept = length.saturating_sub(cut).max(certain);
                    OpenOptions::new().write(true).open(&path).unwrap().set_len(kept as u64).unwrap();
                    place = copy;
                    log = place.open_with(change).unwrap();
                }
                Step::Reopen => {
                    drop(log);
                    log = place.open_with(change).unwrap();
                }
            }
        }
        drop(log);
        prop_assert_eq!(place.verify().broken, None);
        let calls: Vec<String> =
            place.records().iter().filter(|record| record.text("kind") == "intent").map(|record| record.text("call")).collect();
        for call in &acknowledged {
            prop_assert_eq!(calls.iter().filter(|there| *there == call).count(), 1, "{}", call);
        }
    }
}
