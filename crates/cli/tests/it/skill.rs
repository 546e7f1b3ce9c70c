//! `overt skill`: checked, corrected, made portable, started and listed.
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{file, overt, report, snapshot};

fn skill(arguments: &[&str], at: &Path) -> String {
    report(&overt().current_dir(at).arg("skill").args(arguments).output().unwrap())
}

fn json(arguments: &[&str], at: &Path) -> Value {
    let output = overt().current_dir(at).arg("skill").args(arguments).output().unwrap();
    serde_json::from_str(&String::from_utf8(output.stdout).unwrap()).unwrap()
}

fn write(at: &Path, path: &str, text: &str) {
    std::fs::create_dir_all(at.join(path).parent().unwrap()).unwrap();
    file(at, path, text);
}

const GOOD: &str = "---\nname: pdf\ndescription: Reads PDF files. Use when asked for text.\n---\n\n# PDF\n\nSee [more](references/more.md).\n";
const REPOSITORY: &str = "---\nname: csv\ndescription: Reads tables. Use when asked for rows.\nx-personal-mcp:\n  id: csv\n  version: 1.0.0\n  tags:\n    - tables\n  capabilities:\n    - resource://skills/csv/document\n  references:\n    more:\n      path: references/more.md\n---\n\n# CSV\n";

/// A good skill, one of a repository, and a bad one.
fn three() -> TempDir {
    let here = TempDir::new().unwrap();
    write(here.path(), "skills/pdf/SKILL.md", GOOD);
    write(here.path(), "skills/pdf/references/more.md", "more");
    write(here.path(), "skills/csv/SKILL.md", REPOSITORY);
    write(here.path(), "skills/csv/references/more.md", "more");
    let bad = "---\nname: Bad\ndescription: Does <b>it</b>.\nversion: 1.0\ntags: [a, b]\n---\nSee [x](../pdf/SKILL.md) and [y](gone.md).\n";
    write(here.path(), "skills/bad/SKILL.md", bad);
    here
}

#[test]
fn skills_are_checked_for_every_reader() {
    let here = three();
    snapshot!(skill(&["check", "skills", "--format", "text"], here.path()), @"");
    snapshot!(skill(&["check", "skills/pdf", "skills/csv", "--format", "text"], here.path()), @"");
    snapshot!(skill(&["check", "skills/pdf/SKILL.md", "--profile", "spec,seed-001"], here.path()), @"");
}

#[test]
fn a_directory_without_skills_is_told_and_a_missing_one_is_a_mistake() {
    let here = TempDir::new().unwrap();
    std::fs::create_dir(here.path().join("empty")).unwrap();
    snapshot!(skill(&["check", "empty", "--format", "text"], here.path()), @"");
    snapshot!(skill(&["check", "gone"], here.path()), @"");
}

#[test]
fn warnings_count_when_they_should() {
    let here = TempDir::new().unwrap();
    write(here.path(), "pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\n\n# PDF\n");
    let exit = |more: &[&str]| skill(&[&["check", "pdf", "--format", "github"], more].concat(), here.path());
    snapshot!(exit(&[]), @"");
    assert!(exit(&["--deny-warnings"]).starts_with("exit 1"));
    assert!(exit(&["--deny-warnings", "--profile", "skills-ref"]).starts_with("exit 0"));
}

#[test]
fn code_scanning_reads_the_findings() {
    let here = three();
    let sarif = json(&["check", "skills/bad", "--format", "sarif"], here.path());
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules: Vec<&Value> = run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 5);
    for result in results {
        assert!(rules.contains(&&result["ruleId"]));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "skills/bad/SKILL.md");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
    }
}

#[test]
fn corrections_are_written_once() {
    let here = three();
    let path = here.path().join("skills/bad/SKILL.md");
    let found = json(&["check", "skills/bad", "--fix"], here.path());
    assert_eq!(found["skills"][0]["fixed"], serde_json::json!(["yaml-flow", "name-directory", "name-characters"]));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("---\nname: bad\n"), "{text}");
    assert!(text.contains("tags:\n  - a\n  - b\n---\nSee "), "{text}");
    let again = json(&["check", "skills/bad", "--fix"], here.path());
    assert_eq!(again["skills"][0]["fixed"], serde_json::json!([]));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[cfg(unix)]
#[test]
fn links_that_leave_are_not_followed() {
    use std::os::unix::fs::symlink;
    let here = TempDir::new().unwrap();
    write(here.path(), "secret/SKILL.md", "---\nname: canary-in-a-mine\ndescription: Use when x.\n---\nx\n");
    write(here.path(), "skills/a/SKILL.md", "---\nname: a\ndescription: Use when x.\n---\n[x](out.md) [y](in.md)\n");
    symlink("../../secret/SKILL.md", here.path().join("skills/a/out.md")).unwrap();
    symlink("SKILL.md", here.path().join("skills/a/in.md")).unwrap();
    symlink("../secret", here.path().join("skills/linked")).unwrap();
    std::fs::create_dir(here.path().join("skills/b")).unwrap();
    symlink("../../secret/SKILL.md", here.path().join("skills/b/SKILL.md")).unwrap();
    let text = skill(&["check", "skills", "--format", "text"], here.path());
    assert!(!text.contains("canary"), "{text}");
    snapshot!(text, @"");
    assert!(skill(&["project", "skills/b"], here.path()).starts_with("exit 2"));
}

#[test]
fn f_20_a_skill_is_made_portable_and_back() {
    let here = three();
    let before = std::fs::read(here.path().join("skills/csv/SKILL.md")).unwrap();
    snapshot!(skill(&["project", "skills/csv"], here.path()), @"");
    snapshot!(skill(&["project", "skills/csv", "--out", "dist"], here.path()), @"");
    assert_eq!(std::fs::read(here.path().join("skills/csv/SKILL.md")).unwrap(), before);
    assert_eq!(std::fs::read_to_string(here.path().join("dist/csv/references/more.md")).unwrap(), "more");
    let checked = skill(&["check", "dist", "--profile", "skills-ref,spec,anthropic-api"], here.path());
    assert!(checked.starts_with("exit 0"), "{checked}");
    assert!(skill(&["project", "skills/csv", "--out", "dist"], here.path()).contains("is there already"));
    assert!(skill(&["project", "dist/csv", "--import", "--out", "back"], here.path()).starts_with("exit 0"));
    let checked = skill(&["check", "back", "--profile", "seed-001"], here.path());
    assert!(checked.starts_with("exit 0"), "{checked}");
    std::fs::remove_file(here.path().join("skills/csv/references/more.md")).unwrap();
    snapshot!(skill(&["project", "skills/csv"], here.path()), @"");
}

#[test]
fn a_new_skill_passes() {
    let here = TempDir::new().unwrap();
    snapshot!(skill(&["new", "pdf-tools", "--format", "text"], here.path()), @"");
    let checked = json(&["check", "pdf-tools"], here.path());
    let verdicts = checked["skills"][0]["profiles"].as_object().unwrap();
    assert_eq!(verdicts.len(), 5);
    assert!(verdicts.values().all(|verdict| verdict == "pass"), "{checked}");
    assert_eq!(checked["skills"][0]["findings"], serde_json::json!([]));
    assert!(skill(&["new", "pdf-tools"], here.path()).contains("is there already"));
    assert!(skill(&["new", "Claude"], here.path()).starts_with("exit 2"));
    assert!(skill(&["new", "table", "--repository", "--dir", "deep/er"], here.path()).starts_with("exit 0"));
    let checked = json(&["check", "deep", "--profile", "seed-001,claude-code,sep-2640"], here.path());
    assert!(checked["skills"][0]["profiles"].as_object().unwrap().values().all(|verdict| verdict == "pass"), "{checked}");
}

#[test]
fn skills_are_listed_for_a_site() {
    let here = three();
    assert!(skill(&["index", "skills"], here.path()).starts_with("exit 1"));
    snapshot!(skill(&["index", "skills/pdf", "skills/csv"], here.path()), @"");
    snapshot!(skill(&["index", "skills/pdf", "skills/csv", "--out", "site", "--format", "text"], here.path()), @"");
    let catalogue = std::fs::read_to_string(here.path().join("site/catalog/skills_index.json")).unwrap();
    snapshot!(catalogue, @"");
    let served = here.path().join("site/.well-known/agent-skills/csv/SKILL.md");
    assert!(std::fs::read_to_string(served).unwrap().contains("x-personal-mcp.id: csv\n"));
}

#[test]
fn a_thousand_skills_are_checked() {
    let here = TempDir::new().unwrap();
    for number in 0..1000 {
        let name = format!("skill-{number}");
        let text = GOOD.replace("pdf", &name).replace("[more](references/more.md)", "it");
        write(here.path(), &format!("all/{name}/SKILL.md"), &text);
    }
    let checked = json(&["check", "all"], here.path());
    assert_eq!(checked["skills"].as_array().unwrap().len(), 1000);
    let text = skill(&["check", "all", "--format", "text"], here.path());
    assert!(text.ends_with("1000 skills: 1000 passed, 0 with warnings, 0 failed"), "{text}");
}
