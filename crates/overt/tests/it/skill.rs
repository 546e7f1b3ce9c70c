//! `overt skill`: checks, corrects, ports, creates and lists skills.
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::output::{CommandOutput, snapshot};
use crate::support::{file, overt, report};

fn skill(arguments: &[&str], at: &Path) -> CommandOutput {
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

/// A valid skill, one from a repository, and an invalid one.
pub(crate) fn three() -> TempDir {
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
    snapshot!(skill(&["check", "skills", "--format", "text"], here.path()), @r#"
    exit 1
    --- stdout
      skill       spec  skills-ref  claude-code  anthropic-api  seed-001  sep-2640
      skills/bad  fail  fail        fail         fail           -         fail
      skills/csv  warn  -           pass         warn           pass      pass
      skills/pdf  pass  pass        pass         pass           -         pass
    skills/bad/SKILL.md:5:7: error[yaml-flow] tags: is in brackets, which strict readers refuse; write it in block style, an item on each line (spec, skills-ref, anthropic-api)
    skills/bad/SKILL.md:4:10: error[field-unknown] version: is not a field of the specification; move it into `metadata`, where every name is allowed (spec, skills-ref, claude-code, anthropic-api)
    skills/bad/SKILL.md:5:7: error[field-unknown] tags: is not a field of the specification; move it into `metadata`, where every name is allowed (spec, skills-ref, claude-code, anthropic-api)
    skills/bad/SKILL.md:2:7: error[name-characters] name: `Bad` has characters that aren't allowed; use lower-case letters a-z, digits and hyphens (spec, skills-ref, claude-code, anthropic-api, sep-2640)
    skills/bad/SKILL.md:2:7: error[name-directory] name: `Bad` is not the name of the directory; rename the directory `bad`, or write `name: bad` (spec, skills-ref, claude-code, anthropic-api, sep-2640)
    skills/bad/SKILL.md:3:14: error[description-tag] description: has a tag in angle brackets; write it without the tag (spec, anthropic-api)
    skills/bad/SKILL.md:3:14: warning[description-when] description: does not say when to use the skill; add a sentence that begins with `Use when` (spec, claude-code, anthropic-api, sep-2640)
    skills/bad/SKILL.md:7:1: warning[link-outside] links to `../pdf/SKILL.md`, outside of its directory; copy the file into the directory of the skill; the link is not followed (spec, claude-code, anthropic-api, sep-2640)
    skills/bad/SKILL.md:7:1: warning[link-missing] links to `gone.md`, which is not there; add the file, or correct the link (spec, claude-code, anthropic-api, sep-2640)
    skills/csv/SKILL.md:5:3: warning[field-repository] x-personal-mcp: is metadata of a repository; `overt skill project` writes the portable form, with the same metadata as texts (spec, claude-code, anthropic-api, sep-2640)
    --- stderr
    3 skills: 1 passed, 1 with warnings, 1 failed
    "#);
    snapshot!(skill(&["check", "skills/pdf", "skills/csv", "--format", "text"], here.path()), @"
    exit 0
    --- stdout
      skill       spec  skills-ref  claude-code  anthropic-api  seed-001  sep-2640
      skills/csv  warn  -           pass         warn           pass      pass
      skills/pdf  pass  pass        pass         pass           -         pass
    skills/csv/SKILL.md:5:3: warning[field-repository] x-personal-mcp: is metadata of a repository; `overt skill project` writes the portable form, with the same metadata as texts (spec, claude-code, anthropic-api, sep-2640)
    --- stderr
    2 skills: 1 passed, 1 with warnings, 0 failed
    ");
    snapshot!(skill(&["check", "skills/pdf/SKILL.md", "--profile", "spec,seed-001"], here.path()), @r#"
    exit 1
    --- stdout
    {"skills":[{"path":"skills/pdf/SKILL.md","profiles":{"spec":"pass","seed-001":"fail"},"findings":[{"rule":"repository-missing","severity":"error","profiles":{"seed-001":"error"},"at":"/x-personal-mcp","line":2,"column":1,"problem":"is missing","fix":"write `id`, `version` and `capabilities` below it","fixable":false}],"more":0,"fixed":[]}]}
    "#);
}

#[test]
fn a_directory_without_skills_is_told_and_a_missing_one_is_a_mistake() {
    let here = TempDir::new().unwrap();
    std::fs::create_dir(here.path().join("empty")).unwrap();
    snapshot!(skill(&["check", "empty", "--format", "text"], here.path()), @"
    exit 1
    --- stdout
      skill  spec  skills-ref  claude-code  anthropic-api  seed-001  sep-2640
      empty  fail  fail        fail         fail           fail      fail
    empty/SKILL.md:1:1: error[file-missing] is not there; add one, or name a directory with skills; `overt skill new` starts one (spec, skills-ref, claude-code, anthropic-api, seed-001, sep-2640)
    --- stderr
    1 skill: 0 passed, 0 with warnings, 1 failed
    ");
    snapshot!(skill(&["check", "gone"], here.path()), @"
    exit 2
    --- stderr
    error: failed to read `gone`
      caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn warnings_count_when_they_should() {
    let here = TempDir::new().unwrap();
    write(here.path(), "pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF files.\n---\n\n# PDF\n");
    let exit = |more: &[&str]| skill(&[&["check", "pdf", "--format", "github"], more].concat(), here.path());
    snapshot!(exit(&[]), @"
    exit 0
    --- stdout
    ::warning file=pdf/SKILL.md,line=3,col=14,title=description-when::description: does not say when to use the skill; add a sentence that begins with `Use when`
    ");
    exit(&["--deny-warnings"]).exits(1, &[]);
    exit(&["--deny-warnings", "--profile", "skills-ref"]).succeeds();
}

#[test]
fn code_scanning_reads_the_findings() {
    let here = three();
    let sarif = json(&["check", "skills/bad", "--format", "sarif"], here.path());
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules: Vec<&Value> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
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
    assert_eq!(
        found["skills"][0]["fixed"],
        serde_json::json!(["yaml-flow", "name-characters", "name-directory"])
    );
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
    write(
        here.path(),
        "skills/a/SKILL.md",
        "---\nname: a\ndescription: Use when x.\n---\n[x](out.md) [y](in.md)\n",
    );
    symlink("../../secret/SKILL.md", here.path().join("skills/a/out.md")).unwrap();
    symlink("SKILL.md", here.path().join("skills/a/in.md")).unwrap();
    symlink("../secret", here.path().join("skills/linked")).unwrap();
    std::fs::create_dir(here.path().join("skills/b")).unwrap();
    symlink("../../secret/SKILL.md", here.path().join("skills/b/SKILL.md")).unwrap();
    let text = skill(&["check", "skills", "--format", "text"], here.path());
    assert!(!text.contains("canary"), "{text}");
    snapshot!(text, @"
    exit 1
    --- stdout
      skill     spec  skills-ref  claude-code  anthropic-api  seed-001  sep-2640
      skills/a  warn  pass        warn         warn           -         warn
      skills/b  fail  fail        fail         fail           -         fail
    skills/a/SKILL.md:1:1: warning[file-link] `out.md` is a symbolic link that leaves the directory or leads nowhere; put the file itself there; the link is not followed (spec, claude-code, anthropic-api, sep-2640)
    skills/a/SKILL.md:5:1: warning[link-missing] links to `out.md`, which is not there; add the file, or correct the link (spec, claude-code, anthropic-api, sep-2640)
    skills/b/SKILL.md:1:1: error[file-unreadable] is a symbolic link that leaves the directory; put a file there that can be read (spec, skills-ref, claude-code, anthropic-api, sep-2640)
    --- stderr
    2 skills: 0 passed, 1 with warnings, 1 failed
    ");
    skill(&["project", "skills/b"], here.path()).exits(2, &[]);
}

#[test]
fn f_20_a_skill_is_made_portable_and_back() {
    let here = three();
    let before = std::fs::read(here.path().join("skills/csv/SKILL.md")).unwrap();
    snapshot!(skill(&["project", "skills/csv", "--out", "dist"], here.path()), @"
    exit 0
    --- stderr
    wrote `dist/csv`
    ");
    assert_eq!(std::fs::read(here.path().join("skills/csv/SKILL.md")).unwrap(), before);
    assert_eq!(std::fs::read_to_string(here.path().join("dist/csv/references/more.md")).unwrap(), "more");
    skill(&["check", "dist", "--profile", "skills-ref,spec,anthropic-api"], here.path()).succeeds();
    assert!(skill(&["project", "skills/csv", "--out", "dist"], here.path()).contains("is there already"));
    skill(&["project", "dist/csv", "--import", "--out", "back"], here.path()).succeeds();
    skill(&["check", "back", "--profile", "seed-001"], here.path()).succeeds();
    std::fs::remove_file(here.path().join("skills/csv/references/more.md")).unwrap();
    snapshot!(skill(&["project", "skills/csv"], here.path()), @"
    exit 1
    --- stderr
    error: `skills/csv/SKILL.md` can't be made portable
        error: /x-personal-mcp/references/more/path: `references/more.md` is not there; add the file

    hint: `overt skill check` shows each problem with its line
    ");
}

#[test]
fn a_new_skill_passes() {
    let here = TempDir::new().unwrap();
    snapshot!(skill(&["new", "pdf-tools", "--format", "text"], here.path()), @"
    exit 0
    --- stdout
    pdf-tools/SKILL.md
    --- stderr
    write the description and the steps, then run `overt skill check`
    ");
    let checked = json(&["check", "pdf-tools"], here.path());
    let verdicts = checked["skills"][0]["profiles"].as_object().unwrap();
    assert_eq!(verdicts.len(), 5);
    assert!(verdicts.values().all(|verdict| verdict == "pass"), "{checked}");
    assert_eq!(checked["skills"][0]["findings"], serde_json::json!([]));
    assert!(skill(&["new", "pdf-tools"], here.path()).contains("is there already"));
    skill(&["new", "Claude"], here.path()).exits(2, &[]);
    skill(&["new", "table", "--repository", "--dir", "deep/er"], here.path()).succeeds();
    let checked = json(&["check", "deep", "--profile", "seed-001,claude-code,sep-2640"], here.path());
    assert!(
        checked["skills"][0]["profiles"].as_object().unwrap().values().all(|verdict| verdict == "pass"),
        "{checked}"
    );
}

#[test]
fn skills_are_listed_for_a_site() {
    let here = three();
    skill(&["index", "skills"], here.path()).exits(1, &[]);
    let index = json(&["index", "skills/pdf"], here.path());
    let digest = "sha256:29bd380c647af5e87b73bddd80b9f9207db36c1f4a1be7e37fd8d63763f78bb3";
    assert_eq!(index["skills"][0]["digest"], digest);
    snapshot!(skill(&["index", "skills/pdf", "skills/csv", "--out", "site", "--format", "text"], here.path()), @"
    exit 0
    --- stdout
    wrote .well-known/agent-skills/index.json
    wrote catalog/skills_index.json
    wrote .well-known/agent-skills/csv/SKILL.md
    wrote .well-known/agent-skills/pdf/SKILL.md
    ");
    let catalogue = std::fs::read_to_string(here.path().join("site/catalog/skills_index.json")).unwrap();
    snapshot!(catalogue, @r#"
    {
      "skills": [
        {
          "id": "csv",
          "name": "csv",
          "description": "Reads tables. Use when asked for rows.",
          "tags": [
            "tables"
          ],
          "capabilities": [
            "resource://skills/csv/document"
          ],
          "depends_on": [],
          "document": "resource://skills/csv/document",
          "references": {
            "more": {
              "path": "references/more.md",
              "mime_type": "text/markdown"
            }
          },
          "version": "1.0.0"
        },
        {
          "id": "pdf",
          "name": "pdf",
          "description": "Reads PDF files. Use when asked for text.",
          "tags": [],
          "capabilities": [
            "resource://skills/pdf/document"
          ],
          "depends_on": [],
          "document": "resource://skills/pdf/document",
          "references": {}
        }
      ]
    }
    "#);
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
