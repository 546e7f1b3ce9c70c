//! `overt wrap` where an administrator allows or denies servers.
use std::fs;

use crate::output::CommandOutput;
use crate::support::report;
use crate::wrap::with_site;

const FILE: &str = r#"{"mcpServers":{"a":{"command":"sh","args":["SCRIPT"]}}}"#;

/// Returns what `overt wrap --yes` prints with this file in the administrator's folder, and whether
/// the client's file is unchanged.
fn wrapped_with(name: &str, text: &str) -> (CommandOutput, bool) {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FILE);
    home.write_entries(&format!("managed/{name}"), text);
    let mut command = home.command_in("site", &["wrap", "--yes"]);
    command.env("OVERT_MANAGED_DIR", home.path("managed")).env_remove("OVERT_FORMAT");
    let said = report(&command.output().unwrap());
    (said, home.read("site/.mcp.json") == before)
}

#[test]
fn a_list_that_can_t_be_read_is_not_taken_for_no_list() {
    for text in ["{", r#"{"deniedMcpServers":"all"}"#, r#"{"deniedMcpServers":[{"command":"sh"}]}"#] {
        let (said, is_unchanged) = wrapped_with("managed-settings.json", text);
        assert!(is_unchanged, "{text}: {said}");
        assert!(said.contains("an administrator's list can't be read"), "{text}: {said}");
        assert!(said.contains("managed-settings.json: "), "the file and the cause are named: {said}");
        assert!(said.contains("there is nothing to wrap"), "{said}");
    }
    let (said, is_unchanged) = wrapped_with("managed-settings.json", "{}");
    assert!(!is_unchanged, "a list that says nothing about servers is in nobody's way: {said}");
}

#[test]
fn a_list_that_can_be_read_counts() {
    let (said, is_unchanged) =
        wrapped_with("managed-settings.json", r#"{"deniedMcpServers":[{"serverName":"a"}]}"#);
    assert!(is_unchanged && said.contains("an administrator's list denies it"), "{said}");
    let (said, is_unchanged) = wrapped_with("managed-mcp.json", "{}");
    assert!(is_unchanged && said.contains("allows its exact command"), "{said}");
}

/// A link to itself gives an error other than "no such file", even for root. A missing permission
/// does the same for other users.
#[test]
fn a_list_that_can_t_be_opened_is_not_taken_for_no_list() {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FILE);
    fs::create_dir(home.path("managed")).unwrap();
    let loops = home.path("managed/managed-settings.json");
    std::os::unix::fs::symlink(&loops, &loops).unwrap();
    let mut command = home.command_in("site", &["wrap", "--yes"]);
    command.env("OVERT_MANAGED_DIR", home.path("managed")).env_remove("OVERT_FORMAT");
    let said = report(&command.output().unwrap());
    assert!(said.contains("an administrator's list can't be read"), "{said}");
    assert_eq!(home.read("site/.mcp.json"), before);
}
