//! Intent templates: any text is one, and filled with anything it is one short line that hides
//! nothing.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_intent::{Template, argument_lines, fallback};
use overt_wire::text::is_deceptive;
use serde_json::Value;

// The template is the first line, the arguments are the rest.
fuzz_target!(|text: &str| {
    let (template, arguments) = text.split_once('\n').unwrap_or((text, ""));
    let arguments: Value = serde_json::from_str(arguments).unwrap_or(Value::Null);
    let read = Template::parse(template);
    for line in [read.render(&arguments), fallback(template, &arguments)] {
        assert!(line.chars().count() <= 500, "{line}");
        assert!(!line.contains(is_deceptive), "{line:?}");
        assert_eq!(line.trim(), line);
    }
    for line in argument_lines(&arguments) {
        assert!(line.chars().count() <= 300, "{line}");
        assert!(!line.contains(is_deceptive), "{line:?}");
    }
    read.lint(&arguments);
    if !template.contains(['{', '[', ']', '\u{a0}']) && template.is_ascii() && template.len() < 400 {
        let words: Vec<&str> = template.split([' ', '\t', '\r']).filter(|word| !word.is_empty()).collect();
        let plain = words.join(" ");
        if !plain.contains(is_deceptive) {
            assert_eq!(read.render(&arguments), plain);
        }
    }
});
