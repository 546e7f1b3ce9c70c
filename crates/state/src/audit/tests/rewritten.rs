//! AUD-04: logs that somebody rewrote without the key, or whose end was cut off.
use std::fs;

use overt_layers::audit::{Durability, Ledger as _};
use overt_wire::json::quote;

use super::support::{Place, durable, intent, outcome, wait};
use crate::audit::chain::Hash;
use crate::audit::{AuditError, Mode, Record};

/// Two runs, both closed, in one segment.
fn two_runs() -> Place {
    let place = Place::new();
    for run in ["a", "b"] {
        let log = place.open();
        for call in 0..3 {
            durable(&log, intent(&format!("{run}{call}"))).unwrap();
            durable(&log, outcome(&format!("{run}{call}"))).unwrap();
        }
        log.close();
    }
    assert_eq!(place.verify().broken, None);
    place
}

type Members = Vec<(String, String)>;

/// Rewrites the log with valid numbers and hashes, and without the mark. Keeps the records for
/// which `change` returns true, with the members it leaves.
fn write_anew(place: &Place, mut change: impl FnMut(&str, &mut Members) -> bool) {
    let (mut text, mut seq, mut head) = (String::new(), 0, Hash::NONE);
    for record in place.records() {
        let members = record.json().members();
        let mut members: Members =
            members.map(|(name, value)| (name.name().into_owned(), value.as_str().to_owned())).collect();
        if !change(&record.text("kind"), &mut members) {
            continue;
        }
        seq += 1;
        members.retain(|(name, _)| !["seq", "prev", "hash"].contains(&name.as_str()));
        members.push(("seq".to_owned(), seq.to_string()));
        members.push(("prev".to_owned(), quote(&head.to_string())));
        members.sort();
        let body = |members: &Members| {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            format!("{{{}}}", members.join(","))
        };
        head = Hash::of(head, &[&body(&members)]);
        members.push(("hash".to_owned(), quote(&head.to_string())));
        members.sort();
        text.push_str(&body(&members));
        text.push('\n');
    }
    fs::write(place.segments().pop().unwrap(), text).unwrap();
    fs::remove_file(place.dir().join("closed.json")).unwrap();
    assert!(place.records().len() > 2, "they can be read");
}

/// Changes what the second run's first call did.
fn forge(members: &mut Members) {
    members.iter_mut().for_each(|(_, value)| *value = value.replace("Edit a.rs", "Read a.rs"));
}

#[test]
fn aud_04_a_log_written_anew_without_checkpoints_is_broken() {
    let place = two_runs();
    write_anew(&place, |kind, members| {
        forge(members);
        kind != "checkpoint"
    });
    let broken = place.verify().broken.unwrap();
    assert!(broken.why.contains("no checkpoint") || broken.why.contains("something else"), "{broken:?}");
    // The checkpoints of the original log do not fit either.
    let place = two_runs();
    write_anew(&place, |_, members| {
        forge(members);
        true
    });
    assert!(place.verify().broken.unwrap().why.contains("something else"));
}

#[test]
fn aud_04_a_log_written_anew_without_any_signature_is_broken() {
    let place = two_runs();
    write_anew(&place, |kind, members| {
        forge(members);
        members.retain(|(name, _)| name != "checkpoint");
        kind != "checkpoint"
    });
    let report = place.verify();
    let broken = report.broken.unwrap();
    assert!(broken.seq == 2 && broken.why.contains("something else"), "{broken:?}");
    assert_eq!((report.signed_to, report.closed), (None, false));
}

/// Cuts a closed log at various places, including its last record.
#[test]
fn aud_04_a_cut_of_a_closed_log_is_seen() {
    let place = two_runs();
    assert!(place.verify().closed);
    let (path, mark) = (place.segments().pop().unwrap(), place.dir().join("closed.json"));
    let (text, mark_text) = (fs::read(&path).unwrap(), fs::read(&mark).unwrap());
    let line = text[..text.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    // The place where the first run closed the log.
    let stop = text.windows(13).position(|bytes| bytes == b"\"kind\":\"stop\"").unwrap();
    let earlier =
        text[stop..].iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + stop + 1;
    for kept in [earlier, text.len() - 1, text.len() - 10, line + 1, line, line - 1] {
        fs::write(&path, &text[..kept]).unwrap();
        let report = place.verify();
        assert!(report.broken.is_some() && !report.closed, "{kept}: {report:?}");
        assert!(matches!(place.open_with(|_| {}), Err(AuditError::Broken { .. })), "{kept}");
        // Without the mark a crash may have left this, unless a line only lacks its line break.
        fs::remove_file(&mark).unwrap();
        let report = place.verify();
        assert_eq!(report.lacks_its_end(), report.broken.is_none(), "{kept}: {report:?}");
        assert!(!report.closed, "{kept}");
        fs::write(&mark, &mark_text).unwrap();
    }
    fs::write(&path, &text).unwrap();
    assert!(place.verify().closed);
    // The mark can't be forged.
    let forged = String::from_utf8(mark_text).unwrap().replace("\"v\":1", "\"v\":2");
    fs::write(&mark, forged).unwrap();
    assert!(place.verify().broken.unwrap().why.contains("not signed"));
}

/// In best-effort mode the log continues and records the cut.
#[test]
fn aud_04_a_cut_log_is_continued_in_best_effort_mode_and_says_so() {
    let place = two_runs();
    let path = place.segments().pop().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let kept: String = text.lines().take(5).map(|line| format!("{line}\n")).collect();
    fs::write(&path, kept).unwrap();
    place.open_with(|options| options.mode = Mode::BestEffort).unwrap().close();
    let recovery = place.records().into_iter().find(|record| record.text("kind") == "recovery").unwrap();
    assert!(recovery.text("reason").contains("was closed with record"), "{recovery:?}");
}

/// While a process writes the log, a missing end is normal.
#[test]
fn a_log_that_is_being_written_lacks_no_end() {
    let place = Place::new();
    let log = place.open();
    durable(&log, intent("c1")).unwrap();
    let report = place.verify();
    assert_eq!((&report.broken, report.closed, report.lacks_its_end()), (&None, false, false));
    assert_eq!(report.signed_to, Some(1), "a start is signed");
}

/// More calls than can be tracked: the tracked ones get an outcome, and the others are counted.
#[test]
fn aud_02_calls_that_are_not_followed_are_counted() {
    const MOST: u64 = 4096;
    for rotates in [false, true] {
        let place = Place::new();
        let log = place
            .open_with(|options| options.segment_bytes = if rotates { 1 << 20 } else { 64 << 20 })
            .unwrap();
        for call in 0..MOST + 3 {
            wait(log.write(intent(&format!("c{call}")), Durability::Batched)).unwrap();
        }
        log.close();
        assert_eq!(place.segments().len() > 1, rotates);
        place.open().close();
        let records = place.records();
        let recoveries: Vec<&Record> =
            records.iter().filter(|record| record.text("kind") == "recovery").collect();
        let told = (recoveries[0].number("open_calls"), recoveries[0].number("open_not_listed"));
        assert_eq!((recoveries.len(), told), (1, (Some(MOST), Some(3))), "{rotates}");
        let unknown = records.iter().filter(|record| record.text("outcome") == "unknown").count() as u64;
        assert_eq!((unknown, place.verify().broken), (MOST, None));
        // The recovery is recorded only once.
        place.open().close();
        assert_eq!(place.verify().recoveries, 1);
    }
}
