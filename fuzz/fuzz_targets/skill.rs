//! SKILL.md: what was read can be written, and what was written reads back the same.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::front_matter::split;
use overt_documents::skill::Skill;

fuzz_target!(|text: &str| {
    if let Ok(parts) = split(text) {
        let head = text.strip_suffix(parts.body).expect("the body is the end of the text");
        assert!(parts.body.is_empty() || head.matches('\n').count() + 1 == parts.body_line);
    }
    if let Ok(skill) = Skill::parse(text) {
        assert_eq!(Skill::parse(&skill.render()), Ok(skill));
    }
});
