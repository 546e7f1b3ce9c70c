//! Rules from outside: read without harm, in any order the same, and never less careful than none.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_policy::record::{Effect, Hints, ToolRecord};
use overt_policy::{Authority, Overlays, Rules, Subject, ToolFacts};

fuzz_target!(|text: &str| {
    let Ok(value) = serde_json::from_str(text) else { return };
    let Ok(rules) = Rules::parse(&value) else { return };
    let turned: Vec<_> = rules.iter().cloned().collect();
    let turned: Rules = turned.into_iter().rev().collect();
    let read = ToolRecord::new(Effect::Read);
    for record in [None, Some(&read)] {
        let facts = ToolFacts::of("s", "tool", record, Hints::default()).expect("no scopes are declared");
        let subject = Subject::Tool { facts: &facts, arguments: Some(&value) };
        let decide = |rules: &Rules| {
            let authority = Authority { rules: rules.clone(), ..Authority::open() };
            authority.decide(subject, &Overlays::default(), &|_| false)
        };
        let decision = decide(&rules);
        assert!(decision.verdict <= decide(&Rules::default()).verdict);
        let other = decide(&turned);
        assert_eq!((decision.verdict, decision.limits), (other.verdict, other.limits));
    }
});
