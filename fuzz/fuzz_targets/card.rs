//! Tool Cards: what is read is written and read back the same, and our schema agrees with the
//! reader.
#![no_main]
use std::sync::LazyLock;

use jsonschema::Validator;
use libfuzzer_sys::fuzz_target;
use overt_documents::card::{self, Mode};
use overt_policy::{Findings, Severity};
use serde_json::Value;

static SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    jsonschema::options().should_validate_formats(false).build(&card::schema()).expect("a valid schema")
});

/// Formats, and whole numbers that are written with a fraction or don't fit, are for the reader
/// alone.
const BY_READER: [&str; 5] = ["URL", "URI", "RFC 3339", "whole number", "three numbers"];

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let read = card::read(&value, Mode::Strict);
    // Which characters are blank is not the same for a pattern and for the reader beyond ASCII.
    if bytes.is_ascii() && !bytes.contains(&b'\\') {
        match &read {
            Ok(_) => assert!(SCHEMA.is_valid(&value), "the schema refuses what is read"),
            Err(findings) if by_reader(findings) => {}
            Err(findings) => {
                assert!(!SCHEMA.is_valid(&value), "the schema accepts what is refused: {findings}")
            }
        }
    }
    let Ok((card, _)) = read else { return };
    let again: Value = serde_json::from_str(&card.render()).expect("JSON");
    let (back, _) = card::read(&again, Mode::Strict).expect("what is written can be read");
    assert_eq!(back, card);
    assert!(card::diff(&card, &back).is_empty());
    assert!(card::read(&value, Mode::Seed).is_ok());
});

fn by_reader(findings: &Findings) -> bool {
    let mut errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.all(|finding| BY_READER.iter().any(|word| finding.problem.contains(word)))
}
