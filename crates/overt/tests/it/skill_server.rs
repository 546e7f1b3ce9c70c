//! Skills of servers: listing, reading and installing them; and servers that lie about their
//! skills.
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::output::{CommandOutput, snapshot};
use crate::support::{Script, quoted, report};
use crate::terminal::Terminal;

pub(crate) const URI: &str = "skill://pdf/SKILL.md";
pub(crate) const MAIN: &str = "---\nname: pdf\ndescription: Reads PDF files. Use when asked for text.\n---\n\n# PDF\n\nSee [more](references/more.md).\n";
const MORE: &str = "More about it.\n";

fn digest(bytes: &[u8]) -> String {
    let mut text = "sha256:".to_owned();
    Sha256::digest(bytes).iter().for_each(|byte| write!(text, "{byte:02x}").unwrap());
    text
}

fn file(path: &str, text: &str) -> Value {
    json!({ "uri": format!("skill://pdf/{path}"), "digest": digest(text.as_bytes()), "size": text.len() })
}

/// Returns the entry of a skill with this SKILL.md and one further file.
fn entry_of(main: &str) -> Value {
    json!({
        "uri": URI,
        "frontmatter": { "name": "pdf", "description": "Reads PDF files. Use when asked for text." },
        "resources": [file("SKILL.md", main), file("references/more.md", MORE)],
    })
}

pub(crate) fn entry() -> Value {
    entry_of(MAIN)
}

/// A server that lists this entry, and answers `resources/read` of its SKILL.md with these
/// commands.
fn scripted(entry: &Value, read_main: &str) -> Script {
    let capabilities = r#"{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}}"#;
    let more = quoted(&contents("skill://pdf/references/more.md", MORE));
    Script::with_hello(capabilities)
        .result("resources/list", r#"{"resources":[]}"#)
        .result("resources/templates/list", r#"{"resourceTemplates":[]}"#)
        .result("skills/list", &json!({ "skills": [entry] }).to_string())
        .result("skills/get", &json!({ "skill": entry }).to_string())
        .on(
            "resources/read",
            &format!("case $line in\n*SKILL.md*)\n{read_main}\n;;\n*)\nanswer {more}\n;;\nesac"),
        )
}

fn contents(uri: &str, text: &str) -> String {
    json!({ "contents": [{ "uri": uri, "mimeType": "text/markdown", "text": text }] }).to_string()
}

pub(crate) fn serving(entry: &Value, main: &str) -> Script {
    scripted(entry, &format!("answer {}", quoted(&contents(URI, main))))
}

pub(crate) fn good() -> Script {
    serving(&entry(), MAIN)
}

fn install(script: &Script, here: &Path, more: &[&str]) -> CommandOutput {
    let words = [&["skill", "install", URI, "skills"], more].concat();
    report(&script.overt(&words).current_dir(here).output().unwrap())
}

/// Returns the digest of the set, as the dry run reports it.
fn set_of(script: &Script, here: &Path, more: &[&str]) -> String {
    let words = [&["skill", "install", URI, "skills", "--dry-run", "--format", "json"], more].concat();
    let output = script.overt(&words).current_dir(here).output().unwrap();
    let plan: Value = serde_json::from_str(&String::from_utf8(output.stdout).unwrap()).unwrap();
    plan["digest"].as_str().unwrap().to_owned()
}

fn is_empty(here: &Path) -> bool {
    std::fs::read_dir(here).unwrap().count() == 0
}

fn read(here: &Path, path: &str) -> String {
    std::fs::read_to_string(here.join(path)).unwrap()
}

#[test]
fn skills_are_listed_and_no_file_is_read() {
    let script = good();
    let listed = script.run(&["list", "--kind", "skills", "--format", "text"]);
    snapshot!(listed, @"
    exit 0
    --- stdout
    scripted 1.2.3
    protocol 2025-11-25; declares resources, extensions

    Skills (1)
      NAME  URI                   FILES  BYTES  DESCRIPTION
      pdf   skill://pdf/SKILL.md  2      128    Reads PDF files. Use when asked for text.
    ");
    // Without `--kind`, skills are listed because the server declares them.
    assert!(script.run(&["list", "--long"]).contains("references/more.md (15 bytes)"));
    assert!(!script.received().contains("resources/read"));
    let mut bad = entry();
    bad["resources"][1]["uri"] = json!("skill://pdf/../../.bashrc");
    let listed = serving(&bad, MAIN).run(&["list", "--kind", "skills", "--format", "text"]);
    assert!(listed.contains("has an empty part, `.` or `..`"), "{listed}");
}

#[test]
fn a_file_is_printed_when_it_is_what_was_listed() {
    let script = good();
    let output = script.overt(&["skill", "read", URI, "--format", "text"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), MAIN);
    assert!(!script.received().contains("more.md"), "no file is read ahead of need");
    let more = script.run(&["skill", "read", URI, "references/more.md"]);
    assert!(more.contains(r#""path":"references/more.md""#), "{more}");
    assert!(more.contains(r#""text":"More about it.\n""#), "{more}");
    let evil = serving(&entry(), &MAIN.replace("# PDF", "# PDG")).run(&["skill", "read", URI]);
    assert!(evil.starts_with("exit 3\n--- stderr\n"), "nothing is printed: {evil}");
    assert!(evil.contains("is not what the server lists"), "{evil}");
}

#[test]
fn an_installation_is_shown_first_and_bound_to_its_files() {
    let here = TempDir::new().unwrap();
    let script = good();
    snapshot!(install(&script, here.path(), &["--dry-run", "--format", "text"]), @"
    exit 0
    --- stdout
    pdf (skill://pdf/SKILL.md of sh [TMP]/server.sh)
    2 files, 128 bytes, into skills/pdf

      CHANGE  FILE                BYTES
      added   SKILL.md            113
      added   references/more.md  15

      skill       spec  skills-ref  claude-code  anthropic-api  seed-001  sep-2640
      skills/pdf  pass  pass        pass         pass           -         pass

    set of files: sha256:[HASH]
    --- stderr
    nothing was written
    ");
    assert!(is_empty(here.path()));
    // No person can be asked here, and none has approved these files.
    let refused = install(&script, here.path(), &[]);
    let set = set_of(&script, here.path(), &[]);
    assert!(refused.starts_with("exit 2\n"), "{refused}");
    assert!(refused.contains(&format!("--expect {set}")), "{refused}");
    let other = install(&script, here.path(), &["--expect", &digest(b"other")]);
    assert!(other.starts_with("exit 1\n"), "{other}");
    assert!(is_empty(here.path()));

    assert!(install(&script, here.path(), &["--expect", &set]).starts_with("exit 0\n"));
    assert_eq!(read(here.path(), "skills/pdf/SKILL.md"), MAIN);
    assert_eq!(read(here.path(), "skills/pdf/references/more.md"), MORE);
    assert_eq!(std::fs::read_dir(here.path().join("skills")).unwrap().count(), 1, "nothing is left behind");
    let checked = crate::support::overt().args(["skill", "check"]).arg(here.path()).output().unwrap();
    assert!(report(&checked).starts_with("exit 0\n"));
    let again = install(&script, here.path(), &["--yes"]);
    assert!(again.starts_with("exit 2\n") && again.contains("is there already"), "{again}");
}

#[test]
fn another_version_is_shown_as_a_difference() {
    let here = TempDir::new().unwrap();
    assert!(install(&good(), here.path(), &["--yes"]).starts_with("exit 0\n"));
    std::fs::write(here.path().join("skills/pdf/mine.txt"), "mine").unwrap();
    let newer = MAIN.replace("# PDF\n", "# PDF files\n");
    let script = serving(&entry_of(&newer), &newer);
    let shown = install(&script, here.path(), &["--replace", "--dry-run", "--format", "text"]);
    for line in ["changed", "removed  mine.txt", "-# PDF\n", "+# PDF files\n"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(read(here.path(), "skills/pdf/SKILL.md"), MAIN);
    assert!(install(&script, here.path(), &["--replace", "--yes"]).starts_with("exit 0\n"));
    assert_eq!(read(here.path(), "skills/pdf/SKILL.md"), newer);
    assert!(!here.path().join("skills/pdf/mine.txt").exists());
    assert_eq!(std::fs::read_dir(here.path().join("skills")).unwrap().count(), 1, "nothing is left behind");
    let same = install(&script, here.path(), &["--replace", "--yes", "--format", "text"]);
    assert!(same.contains("the same files are there already"), "{same}");
}

#[test]
fn what_a_skill_wants_to_use_unasked_is_shown_and_granted_to_nobody() {
    let here = TempDir::new().unwrap();
    let main = MAIN.replace("---\n\n", "allowed-tools: Bash(rm:*) Read\n---\n\n");
    let mut listed = entry_of(&main);
    listed["frontmatter"]["allowed-tools"] = json!("Bash(rm:*) Read");
    let shown = install(&serving(&listed, &main), here.path(), &["--dry-run", "--format", "text"]);
    assert!(shown.contains("The skill wants to use without asking: Bash(rm:*) Read\n"), "{shown}");
}

#[test]
fn a_skill_that_readers_refuse_needs_its_digest() {
    let here = TempDir::new().unwrap();
    let main = MAIN.replace("Reads PDF", "Reads <b>PDF</b>");
    let mut listed = entry_of(&main);
    listed["frontmatter"]["description"] = json!("Reads <b>PDF</b> files. Use when asked for text.");
    let script = serving(&listed, &main);
    let refused = install(&script, here.path(), &["--yes"]);
    assert!(refused.starts_with("exit 1\n") && refused.contains("readers refuse the skill"), "{refused}");
    assert!(is_empty(here.path()));
    let set = set_of(&script, here.path(), &[]);
    assert!(install(&script, here.path(), &["--expect", &set]).starts_with("exit 0\n"));
}

#[test]
fn a_person_is_asked_and_enter_is_no() {
    for (answer, is_written) in [("", false), ("y", true)] {
        let here = TempDir::new().unwrap();
        let script = good();
        let mut command = script.overt(&["skill", "install", URI, "skills"]);
        let mut terminal = Terminal::start(command.current_dir(here.path()));
        terminal.wait_for("[y/N]");
        assert!(is_empty(here.path()));
        terminal.type_line(answer);
        let (code, screen) = terminal.finish();
        assert_eq!(code, 0, "{screen}");
        assert_eq!(here.path().join("skills/pdf/SKILL.md").exists(), is_written, "{screen}");
    }
}

/// A server that contradicts its own entry: nothing is written, and nothing more is requested.
#[test]
fn servers_that_lie_are_refused() {
    let listed = |change: &dyn Fn(&mut Value)| {
        let mut entry = entry();
        change(&mut entry);
        entry
    };
    let with_file = |uri: &str| listed(&|entry| entry["resources"][1]["uri"] = json!(uri));
    let many: Vec<Value> = (0..600).map(|at| file(&format!("f{at}"), "")).collect();
    let other_front = MAIN.replace("Reads PDF files", "Sends files away");
    let cases = [
        (serving(&entry(), &MAIN.replace("# PDF", "# PDG")), "its digest is"),
        (serving(&entry(), &format!("{MAIN}more")), "bytes, and the server lists"),
        (serving(&entry_of(&other_front), &other_front), "`description` differ"),
        (serving(&with_file("skill://pdf/../x"), MAIN), "has an empty part"),
        (serving(&with_file("skill://pdf/%2e%2e/x"), MAIN), "has an empty part"),
        (serving(&with_file("skill://pdf//etc/passwd"), MAIN), "has an empty part"),
        (serving(&with_file("skill://pdf/a%00b"), MAIN), "can't be seen"),
        (serving(&with_file("skill://other/x"), MAIN), "is outside of the directory"),
        (serving(&with_file("skill://pdf/skill.md"), MAIN), "in capitals only"),
        (serving(&with_file("skill://pdf/.git/hooks/post-checkout"), MAIN), "`.git`"),
        (
            serving(&listed(&|entry| entry["resources"][1]["size"] = json!(1_u64 << 40)), MAIN),
            "more than 16777216",
        ),
        (serving(&listed(&|entry| entry["resources"] = json!(many)), MAIN), "has 600 files"),
        (serving(&listed(&|entry| entry["resources"] = json!("dynamic")), MAIN), "can't be verified"),
        (
            serving(&listed(&|entry| entry["frontmatter"]["name"] = json!("other")), MAIN),
            "calls itself `other`",
        ),
        (
            serving(&listed(&|entry| entry["uri"] = json!("skill://x/pdf/SKILL.md")), MAIN),
            "answers with the skill",
        ),
        (
            serving(&listed(&|entry| entry["resources"][0]["digest"] = json!("md5:0")), MAIN),
            "64 lower-case digits",
        ),
        (scripted(&entry(), "answer '{\"contents\":[]}'"), "has 0 contents"),
        (
            scripted(&entry(), &format!("answer {}", quoted(&contents("skill://x", MAIN)))),
            "of another resource",
        ),
        (
            scripted(
                &entry(),
                "printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"text\":\"' \"$id\"; head -c 40000000 /dev/zero | tr '\\0' a; send '\"}}'",
            ),
            "",
        ),
        (Script::with_hello(r#"{"resources":{}}"#), "does not declare the extension"),
    ];
    for (script, problem) in cases {
        let here = TempDir::new().unwrap();
        let outcome = install(&script, here.path(), &["--yes"]);
        assert!(outcome.starts_with("exit 3\n"), "{problem}: {outcome}");
        assert!(outcome.contains(problem), "{problem}: {outcome}");
        assert!(is_empty(here.path()), "{problem}: something was written");
        assert!(!script.received().contains("more.md"), "{problem}: more was asked for");
    }
}

/// If the files change after the approval, the digest of the set differs, and nothing is written.
#[test]
fn a_skill_that_changes_after_the_look_is_not_written() {
    let here = TempDir::new().unwrap();
    let set = set_of(&good(), here.path(), &[]);
    let newer = MAIN.replace("# PDF\n", "# PDF files\n");
    let refused = install(&serving(&entry_of(&newer), &newer), here.path(), &["--expect", &set]);
    assert!(refused.starts_with("exit 1\n"), "{refused}");
    assert!(refused.contains("the skill has changed since you looked at it"), "{refused}");
    assert!(is_empty(here.path()));
}

#[test]
fn endless_pages_end() {
    let script = Script::with_hello(r#"{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}}"#)
        .on("skills/list", "n=$((n+1)); answer \"{\\\"skills\\\":[],\\\"nextCursor\\\":\\\"$n\\\"}\"");
    let outcome = script.run(&["list", "--kind", "skills"]);
    assert!(outcome.starts_with("exit 3\n"), "{outcome}");
    assert!(outcome.contains("pages"), "{outcome}");
}
