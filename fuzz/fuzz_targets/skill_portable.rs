//! The portable form of a skill passes the rules of the reference, and the way back gives the same
//! fields and instructions.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::front_matter::split;
use overt_documents::skill::check::{Files, Profile, Source, check};
use overt_documents::skill::{import, project};
use overt_documents::yaml;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let Ok(portable) = project(text, "a") else { return };
    let files = Files::default();
    let bytes = portable.as_bytes();
    let report = check(&Source { directory: "a", file: "SKILL.md", bytes, files: &files, tokens: None });
    assert!(!report.has_errors(&[Profile::SkillsRef]), "{portable}");
    let carried = value(&portable);
    if let Some(metadata) = carried.get("metadata") {
        assert!(metadata.as_object().is_some_and(|metadata| metadata.values().all(Value::is_string)));
    }
    // Without anything to carry over, the portable form is the source.
    if let Ok(back) = import(&portable) {
        assert_eq!(value(&back), value(text), "{portable}");
        assert_eq!(body(&back), body(text));
    } else {
        assert_eq!(carried, value(text), "{portable}");
    }
});

fn value(text: &str) -> Value {
    let front = split(text).expect("it was read").front.expect("it has front matter");
    yaml::read(front, 2).expect("it was read").value
}

fn body(text: &str) -> &str {
    split(text).expect("it was read").body
}
