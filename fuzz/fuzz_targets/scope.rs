//! A scope and a template from outside: canonical however written, and a filled template never asks
//! for less than its text.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_policy::scope::{Scope, ScopeSet, ScopeTemplate};

fuzz_target!(|text: &str| {
    let (one, two) = text.split_once('\n').unwrap_or((text, ""));
    if let (Ok(one), Ok(two)) = (Scope::parse(one), Scope::parse(two)) {
        assert_eq!(Scope::parse(&one.to_string()).as_ref(), Ok(&one));
        assert_eq!(one.covers(&two), parts(&two).starts_with(&parts(&one)));
        let set: ScopeSet = [one.clone()].into_iter().collect();
        assert_eq!(set.covers(&two), one.covers(&two));
        assert_eq!(set.overlaps(&two), one.covers(&two) || two.covers(&one));
    }
    let Ok(template) = ScopeTemplate::parse(one) else { return };
    let arguments = serde_json::json!({"path": two, "a": [two, 1]});
    for filled in template.fill(&arguments).unwrap_or_default() {
        assert!(template.widest().covers(&filled));
        assert_eq!(Scope::parse(&filled.to_string()), Ok(filled));
    }
});

/// The components as a plain reading of the canonical text gives them.
fn parts(scope: &Scope) -> Vec<String> {
    let text = scope.to_string();
    let mut parts: Vec<String> = text.splitn(3, ':').map(String::from).collect();
    if parts.len() == 3 {
        let detail = parts.remove(2);
        if detail.starts_with('/') {
            parts.push("/".to_owned());
        }
        parts.extend(detail.split('/').filter(|part| !part.is_empty()).map(String::from));
    }
    parts
}
