//! The `ai_help` of another server, in both forms: read without harm, and turned into a skill that
//! reads back.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::ai_help::{Outline, ReadJson, read_groups, read_uses};
use overt_documents::front_matter::FrontMatter;
use overt_documents::skill::{ServerSkill, Skill};

fuzz_target!(|text: &str| {
    let _ = (read_groups(text), read_uses(text));
    if let Ok(value) = serde_json::from_str(text) {
        let _ = ReadJson::parse(&value);
    }
    let Ok(outline) = Outline::parse(text) else { return };
    assert_eq!(FrontMatter::parse(&outline.front.render()), Ok((outline.front.clone(), "")));
    if let Ok(ServerSkill { skill, .. }) = ServerSkill::of_outline(&outline) {
        assert!(skill.body.lines().count() < 500);
        assert_eq!(Skill::parse(&skill.render()), Ok(skill));
    }
});
