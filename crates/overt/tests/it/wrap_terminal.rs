//! The questions of `overt wrap` at a terminal.
use crate::terminal::{Terminal, settled};
use crate::wrap::{json_entry, with_site};

const FILE: &str = r#"{"mcpServers":{"a":{"command":"sh","args":["SCRIPT"]},"b":{"command":"/nonexistent/server"},"c":{"command":"sh","args":["SCRIPT","@modelcontextprotocol/server-filesystem","."]}}}"#;

#[test]
fn each_server_is_introduced_and_asked_about_once() {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FILE);
    let mut terminal = Terminal::start(&mut home.command_in("site", &["wrap", ".mcp.json"]));
    terminal.wait_for("1 says that it only reads: look");
    terminal.wait_for("1 can change something: change");
    terminal.wait_for("[?]");
    terminal.type_line("?");
    terminal.wait_for("Every call is in the log");
    terminal.wait_for("nothing is written");
    let own_files = "Overt's own file server serves the same folders";
    assert!(!terminal.screen().contains(own_files), "the help is about what can be answered");
    terminal.type_line("e");
    terminal.wait_for("it does not start from here");
    terminal.type_line("s");
    terminal.wait_for("use [o]vert fs in its place");
    terminal.type_line("?");
    terminal.wait_for(own_files);
    terminal.type_line("o");
    terminal.wait_for("Write this?");
    terminal.type_line("y");
    let (code, screen) = terminal.finish();
    let screen = settled(&screen);
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("scripted 1.2.3, 2 tools, "), "{screen}");
    assert!(screen.contains("`overt unwrap .mcp.json` puts everything back."), "{screen}");
    let file = home.read("site/.mcp.json");
    assert!(file.contains(r#""args":["run", "--name", "a", "--", "sh", "#), "{file}");
    assert!(file.contains(r#""b":{"command":"/nonexistent/server"}"#), "{file}");
    assert!(file.contains(r#""args":["fs", "."]"#), "{file}");
    assert!(home.read(".config/overt/overt.toml").contains("trust = \"everything\""));
    // Whatever replaced it, the original server is restored.
    home.site(&["unwrap", "--yes"]).succeeds();
    assert_eq!(home.read("site/.mcp.json"), before);
}

/// A-09: answering in a terminal that an agent may have opened does not prove that a person
/// answers.
#[test]
fn a_09_asking_nothing_is_for_a_person_to_decide() {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FILE);
    let mut terminal = Terminal::start(&mut home.command_in("site", &["wrap", ".mcp.json", "--server", "a"]));
    terminal.wait_for("[?]");
    terminal.type_line("n");
    terminal.wait_for("Write this?");
    terminal.type_line("y");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 3, "{screen}");
    assert_eq!(home.read("site/.mcp.json"), before);
    assert!(!home.path(".config/overt/overt.toml").exists());
}

/// V-03: a decision covers the definitions that were shown, and here they were.
#[test]
fn v_03_what_was_shown_when_a_server_was_wrapped_runs_unasked() {
    let home = with_site();
    home.write_entries("site/.mcp.json", FILE);
    let mut terminal = Terminal::start(&mut home.command_in("site", &["wrap", ".mcp.json", "--server", "a"]));
    terminal.wait_for("[?]");
    terminal.type_line("");
    terminal.wait_for("Write this?");
    terminal.type_line("y");
    assert_eq!(terminal.finish().0, 0);
    let call = |tool: &str| {
        let words = json_entry(&home.read("site/.mcp.json"), &["mcpServers", "a"]);
        let mut arguments = vec!["call", tool, "--"];
        arguments.extend(words.iter().map(String::as_str));
        home.site(&arguments)
    };
    call("look").succeeds();
    call("change").exits(1, &[]);
}

#[test]
fn a_no_writes_nothing() {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FILE);
    let mut terminal = Terminal::start(&mut home.command_in("site", &["wrap", ".mcp.json", "--server", "a"]));
    terminal.wait_for("[?]");
    terminal.type_line("");
    terminal.wait_for("Write this?");
    terminal.type_line("n");
    let (code, screen) = terminal.finish();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(home.read("site/.mcp.json"), before);
    assert!(!home.path(".config/overt/overt.toml").exists());
}
