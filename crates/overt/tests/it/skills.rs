//! `overt skills`: serves skills over standard input and output, and reports errors before it
//! starts.
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::output::CommandOutput;
use crate::support::{file, overt, report, run_with_stdin};

fn write(at: &Path, path: &str, text: &str) {
    std::fs::create_dir_all(at.join(path).parent().unwrap()).unwrap();
    file(at, path, text);
}

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use when asked for {name}.\n---\n\n# {name}\n")
}

const REPOSITORY: &str =
    "x-personal-mcp:\n  id: csv\n  version: 1.0.0\n  capabilities:\n    - resource://skills/csv/document\n";

/// Sends the messages of a legacy client, then ends the input.
fn asked(here: &TempDir, arguments: &[&str], requests: &[&str]) -> CommandOutput {
    let opening = [
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    ];
    let lines: Vec<&str> = opening.iter().chain(requests).copied().collect();
    run_with_stdin(&mut command(here, arguments), &(lines.join("\n") + "\n"))
}

fn command(here: &TempDir, arguments: &[&str]) -> Command {
    let mut command = overt();
    command.current_dir(here.path()).env("OVERT_STATE_DIR", here.path().join("state"));
    command.arg("skills").args(arguments);
    command
}

/// Starts it without input, for cases in which it fails before it reads any.
fn refused(here: &TempDir, arguments: &[&str]) -> CommandOutput {
    report(&command(here, arguments).output().unwrap())
}

#[test]
fn skills_are_served_and_a_broken_one_is_told() {
    let here = TempDir::new().unwrap();
    write(here.path(), "skills/pdf/SKILL.md", &skill("pdf"));
    write(here.path(), "skills/bad/SKILL.md", &skill("other"));
    let said = asked(
        &here,
        &["skills"],
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"skills/list"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"skill://pdf/SKILL.md"}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#,
        ],
    )
    .exits(
        0,
        &[
            r#""io.modelcontextprotocol/skills":{"directoryRead":true}"#,
            r#""skills":[{"uri":"skill://pdf/SKILL.md","frontmatter":{"name":"pdf""#,
            "# pdf\\n",
            "serving 1 skill",
            "skills/bad/SKILL.md: name: `other` is not the name of the directory",
        ],
    );
    // Tools are served only on request.
    assert!(said.contains("-32601"), "{said}");
}

#[test]
fn tools_and_prompts_are_there_if_they_are_asked_for() {
    let here = TempDir::new().unwrap();
    write(here.path(), "pdf/SKILL.md", &skill("pdf"));
    let said = asked(
        &here,
        &["pdf", "--tools", "--prompts"],
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_skill","arguments":{"skill":"pdf"}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"use_skill","arguments":{"name":"pdf"}}}"#,
        ],
    );
    assert_eq!(said.matches("# pdf\\n").count(), 2, "{said}");
}

#[test]
fn f_16_what_breaks_the_contract_is_named_and_nothing_is_served() {
    let here = TempDir::new().unwrap();
    write(here.path(), "skills/pdf/SKILL.md", &skill("pdf"));
    let broken = skill("csv").replace("\n---\n\n", &format!("\n{REPOSITORY}---\n\n")).replace("1.0.0", "one");
    write(here.path(), "skills/csv/SKILL.md", &broken);
    let said = refused(&here, &["skills"])
        .exits(1, &["skills/csv/SKILL.md: x-personal-mcp.version: `one` is not a semantic version"]);
    assert!(!said.contains("--- stdout") && !said.contains("serving"), "{said}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let here = TempDir::new().unwrap();
    refused(&here, &["none"]).exits(2, &["`none` can't be opened"]);
}
