//! Logs of older versions, which did not sign their starts. They are still valid and can be
//! continued.
use std::fs;
use std::path::{Path, PathBuf};

use super::support::{Place, unknown_outcomes};
use crate::audit::{PublicKey, TrustAnchors};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/audit-unsigned-starts").join(name)
}

/// Copies a log. The crashed one ends within a line.
fn copy(name: &str) -> Place {
    let place = Place::new();
    fs::create_dir(place.dir()).unwrap();
    for entry in fs::read_dir(folder(name)).unwrap() {
        let entry = entry.unwrap();
        fs::write(place.dir().join(entry.file_name()), fs::read(entry.path()).unwrap()).unwrap();
    }
    if name == "crashed" {
        let last = place.segments().pop().unwrap();
        let text = fs::read_to_string(&last).unwrap();
        fs::write(last, format!("{text}{{\"args_digest\":\"hmac-sha")).unwrap();
    }
    place
}

#[test]
fn logs_of_older_versions_hold() {
    let key = PublicKey::parse(&fs::read_to_string(folder("key.txt")).unwrap());
    assert!(key.is_some());
    let against = TrustAnchors { key, anchors: Vec::new() };
    for (name, last) in [("closed", 63), ("crashed", 61), ("rotating", 61)] {
        let report = copy(name).verify_against(&against);
        assert_eq!((&report.broken, report.last, report.recoveries), (&None, last, 1), "{name}");
        assert_eq!((report.removed_to, report.signed_to), (Some(27), Some(last - 1)), "{name}");
        assert_eq!((report.closed, report.lacks_its_end()), (name == "closed", name != "closed"), "{name}");
    }
}

/// Calls that were open when an older version crashed get an outcome, even if the crash came while
/// a segment was begun.
#[test]
fn logs_of_older_versions_are_continued() {
    for name in ["closed", "crashed", "rotating"] {
        let place = copy(name);
        let before = unknown_outcomes(&place);
        place.open().close();
        let after = unknown_outcomes(&place);
        assert_eq!(after[before.len()..], ["open1", "open2"], "{name}");
        // The keys are new, so no key is given.
        assert_eq!(place.verify_against(&TrustAnchors::default()).broken, None, "{name}");
    }
}
