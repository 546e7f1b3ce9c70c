//! Tests each rule by example, and the rows that the contract's own model judged.
use std::path::Path;

use overt_policy::finding::Severity;
use overt_policy::word::StringEnum as _;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::skill::fix;
use crate::yaml;

const GOOD: &str = "---\nname: pdf\ndescription: Reads PDF files. Use when asked for text.\n---\n\n# PDF\n";

fn files(paths: &[&str]) -> Files {
    let mut paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    paths.sort();
    Files { paths, bytes: 100, ..Files::default() }
}

fn check_in(directory: &str, text: &str, files: &Files) -> Report {
    check(&Source { directory, file: "SKILL.md", bytes: text.as_bytes(), files, tokens: None })
}

/// Returns the rules that a skill in the directory `pdf` violates, except that it is not of a
/// repository.
fn rules(text: &str) -> Vec<&'static str> {
    let report = check_in("pdf", text, &files(&["SKILL.md", "references/a.md"]));
    let mut ids: Vec<&str> = report.violations.iter().map(|violation| violation.rule.id()).collect();
    ids.retain(|id| *id != "repository-missing");
    ids
}

/// Returns the good skill with further lines in its front matter.
fn with(lines: &str) -> String {
    GOOD.replacen("\n---\n", &format!("\n{lines}\n---\n"), 1)
}

#[test]
fn a_good_skill_passes_every_reader_but_a_repository() {
    let report = check_in("pdf", GOOD, &files(&["SKILL.md"]));
    for profile in Profile::ALL {
        let worst = report.worst(*profile);
        assert_eq!(worst.is_some(), *profile == Profile::Seed001, "{profile}: {:?}", report.violations);
    }
}

#[test]
fn a_repository_skill_passes_where_it_is_read() {
    let block = "x-personal-mcp:\n  id: pdf\n  version: 1.0.0\n  capabilities:\n    - resource://skills/pdf/document\n  \
                 references:\n    a:\n      path: ./references//a.md";
    let report = check_in("pdf", &with(block), &files(&["SKILL.md", "references/a.md"]));
    for profile in [Profile::Seed001, Profile::ClaudeCode, Profile::Sep2640] {
        assert!(report.worst(profile) < Some(Severity::Warning), "{profile}: {:?}", report.violations);
    }
    assert_eq!(report.worst(Profile::SkillsRef), Some(Severity::Error));
}

#[test]
fn each_rule_by_example() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["front-missing", "body-empty"]),
        ("---\nname: pdf\n", &["front-unclosed"]),
        ("\u{feff}---\nname: pdf\ndescription: Use when x.\n---\nb", &["file-bom"]),
        ("\n\n---\nname: pdf\ndescription: Use when x.\n---\nb", &["front-blank-lines"]),
        ("\n\n---\nname: pdf\n", &["front-missing"]),
        ("---\n- a\n---\nb", &["yaml-mapping"]),
        ("---\nname: &a pdf\ndescription: *a\n---\nb", &["yaml-syntax", "yaml-syntax"]),
        ("---\nname: pdf\n<<:\n  description: x\n---\nb", &["yaml-syntax"]),
        ("---\nname: pdf\nname: pdf\ndescription: Use when x.\n---\nb", &["yaml-syntax"]),
        ("---\ndescription: Use when x: y\n---\nb", &["yaml-syntax"]),
        ("---\ndescription: Use when a --- b.\nname: pdf\n---\nb", &["front-cut"]),
        ("---\n{}\n---\nb", &["yaml-flow", "name-missing", "description-missing"]),
        ("---\nname: 7\ndescription: [x]\n---\nb", &["yaml-flow", "name-type", "description-type"]),
        ("---\nname: ''\ndescription: '  '\n---\nb", &["name-type", "description-type"]),
        (
            "---\nname: PDF\ndescription: Use when x.\n---\nb",
            &["name-characters", "name-directory", "name-letter"],
        ),
        (
            "---\nname: -a--b-\ndescription: Use when x.\n---\nb",
            &["name-directory", "name-hyphens", "name-letter"],
        ),
        ("---\nname: claudette\ndescription: Use when x.\n---\nb", &["name-directory", "name-reserved"]),
        ("---\nname: pdf\ndescription: Use when <b>x</b>.\n---\nb", &["description-tag"]),
        ("---\nname: pdf\ndescription: Reads PDF files.\n---\nb", &["description-when"]),
        ("---\nname: pdf\ndescription: 读取文件\n---\nb", &[]),
        ("---\nname: pdf\ndescription: Use when x.\n---\n \n", &["body-empty"]),
    ];
    for (text, expected) in cases {
        assert_eq!(rules(text), *expected, "{text}");
    }
    let cases: &[(&str, &[&str])] = &[
        ("license: MIT", &[]),
        ("license: 1", &["license-type"]),
        ("compatibility: 1", &["compatibility-type"]),
        ("compatibility: ''", &["compatibility-length"]),
        ("metadata: x", &["metadata-type"]),
        ("metadata:\n  a: 1\n  b: x", &["metadata-type"]),
        ("metadata:\n  io.modelcontextprotocol/a: x", &["metadata-reserved"]),
        ("allowed-tools: Bash(git:*) Read", &[]),
        ("allowed-tools: Bash(a,b) Read", &[]),
        ("allowed-tools: Read, Write", &["allowed-tools-commas"]),
        ("allowed-tools:\n  - Read", &["allowed-tools-list"]),
        ("allowed-tools: 1", &["allowed-tools-type"]),
        ("zzz: 1", &["field-unknown"]),
        ("effort: huge", &["field-claude-code", "claude-field-value"]),
        ("user-invocable: 'yes'", &["field-claude-code", "claude-field-flag"]),
        ("user-invocable: 1", &["field-claude-code", "claude-field-type"]),
        ("hooks: x", &["field-claude-code", "claude-field-value"]),
        ("argument-hint: [file]", &["argument-hint-list", "field-claude-code"]),
        ("paths:\n  - src/**", &["field-claude-code"]),
        ("tags: [a]", &["yaml-flow", "field-unknown"]),
    ];
    for (lines, expected) in cases {
        assert_eq!(rules(&with(lines)), *expected, "{lines}");
    }
}

#[test]
fn each_rule_of_the_body_by_example() {
    let long = "line\n".repeat(501);
    let cases: &[(&str, &[&str])] = &[
        (&long, &["body-lines"]),
        ("see [a](references/a.md#x) and [b](<references/a.md>)", &[]),
        ("see [a](references/)", &[]),
        ("see [a](references/b.md) and [again](references/b.md)", &["link-missing"]),
        ("see [a](https://example.com/x.md), [b](#x), [c](mailto:a@example.com)", &[]),
        ("see [a](../other/SKILL.md) and [b](/etc/passwd)", &["link-outside", "link-outside"]),
        ("see [a](a/../../pdf/x.md)", &["link-outside"]),
        ("```\n[a](missing.md)\n```\n`[b](missing.md)` and [c]({name}.md)", &[]),
        ("a\u{200b}b", &["hidden-unicode"]),
        ("👨\u{200d}👩 ❤\u{fe0f}", &[]),
        ("token: ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789", &["secret"]),
    ];
    for (body, expected) in cases {
        assert_eq!(rules(&format!("{GOOD}{body}\n")), *expected, "{body}");
    }
}

#[test]
fn places_are_lines_and_columns_of_the_file() {
    let report = check_in("pdf", &with("metadata:\n  a: x\n  b: 1.0"), &files(&["SKILL.md"]));
    let found = report.violations.iter().find(|found| found.rule == Rule::MetadataType).unwrap();
    assert_eq!((found.place.line, found.place.column), (6, 6));
    assert_eq!(found.field().as_deref(), Some("metadata.b"));
    assert_eq!(
        (found.problem.as_str(), found.fix.as_str()),
        ("is a number, not text", "put it in double quotes")
    );
}

#[test]
fn files_are_counted() {
    let many = Files {
        paths: (0..513).map(|at| format!("f{at:04}")).collect(),
        bytes: 30_000_000,
        bad_links: vec!["x".to_owned()],
        uncounted: true,
    };
    let report = check_in("pdf", GOOD, &many);
    let found: Vec<Rule> = report.violations.iter().map(|violation| violation.rule).collect();
    for rule in [Rule::FilesMany, Rule::FilesLarge, Rule::UploadLarge, Rule::FileUncounted, Rule::FileLink] {
        assert!(found.contains(&rule), "{rule:?}");
    }
    assert_eq!(report.worst(Profile::Spec), Some(Severity::Warning));
    assert_eq!(report.worst(Profile::Sep2640), Some(Severity::Error));
}

#[test]
fn what_is_not_text_is_told_and_does_not_stop() {
    let files = files(&["skill.md"]);
    let source = Source {
        directory: "a",
        file: "skill.md",
        bytes: b"---\nname: \xff\n---\n",
        files: &files,
        tokens: None,
    };
    let found: Vec<&str> = check(&source).violations.iter().map(|found| found.rule.id()).collect();
    assert_eq!(found, ["file-name", "file-unreadable"]);
}

/// F-05 to F-12, X-29, X-30: the result equals that of the contract's own model for every row.
/// Skipped if the data folder is not beside the repository.
#[test]
fn the_rows_of_the_contract_are_judged_alike() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rows = here.ancestors().map(|folder| folder.join("shared/data/frontmatter-examples.jsonl"));
    let Some(rows) = rows.into_iter().find_map(|path| std::fs::read_to_string(path).ok()) else { return };
    // Rows where we decided otherwise: tags in descriptions (X-29), strict semver (X-30), NUL in a
    // path (F-12).
    let other = ["description XML tag", "version='1.0.0-rc.1+b5'", "ref path='references/x\\x00.md'"];
    let mut count = 0;
    for row in rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let (case, directory) = (row["case"].as_str().unwrap(), row["dir"].as_str().unwrap());
        let front = yaml::write(row["frontmatter"].as_object().unwrap());
        let text = format!("---\n{front}---\n\nUse it.\n");
        // Every file that a row names exists.
        let mut paths: Vec<String> =
            ["a.md", "deep/er/a.md", "r.md", "x.md"].map(|name| format!("references/{name}")).into();
        paths.extend(["SKILL.md".to_owned(), "references/a.MD".to_owned()]);
        if let Some(Value::Object(refs)) = row.get("refs") {
            paths.extend(refs.values().filter_map(|path| Some(path.as_str()?.to_owned())));
        }
        paths.sort();
        let report = check_in(directory, &text, &Files { paths, ..Files::default() });
        let refused = report.worst(Profile::Seed001) == Some(Severity::Error);
        let expected = (row["result"] == "REJECT") != other.contains(&case);
        assert_eq!(refused, expected, "{case}: {:?}", report.violations);
        count += 1;
    }
    assert_eq!(count, 49);
}

/// Returns whether the profile `skills-ref` accepts the skill.
fn is_accepted(directory: &str, text: &str) -> bool {
    !check_in(directory, text, &files(&["SKILL.md"])).has_errors(&[Profile::SkillsRef])
}

/// Compares the verdict about the 131 real files with the recorded one of skills-ref 0.1.1. Skipped
/// if the data folder is not beside the repository.
#[test]
fn the_corpus_is_accepted_and_refused_as_by_the_reference() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = here.ancestors().map(|folder| folder.join("shared/data/skills-corpus"));
    let Some(corpus) = folders.find(|corpus| corpus.is_dir()) else { return };
    let text = std::fs::read_to_string(corpus.join("expected-skills-ref-0.1.1.json")).unwrap();
    let expected: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(expected.len(), 131);
    for case in expected {
        let path = corpus.join(case["path"].as_str().unwrap());
        let directory = path.parent().and_then(Path::file_name).unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(is_accepted(directory, &text), case["errors"] == json!([]), "{}", path.display());
    }
}

/// Front matter that people rarely write, with the verdict of skills-ref. Ours is the opposite;
/// docs/skills.md lists it.
#[test]
fn rare_front_matter_is_judged_otherwise_than_by_the_reference() {
    let with = |name: &str, rest: &str| format!("---\nname: {name}\ndescription: Use it{rest}\n---\n");
    for (directory, text, reference) in [
        ("7", with("7", "."), true),
        ("a", with("a", ".\ncompatibility:"), true),
        ("a", with("a", " --- twice."), true),
        ("a", with("a", ".").replace("---\nname", "---name"), true),
        ("a", with("a", ".").replace('\n', "\r"), true),
        ("e\u{301}", with("é", "."), true),
        ("a", with("\ta", "."), false),
        ("a", with("a", ".").replacen('\n', "\n...\n", 1), false),
    ] {
        assert_eq!(is_accepted(directory, &text), !reference, "{text}");
    }
}

#[test]
fn f_17_skills_are_judged_together() {
    let skill = |id: &str, needs: &[&str]| {
        let needs: String = needs.iter().map(|need| format!("\n    - {need}")).collect();
        let needs = if needs.is_empty() { String::new() } else { format!("\n  depends_on:{needs}") };
        Member::read(&format!("---\nx-personal-mcp:\n  id: {id}{needs}\n---\n"))
    };
    let members = [
        skill("a", &["b"]),
        skill("b", &["c"]),
        skill("c", &["b", "gone"]),
        skill("d", &["a"]),
        skill("e", &[]),
        skill("e", &[]),
        skill("f", &["f"]),
        // From one circle into another, and in neither.
        skill("between", &["b"]),
        skill("g", &["h", "between"]),
        skill("h", &["g"]),
        None,
    ];
    assert!(members[..10].iter().all(Option::is_some));
    let mut reports = vec![Report::default(); members.len()];
    check_set(&members, &mut reports);
    let problems: Vec<Vec<String>> = reports
        .iter()
        .map(|report| report.violations.iter().map(|found| found.problem.clone()).collect())
        .collect();
    let circle = |id: &str| format!("`{id}` depends on itself, directly or through others");
    let twice = "`e` is the id of another skill too".to_owned();
    assert_eq!(
        problems,
        [
            vec![],
            vec![circle("b")],
            vec!["`gone` is not a skill here".to_owned(), circle("c")],
            vec![],
            vec![twice.clone()],
            vec![twice],
            vec![circle("f")],
            vec![],
            vec![circle("g")],
            vec![circle("h")],
            vec![],
        ]
    );
}

#[test]
fn every_rule_has_a_name_of_its_own_and_somebody_who_minds() {
    let mut ids: Vec<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Rule::ALL.len());
    for rule in Rule::ALL {
        assert!(Profile::ALL.iter().any(|profile| rule.severity(*profile).is_some()), "{}", rule.id());
    }
}

fn fixed(text: &str) -> Option<String> {
    let files = files(&["SKILL.md"]);
    let source =
        Source { directory: "pdf", file: "SKILL.md", bytes: text.as_bytes(), files: &files, tokens: None };
    fix(&source).map(|fixed| fixed.text)
}

#[test]
fn corrections_keep_the_rest_of_the_file() {
    for (before, after) in [
        (
            "\u{feff}\n---\nname: pdf\ndescription: Use when x.\n---\nb\n",
            Some("---\nname: pdf\ndescription: Use when x.\n---\nb\n"),
        ),
        (
            "---\nname: PDF # n\r\ndescription: Use when x.\r\n---\r\nb",
            Some("---\nname: pdf # n\r\ndescription: Use when x.\r\n---\r\nb"),
        ),
        ("---\nname: Other\ndescription: Use when x.\n---\nb", None),
        (
            "---\nname: pdf\ndescription: Use when x.\nmetadata:\n  version: 1.0 # v\n  é: true\n  c: [x]\n---\nb",
            Some(
                "---\nname: pdf\ndescription: Use when x.\nmetadata:\n  version: \"1.0\" # v\n  é: \"true\"\n  c:\n    - x\n---\nb",
            ),
        ),
        (
            "---\nname: pdf\ndescription: Use when x.\nallowed-tools: [Read, \"Bash(git:*)\"]\n---\nb",
            Some("---\nname: pdf\ndescription: Use when x.\nallowed-tools: \"Read Bash(git:*)\"\n---\nb"),
        ),
        ("---\nname: pdf\ndescription: Use when x.\nallowed-tools: Read, Bash(a, b)\n---\nb", None),
        ("---\nname: pdf\ndescription: Use when x.\nargument-hint: [file] [n]\n---\nb", None),
        (
            "---\nname: pdf\ndescription: Use when x.\nargument-hint: [file]\n---\nb",
            Some("---\nname: pdf\ndescription: Use when x.\nargument-hint: \"[file]\"\n---\nb"),
        ),
        (
            "---\nname: pdf\ndescription: Use when x.\nmetadata: {a: 1, b: [x, {c: d}]} # m\n---\nb",
            Some(
                "---\nname: pdf\ndescription: Use when x.\nmetadata:\n  a: \"1\"\n  b:\n    - x\n    -\n      c: d # m\n---\nb",
            ),
        ),
        ("---\nname: pdf\ndescription: Use when x.\ntags: [] \n---\nb", None),
    ] {
        assert_eq!(fixed(before).as_deref(), after, "{before}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_the_file_there_is_a_report(text in "(---\n|name: [a-c]?|description: |x-personal-mcp:|  id: a|[ ]{1,3}|[-?:\\[\\]{}&*!|>'\"#,]|\n|é|\u{200b}|\\]\\(a){0,40}") {
        let report = check_in("pdf", &text, &files(&["SKILL.md"]));
        for violation in &report.violations {
            prop_assert!(violation.place.line >= 1 && violation.place.column >= 1);
        }
        // A corrected file needs no further correction.
        if let Some(once) = fixed(&text) {
            prop_assert_eq!(fixed(&once), None);
        }
    }

    #[test]
    fn brackets_become_lines(items in prop::collection::vec("[a-z0-9 .:é#'\"-]{0,8}", 1..6), number in any::<i32>()) {
        let flow = serde_json::to_string(&json!({ "list": items, "n": number })).unwrap();
        let text = with(&format!("extra: {flow}"));
        let after = fixed(&text).unwrap();
        prop_assert!(!after.contains('{'), "{}", after);
        let front = |text: &str| yaml::read(crate::front_matter::split(text).unwrap().front.unwrap(), 2).unwrap().value;
        prop_assert_eq!(front(&after), front(&text));
    }
}
