//! Logs that version 0.1.0 wrote before each start had a checkpoint of its own: they still hold, and can be continued.
use std::fs;
use std::path::{Path, PathBuf};

use super::support::{Place, unknown_outcomes};
use crate::audit::{Against, PublicKey, Report, verify};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/audit-0.1.0").join(name)
}

fn checked(name: &str) -> Report {
    let key = PublicKey::parse(&fs::read_to_string(folder("key.txt")).unwrap());
    assert!(key.is_some());
    verify(&folder(name), &Against { key, anchors: Vec::new() }, &mut |_, _| {}).unwrap()
}

#[test]
fn logs_of_0_1_0_hold() {
    for (name, last) in [("closed", 63), ("crashed", 61), ("rotating", 61)] {
        let report = checked(name);
        assert_eq!((report.broken, report.last, report.recoveries), (None, last, 1), "{name}");
        assert_eq!((report.removed_to, report.signed_to), (Some(27), Some(last - 1)), "{name}");
    }
}

/// Calls that were open when 0.1.0 crashed get an outcome, also when the crash came while it began a segment.
#[test]
fn logs_of_0_1_0_are_continued() {
    for name in ["closed", "crashed", "rotating"] {
        let place = Place::new();
        fs::create_dir(place.dir()).unwrap();
        for entry in fs::read_dir(folder(name)).unwrap() {
            let entry = entry.unwrap();
            fs::write(place.dir().join(entry.file_name()), fs::read(entry.path()).unwrap()).unwrap();
        }
        let before = unknown_outcomes(&place);
        place.open().close();
        let after = unknown_outcomes(&place);
        assert_eq!(after[before.len()..], ["open1", "open2"], "{name}");
        // The keys are new ones.
        assert_eq!(place.verify_against(&Against::default()).broken, None, "{name}");
    }
}
