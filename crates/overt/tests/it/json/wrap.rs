//! `overt wrap`, `overt unwrap` and `overt doctor`, on files of several clients.
use super::transcript::Transcript;
use crate::wrap::{FIXTURES, VSCODE, alone_with_claude_desktop, with_site};

#[test]
fn wrap() {
    let _alone = alone_with_claude_desktop();
    let home = with_site();
    let mut transcript = Transcript::default();
    let mut run = |words: &[&str]| {
        transcript.run(&mut home.command_in("site", words));
    };
    run(&["wrap", "--dry-run"]);
    run(&["unwrap", "--dry-run"]);
    run(&["doctor"]);
    home.write_entries(FIXTURES[0].path, FIXTURES[0].text);
    home.write_entries(FIXTURES[10].path, FIXTURES[10].text);
    home.write_entries("site/.vscode/mcp.json", VSCODE);
    home.write_entries("broken.json", "{");
    run(&["doctor", "--no-start"]);
    run(&["wrap", "--dry-run"]);
    run(&["wrap"]);
    run(&["wrap", "--yes", "--server", "b"]);
    run(&["wrap", "--yes", "nothing"]);
    run(&["wrap", "--yes", "../broken.json"]);
    run(&["wrap", "--yes"]);
    run(&["wrap", "--yes"]);
    run(&["doctor", "--no-start"]);
    run(&["doctor", "nothing"]);
    home.write_entries(".claude/settings.json", r#"{"hooks":{"Elicitation":[]}}"#);
    run(&["doctor"]);
    run(&["unwrap", "--dry-run"]);
    run(&["unwrap", "--yes", "--server", "b"]);
    run(&["unwrap", "--yes"]);
    run(&["unwrap", "--yes"]);
    transcript.matches("wrap");
}
