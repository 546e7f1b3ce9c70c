//! The text for a person who starts a server at a terminal, where it waits for a client.
use overt_wire::json::Object;

use overt_operator::text::shell_word;

use super::safe::one_line;

/// Says what is served, and how to connect clients. `words` is the command that starts the server
/// again.
pub(crate) fn connect_text(name: &str, what: &[String], words: &[String]) -> String {
    let [program, arguments @ ..] = words else { return String::new() };
    let entry = |object: Object| object.string("command", program).value("args", &arguments);
    let plain = entry(Object::new()).finish();
    let named = entry(Object::new().string("name", name)).finish();
    let servers = Object::new().json(name, plain.as_json()).finish();
    let file = Object::new().json("mcpServers", servers.as_json()).finish();
    let command: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    let lines = [
        "this is an MCP server; it waits for a client on standard input, and Ctrl-C ends it".to_owned(),
        what.iter().map(|line| format!("  {}", one_line(line))).collect::<Vec<_>>().join("\n"),
        "to connect:".to_owned(),
        format!("  Claude Code              claude mcp add {name} -- {}", one_line(&command.join(" "))),
        format!("  VS Code                  code --add-mcp {}", one_line(&shell_word(named.as_str()))),
        format!("  Claude Desktop, Cursor   {}", one_line(file.as_str())),
    ];
    lines.join("\n")
}
