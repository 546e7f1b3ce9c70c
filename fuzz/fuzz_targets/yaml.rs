//! Front matter: what was read can be written, and what was written reads back the same.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::yaml::{read, write};
use serde_json::Value;

fuzz_target!(|text: &str| {
    let Ok(yaml) = read(text, 1) else { return };
    // Nothing but an empty object is written as nothing.
    if let Value::Object(members) = &yaml.value
        && !members.is_empty()
    {
        let written = write(members);
        assert!(!written.contains("---"));
        assert_eq!(read(&written, 1).map(|yaml| yaml.value), Ok(yaml.value), "{written}");
    }
});
