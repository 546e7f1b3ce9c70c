//! AUD-03, AUD-04: logs that somebody changed.
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use overt_layers::audit::{Entry, Kind};

use super::support::{Place, durable, intent, outcome};
use crate::audit::{CheckpointFile, TrustAnchors, read_anchors};

/// A log of three segments with a few calls.
fn small_log() -> Place {
    let place = Place::new();
    let log = place
        .open_with(|options| {
            options.segment_bytes = 1500;
            options.sinks = vec![Box::new(CheckpointFile::new(&place.outside()))];
        })
        .unwrap();
    for call in ["c1", "c2", "c3", "c4"] {
        durable(&log, intent(call)).unwrap();
        durable(&log, outcome(call)).unwrap();
    }
    log.close();
    assert!(place.segments().len() >= 3, "{}", place.text());
    assert_eq!(place.verify().broken, None);
    for segment in place.segments() {
        fs::set_permissions(segment, Permissions::from_mode(0o600)).unwrap();
    }
    place
}

/// Returns the number of the first invalid record.
fn broken_at(place: &Place) -> Option<u64> {
    place.verify().broken.map(|broken| broken.seq)
}

#[test]
fn aud_03_every_byte_counts() {
    let place = Place::new();
    let log = place.open_with(|options| options.segment_bytes = 1).unwrap();
    durable(&log, Entry { call: Some("c".to_owned()), ..Entry::new(Kind::Intent) }).unwrap();
    log.close();
    let mut seq = 0;
    for path in place.segments() {
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let good = fs::read(&path).unwrap();
        for place_of_byte in 0..good.len() {
            let line = seq + 1 + good[..place_of_byte].iter().filter(|byte| **byte == b'\n').count() as u64;
            let mut bad = good.clone();
            bad[place_of_byte] ^= 1 << (place_of_byte % 8);
            fs::write(&path, &bad).unwrap();
            assert_eq!(broken_at(&place), Some(line), "byte {place_of_byte} of {}", path.display());
        }
        fs::write(&path, &good).unwrap();
        seq += good.iter().filter(|byte| **byte == b'\n').count() as u64;
    }
    assert_eq!(broken_at(&place), None);
}

#[test]
fn aud_03_records_can_not_be_taken_out_put_in_or_moved() {
    let place = small_log();
    let path = &place.segments()[1];
    let first = place.records().iter().find(|record| record.text("segment") == name(path)).unwrap().seq;
    let good = fs::read_to_string(path).unwrap();
    let lines: Vec<String> = good.lines().map(str::to_owned).collect();
    let other = fs::read_to_string(&place.segments()[0]).unwrap();
    let count = lines.len();
    assert!(count >= 3);
    let changed = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let broken = broken_at(&place);
        fs::write(path, &good).unwrap();
        broken.map(|seq| seq - first)
    };
    for index in 0..count {
        let at = index as u64;
        assert_eq!(changed(&|lines| drop(lines.remove(index))), Some(at), "{index} deleted");
        assert_eq!(
            changed(&|lines| lines.insert(index, lines[index].clone())),
            Some(at + 1),
            "{index} twice"
        );
        assert_eq!(
            changed(&|lines| lines.insert(index, other.lines().next().unwrap().to_owned())),
            Some(at),
            "put in at {index}"
        );
        assert_eq!(changed(&|lines| lines.truncate(index)), Some(at), "cut at {index}");
        if index + 1 < count {
            assert_eq!(changed(&|lines| lines.swap(index, index + 1)), Some(at), "{index} moved");
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn aud_03_segments_can_not_be_swapped_or_removed() {
    let place = small_log();
    let segments = place.segments();
    let texts: Vec<String> = segments.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let first_of =
        |index: usize| texts[..index].iter().map(|text| text.lines().count() as u64).sum::<u64>() + 1;
    fs::write(&segments[0], &texts[1]).unwrap();
    fs::write(&segments[1], &texts[0]).unwrap();
    assert_eq!(broken_at(&place), Some(1));
    fs::write(&segments[0], &texts[0]).unwrap();
    fs::write(&segments[1], &texts[1]).unwrap();
    fs::remove_file(&segments[1]).unwrap();
    assert_eq!(broken_at(&place), Some(first_of(1)));
    fs::write(&segments[1], &texts[1]).unwrap();
    fs::remove_file(&segments[0]).unwrap();
    assert_eq!(broken_at(&place), Some(1));
    fs::write(&segments[0], &texts[0]).unwrap();
    assert_eq!(broken_at(&place), None);
}

/// AUD-04: an anchor reveals a cut tail or a rewritten log. Without an anchor the report says that
/// it can't detect these.
#[test]
fn aud_04_a_cut_tail_is_seen_with_an_anchor() {
    let place = small_log();
    let anchors =
        || TrustAnchors { anchors: read_anchors(&place.outside()).unwrap(), key: Some(place.key()) };
    let report = place.verify_against(&anchors());
    assert_eq!((report.broken, report.anchored_to), (None, Some(report.last - 1)));
    let last = place.segments().pop().unwrap();
    let text = fs::read_to_string(&last).unwrap();
    let mark = place.dir().join("closed.json");
    let mut marks = Vec::new();
    // Cutting one line removes only the checkpoint, which no anchor covers.
    for cut in 2..text.lines().count() {
        let kept: String =
            text.lines().take(text.lines().count() - cut).map(|line| format!("{line}\n")).collect();
        fs::write(&last, kept).unwrap();
        // The mark of a closed log reveals the cut too, so an attacker removes the mark as well.
        if let Ok(mark) = fs::read(&mark) {
            let broken = place.verify().broken.unwrap();
            assert!(broken.why.contains("was closed with record"), "{broken:?}");
            marks.push(mark);
            fs::remove_file(place.dir().join("closed.json")).unwrap();
        }
        let alone = place.verify();
        assert_eq!((&alone.broken, alone.lacks_its_end()), (&None, true));
        assert!(alone.blind[0].contains("without an anchor"), "{alone:?}");
        let broken = place.verify_against(&anchors()).broken.unwrap();
        assert_eq!(broken.seq, alone.last + 1, "{broken:?}");
    }
    assert_eq!(marks.len(), 1);
    // Somebody with the same keys rewrites the whole log.
    let foreign = anchors();
    place.segments().iter().for_each(|path| fs::remove_file(path).unwrap());
    let log = place.open();
    for call in 0..20 {
        durable(&log, intent(&call.to_string())).unwrap();
    }
    log.close();
    assert_eq!(broken_at(&place), None);
    assert!(place.verify_against(&foreign).broken.unwrap().why.contains("another record"));
}

#[test]
fn checkpoints_of_another_key_are_not_taken() {
    let place = small_log();
    let other = Place::new();
    let report = place.verify_against(&TrustAnchors { key: Some(other.key()), anchors: Vec::new() });
    assert!(report.broken.unwrap().why.contains("did not sign"));
    let anchors = read_anchors(&place.outside()).unwrap();
    let report = other.open();
    drop(report);
    let report = other.verify_against(&TrustAnchors { key: Some(other.key()), anchors });
    assert_eq!(report.anchored_to, None);
    assert!(report.blind[0].contains("not signed"), "{report:?}");
}
