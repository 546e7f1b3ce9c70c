//! A line of an untrusted audit log: read without harm, and never taken for a record unless its
//! hash fits every byte.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_state::audit::{Action, Checkpoint, Filter, Hash, Record, csv_row};

fuzz_target!(|text: &str| {
    // A reader that only looks accepts what `parse` accepts, and more.
    let seen = Record::read(text);
    let _ = seen.iter().map(|record| Action::of("log", record)).count();
    let Ok(record) = Record::parse(text) else { return };
    assert!(seen.is_ok());
    assert_eq!(record.as_str(), text);
    let hash = format!(",\"hash\":\"{}\"", record.hash);
    assert_eq!(Hash::of(record.prev, &[&text.replacen(&hash, "", 1)]), record.hash);
    let filter = Filter { path: Some("/a".to_owned()), ..Filter::default() };
    let _ = (filter.takes(&record), csv_row(&record));
    let _ = record.json().get("checkpoint").value().and_then(Checkpoint::read);
});
