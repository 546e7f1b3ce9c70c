//! Compares our messages with those of the reference, for our own files and, if available, for the
//! recorded corpus.
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn messages(text: &str, directory: &str) -> Vec<String> {
    match validate(text, directory) {
        Verdict::Messages(messages) => messages,
        other => panic!("{other:?}"),
    }
}

/// Each line is a case: the directory, the text, and the messages of skills-ref 0.1.1 or the way it
/// ended.
#[test]
fn the_recorded_cases_are_answered_alike() {
    let mut count = 0;
    for line in include_str!("cases.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (text, directory) = (case["text"].as_str().unwrap(), case["dir"].as_str().unwrap());
        let verdict = validate(text, directory);
        if case["said"].is_array() {
            assert_eq!(serde_json::json!(messages(text, directory)), case["said"], "{text}");
        } else {
            // If the reference ends with an exception, we must report something.
            assert_ne!(verdict, Verdict::Messages(Vec::new()), "{text}");
        }
        count += 1;
    }
    assert_eq!(count, CASES);
}

/// The expected number of cases, so that a truncated file is noticed.
const CASES: usize = 878;

/// Compares the 131 real files with the recorded output. Skipped if the data folder is not beside
/// the repository.
#[test]
fn the_corpus_is_answered_alike() {
    let Some(corpus) = corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("expected-skills-ref-0.1.1.json")).unwrap();
    let expected: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(expected.len(), 131);
    for case in expected {
        let path = corpus.join(case["path"].as_str().unwrap());
        let directory = path.parent().and_then(Path::file_name).unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(serde_json::json!(messages(&text, directory)), case["errors"], "{}", path.display());
    }
}

/// Returns `shared/data/skills-corpus` beside the repository or in one of the folders around it.
fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|folder| folder.join("shared/data/skills-corpus")).find(|corpus| corpus.is_dir())
}

#[test]
fn errors_show_the_place_as_the_reference_does() {
    let text = "---\nname: a\ntags: [telegram, google-sheets, contacts, calendars]\n---\n";
    assert_eq!(
        messages(text, "a"),
        [concat!(
            "Invalid YAML in frontmatter: While scanning\n",
            "  in \"<unicode string>\", line 3, column 7:\n",
            "    tags: [telegram, google-sheets, contac ... \n",
            "          ^ (line: 3)\n",
            "Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)\n",
            "  in \"<unicode string>\", line 3, column 8:\n",
            "    tags: [telegram, google-sheets, contact ... \n",
            "           ^ (line: 3)",
        )]
    );
}

#[test]
fn what_the_reference_does_not_survive_is_told() {
    for (text, exception) in [
        ("---\nname: a\u{7}\n---\n", "AttributeError"),
        ("---\nname: \"\\UFFFFFFFF\"\n---\n", "ValueError"),
        ("---\n? - a\n: b\n---\n", "AssertionError"),
    ] {
        assert_eq!(validate(text, "a"), Verdict::Crash(exception), "{text}");
    }
}

#[test]
fn bombs_end_soon() {
    let deep = (0..2000).map(|depth| format!("{}a:\n", " ".repeat(depth % 300))).collect::<String>();
    let brackets = "[".repeat(60_000);
    let keys = (0..9000).map(|key| format!("k{key}:\n")).collect::<String>();
    for front in [&deep, &brackets, &keys, &"a".repeat(70_000), &"- ".repeat(30_000), &"? ".repeat(30_000)] {
        let verdict = validate(&format!("---\n{front}\n---\n"), "a");
        assert_ne!(verdict, Verdict::Messages(Vec::new()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Every text gets an answer.
    #[test]
    fn nothing_stops_it(front in "(name: [a-c]\n|description: [^-]\n|[ ]{0,3}|[-?:]|[\\[\\]{}&*!|>'\"%@`#,\\\\]|[a-b]|\n|\t|é|\u{2028}){0,40}") {
        let _ = validate(&format!("---\n{front}\n---\n"), "a");
    }

    /// A plain skill passes, whatever its words are.
    #[test]
    fn plain_skills_pass(name in "[a-z][a-z0-9]{0,20}", words in "[A-Za-z][A-Za-z ,.]{0,60}[a-z]") {
        let text = format!("---\nname: {name}\ndescription: {words}\n---\n\n# A\n");
        prop_assert_eq!(messages(&text, &name), Vec::<String>::new());
    }
}
