//! AUD-05, AUD-07: faults of the folder while a log is written to it.
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use overt_layers::audit::{Durability, Kind, Ledger as _};

use super::support::{Place, durable, intent, outcome, wait};
use crate::audit::{AuditError, CheckpointFile, Filter, Mode, Order, TrustAnchors, query, read_anchors};

/// Moves the active segment away and puts something else in its place.
fn replace(place: &Place, put: impl FnOnce(&std::path::Path)) -> std::path::PathBuf {
    let path = place.segments().pop().unwrap();
    let away = place.outside().with_extension("away");
    fs::rename(&path, &away).unwrap();
    put(&path);
    away
}

#[test]
fn aud_05_what_is_no_file_is_neither_opened_nor_written() {
    let put_link = |path: &std::path::Path| std::os::unix::fs::symlink("/dev/null", path).unwrap();
    let put_pipe = |path: &std::path::Path| {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    };
    let puts: [&dyn Fn(&std::path::Path); 2] = [&put_link, &put_pipe];
    for put in puts {
        let place = Place::new();
        let log = place.open();
        durable(&log, intent("c1")).unwrap();
        let away = replace(&place, put);
        let refused = durable(&log, intent("c2")).unwrap_err();
        assert!(refused.why.contains("in its place"), "{refused}");
        let refused = durable(&log, intent("c3")).unwrap_err();
        assert!(refused.why.contains("not a regular file"), "{refused}");
        let path = place.segments().pop().unwrap();
        fs::remove_file(&path).unwrap();
        fs::rename(away, &path).unwrap();
        durable(&log, intent("c4")).unwrap();
        log.close();
        let report = place.verify();
        assert_eq!((report.broken, report.missing), (None, 2));
        let calls: Vec<String> = place
            .records()
            .iter()
            .map(|record| record.text("call"))
            .filter(|call| !call.is_empty())
            .collect();
        assert_eq!(calls, ["c1", "c4"]);
        // A log whose last segment is not a regular file can't be opened.
        fs::remove_file(&path).unwrap();
        put(&path);
        assert!(matches!(place.open_with(|_| {}), Err(AuditError::NotAFile(_))));
    }
}

#[test]
fn aud_05_a_folder_that_is_gone_stops_what_needs_a_record() {
    let place = Place::new();
    let log = place.open();
    durable(&log, intent("c1")).unwrap();
    let away = place.outside().with_extension("dir");
    fs::rename(place.dir(), &away).unwrap();
    durable(&log, intent("c2")).unwrap_err();
    durable(&log, intent("c3")).unwrap_err();
    wait(log.write(intent("read"), Durability::Batched)).unwrap();
    fs::rename(&away, place.dir()).unwrap();
    // The log recovers without a restart, and reports how many records are missing.
    durable(&log, intent("c4")).unwrap();
    log.close();
    let report = place.verify();
    let there = place.records().iter().filter(|record| record.text("kind") == "intent").count() as u64;
    assert_eq!((report.broken, there + report.missing), (None, 5));
}

#[test]
fn aud_05_best_effort_goes_on_and_counts() {
    let place = Place::new();
    let log = place.open_with(|options| options.mode = Mode::BestEffort).unwrap();
    durable(&log, intent("c1")).unwrap();
    let away = place.outside().with_extension("dir");
    fs::rename(place.dir(), &away).unwrap();
    for call in ["c2", "c3", "c4"] {
        durable(&log, intent(call)).unwrap();
    }
    fs::rename(&away, place.dir()).unwrap();
    durable(&log, intent("c5")).unwrap();
    log.close();
    let report = place.verify();
    assert_eq!((report.broken, report.missing), (None, 3));
}

#[test]
fn aud_05_a_new_folder_in_its_place_begins_with_what_is_missing() {
    let place = Place::new();
    let log = place.open();
    durable(&log, intent("c1")).unwrap();
    fs::remove_dir_all(place.dir()).unwrap();
    durable(&log, intent("c2")).unwrap_err();
    fs::create_dir(place.dir()).unwrap();
    durable(&log, intent("c3")).unwrap();
    assert!(matches!(place.open_with(|_| {}), Err(AuditError::Locked(_))), "the lock is taken there too");
    log.close();
    assert_eq!(place.verify().broken.unwrap().seq, 1, "the check says that the beginning is missing");
}

/// AUD-07: old segments are removed, their heads stay, and the rest can be verified, also against
/// anchors.
#[test]
fn aud_07_old_segments_go_and_the_rest_holds() {
    let place = Place::new();
    let open = || {
        let file = CheckpointFile::new(&place.outside());
        place.open_with(|options| {
            options.segment_bytes = 2000;
            options.max_bytes = Some(5000);
            options.checkpoint_records = 3;
            options.sinks = vec![Box::new(file)];
        })
    };
    for round in 0..3 {
        let log = open().unwrap();
        for call in 0..10 {
            durable(&log, intent(&format!("{round}-{call}"))).unwrap();
            durable(&log, outcome(&format!("{round}-{call}"))).unwrap();
        }
    }
    assert!(place.segments().len() <= 5, "{:?}", place.segments());
    let against = TrustAnchors { anchors: read_anchors(&place.outside()).unwrap(), key: Some(place.key()) };
    let report = place.verify_against(&against);
    assert_eq!(report.broken, None);
    assert!(report.removed_to.unwrap() > 10 && report.anchored_to.unwrap() > report.first);
    // The head of a removed segment can't be forged.
    let heads = place.dir().join("heads.jsonl");
    let text = fs::read_to_string(&heads).unwrap();
    fs::write(&heads, text.replace("\"first\":1,", "\"first\":2,")).unwrap();
    assert_eq!(place.verify().broken.unwrap().seq, 1);
    fs::write(&heads, "").unwrap();
    assert_eq!(place.verify().broken.unwrap().seq, 1);
}

#[test]
fn aud_07_segments_that_are_too_old_go() {
    let place = Place::new();
    let open = |retention| {
        place.open_with(|options| {
            options.segment_bytes = 1000;
            options.retention = retention;
        })
    };
    let log = open(None).unwrap();
    (0..10).for_each(|call| durable(&log, intent(&call.to_string())).unwrap());
    log.close();
    assert!(place.segments().len() > 4);
    drop(open(Some(Duration::from_secs(3600))).unwrap());
    assert!(place.segments().len() > 4);
    drop(open(Some(Duration::ZERO)).unwrap());
    assert_eq!(place.segments().len(), 1);
    assert_eq!(place.verify().broken, None);
}

#[test]
fn a_segment_is_closed_when_it_is_old() {
    let place = Place::new();
    let log = place.open_with(|options| options.segment_age = Duration::ZERO).unwrap();
    durable(&log, intent("c1")).unwrap();
    durable(&log, intent("c2")).unwrap();
    log.close();
    assert_eq!(place.segments().len(), 3);
    assert_eq!(place.verify().broken, None);
}

#[test]
fn keys_that_others_can_read_are_not_used() {
    let place = Place::new();
    drop(place.open());
    for key in fs::read_dir(place.keys()).unwrap() {
        let path = key.unwrap().path();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(place.open_with(|_| {}), Err(AuditError::Exposed { .. })));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    }
    drop(place.open());
}

/// A full disk, simulated by a limit of a few KiB on the size of files. The limit applies to a
/// whole process, so this test starts itself again.
#[test]
#[expect(clippy::disallowed_methods, reason = "the ban is for the product; this starts the test again")]
fn aud_05_a_full_disk_stops_what_needs_a_record() {
    const CHILD: &str = "OVERT_AUDIT_FULL_DISK";
    if let Some(root) = std::env::var_os(CHILD) {
        return full_disk(std::path::Path::new(&root));
    }
    let root = tempfile::tempdir().unwrap();
    let name = "audit::tests::faults::aud_05_a_full_disk_stops_what_needs_a_record";
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, root.path())
        .output()
        .unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    let place = Place::at(root);
    // When there is space again, the log continues and reports what is missing.
    let log = place.open();
    durable(&log, intent("after")).unwrap();
    log.close();
    let report = place.verify();
    assert_eq!(report.broken, None);
    let there = place.records().iter().filter(|record| record.text("kind") == "intent").count();
    assert!(there > 2 && there < 40, "{there}");
}

/// Runs in a process in which no file can be larger than 4 or 8 KiB.
fn full_disk(root: &std::path::Path) {
    let options = crate::audit::Options::new(root.join("keys"));
    let log = crate::audit::AuditLog::open(root.join("log"), options).unwrap();
    let mut refused = 0;
    for call in 0..40 {
        match durable(&log, intent(&call.to_string())) {
            Ok(()) => assert_eq!(refused, 0, "a full disk stays full"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 10, "{refused}");
}

/// Numbers order records, times do not. A clock that is set back an hour between two records breaks
/// nothing and hides nothing.
#[test]
fn aud_05_a_clock_that_goes_back_changes_nothing() {
    use crate::audit::chain::Hash;
    use crate::audit::describe::{Timestamp, frame};
    use crate::audit::line::Members;
    let place = Place::new();
    fs::create_dir(place.dir()).unwrap();
    let now = std::time::SystemTime::now();
    let (mut text, mut head) = (String::new(), Hash::NONE);
    for (seq, kind) in [Kind::Segment, Kind::PolicyLoad, Kind::Intent, Kind::Outcome].into_iter().enumerate()
    {
        let seq = seq as u64 + 1;
        let moment = Timestamp { wall: now - Duration::from_secs(3600 * seq), nanos: seq };
        let mut members = Members::default();
        frame(&mut members, kind, moment, "boot", 0);
        if seq == 1 {
            members.string("segment", "seg-00000000000000000001.jsonl");
        } else {
            members.string("call", "c1");
        }
        head = members.push_line(&Members::default(), &mut text, seq, head);
        text.push('\n');
    }
    fs::write(place.dir().join("seg-00000000000000000001.jsonl"), text).unwrap();
    let log = place.open();
    durable(&log, intent("c2")).unwrap();
    log.close();
    assert_eq!(place.verify().broken, None);
    let filter = Filter { since: Some(now - Duration::from_secs(4 * 3600 + 1)), ..Filter::default() };
    for order in [Order::OldestFirst, Order::NewestFirst] {
        assert_eq!(query(&place.dir(), &filter, order, 100).unwrap().records, place.records(), "{order:?}");
    }
}
