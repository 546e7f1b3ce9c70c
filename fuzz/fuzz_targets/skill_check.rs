//! A skill, checked for every reader: there is always a report, its places are in the file, and
//! corrections end.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::front_matter::split;
use overt_documents::skill::check::{Files, Source, check};
use overt_documents::skill::fix;

fuzz_target!(|bytes: &[u8]| {
    let files = Files { paths: vec!["SKILL.md".to_owned(), "a.md".to_owned()], ..Files::default() };
    let source = Source { directory: "a", file: "SKILL.md", bytes, files: &files, tokens: None };
    let report = check(&source);
    // YAML takes a carriage return alone for a line break too.
    let lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).count();
    for violation in &report.violations {
        // A file that ends with a line break has a last line without text.
        assert!((1..=lines + 1).contains(&violation.place.line), "{violation:?}");
    }
    if let Some(fixed) = fix(&source) {
        let text = std::str::from_utf8(bytes).expect("only text is corrected");
        let begin = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
        match (split(begin), split(&fixed.text)) {
            (Ok(before), Ok(after)) => assert_eq!(before.body, after.body),
            _ => assert_eq!(begin, fixed.text),
        }
        assert_eq!(fix(&Source { bytes: fixed.text.as_bytes(), ..source }), None, "{}", fixed.text);
    }
});
