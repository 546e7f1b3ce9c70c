//! The strict check beside an independent judge: both accept the same texts, and for the same
//! reasons.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_wire::json::{FaultKind, Json, Limits, check};

#[path = "../../crates/wire/tests/it/props/oracle.rs"]
mod oracle;

use oracle::Verdict;

fuzz_target!(|bytes: &[u8]| {
    // Limits that come from the text itself, so that a seed is plain JSON.
    let tight = Limits {
        max_depth: bytes.len() % 130,
        max_nodes: bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>() % 64,
        ..Limits::default()
    };
    for limits in [Limits::default(), tight] {
        compare(bytes, &limits);
    }
    if let Ok(text) = str::from_utf8(bytes)
        && let Ok(json) = Json::parse(text)
    {
        walk(json);
    }
});

fn compare(bytes: &[u8], limits: &Limits) {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    reader.disable_recursion_limit();
    let (verdict, seen) = oracle::judge(reader);
    let fits = seen.deepest.get() <= limits.max_depth.min(128) && seen.nodes.get() <= limits.max_nodes;
    let ours = check(bytes, limits).map_err(|fault| fault.kind);
    match verdict {
        Verdict::Valid if fits => assert_eq!(ours, Ok(())),
        Verdict::Duplicate if fits => assert_eq!(ours, Err(FaultKind::DuplicateMember)),
        Verdict::Valid => assert!(matches!(ours, Err(FaultKind::TooDeep | FaultKind::TooManyValues))),
        Verdict::Duplicate | Verdict::NotJson => assert!(ours.is_err()),
        Verdict::Unknown => {}
    }
}

/// Every look at checked text is safe.
fn walk(json: Json<'_>) {
    let _ = (json.string(), json.number(), json.integer(), json.bool());
    for (key, value) in json.members() {
        assert!(!json.get(&key.name()).is_absent());
        walk(value);
    }
    for element in json.elements() {
        walk(element);
    }
}
