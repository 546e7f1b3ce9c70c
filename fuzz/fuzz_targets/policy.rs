//! A policy from outside: read without harm, a meet with itself is itself, and it never widens what
//! is decided.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_policy::record::Hints;
use overt_policy::{Authority, NoDomain, Overlays, Policy, Subject, ToolFacts};
use overt_settings::Regions;

fuzz_target!(|text: &str| {
    let Ok(value) = serde_json::from_str(text) else { return };
    let _ = Regions::parse(&value).map(|regions| regions.visible(text));
    let Ok(chain) = Policy::chain(&value, &NoDomain) else { return };
    let all = chain.iter().fold(Policy::top(), |all, policy| all.meet(policy));
    assert_eq!(all.meet(&all), all);
    assert!(chain.iter().all(|policy| all.meet(policy) == all));
    let arguments = serde_json::json!({"path": "/a", "n": 1});
    for hint in [None, Some(true), Some(false)] {
        let hints = Hints { read_only: hint, ..Hints::default() };
        let facts = ToolFacts::of("s", "tool", None, hints).expect("nothing is declared");
        for authority in [Authority::open(), Authority::careful()] {
            let subject = Subject::Tool { facts: &facts, arguments: Some(&arguments) };
            let decide = |call: &[Policy]| {
                authority.decide(subject, &Overlays { call, ..Overlays::default() }, &|_| false).verdict
            };
            let apart = decide(&chain);
            assert!(apart <= decide(&[]));
            assert_eq!(apart, decide(std::slice::from_ref(&all)));
        }
    }
});
