//! The portable form of a skill passes the reference, and the way back gives the same fields and
//! instructions.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::front_matter::split;
use overt_documents::skill::reference::{Verdict, validate};
use overt_documents::skill::{import, project};
use overt_documents::yaml;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let Ok(portable) = project(text, "a") else { return };
    assert_eq!(validate(&portable, "a"), Verdict::Messages(Vec::new()), "{portable}");
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
