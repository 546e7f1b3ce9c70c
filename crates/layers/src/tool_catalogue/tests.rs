//! What the catalogue remembers of lists, and what it forgets.
use super::*;

fn tool(name: &str, description: &str) -> String {
    format!(r#"{{"name":"{name}","description":"{description}"}}"#)
}

fn note(catalogue: &ToolCatalogue, tool: &str) {
    catalogue.note("server", &|_| None, Json::parse(tool).unwrap());
}

fn list(catalogue: &ToolCatalogue, generation: u64, tools: &[String]) {
    let tools = tools.iter().map(|tool| Json::parse(tool).unwrap());
    let list = WholeList { at: Instant::now(), has_tools: true };
    catalogue.replace("server", &|_| None, tools, (generation, list));
}

#[test]
fn a_tool_is_unchanged_as_long_as_its_definition_is() {
    let catalogue = ToolCatalogue::default();
    list(&catalogue, 0, &[tool("a", "one"), tool("b", "one")]);
    let (a, b) = (catalogue.last_listed("a").unwrap(), catalogue.last_listed("b").unwrap());
    list(&catalogue, 0, &[tool("a", "one"), tool("b", "two")]);
    assert!(catalogue.is_unchanged("a", &a));
    assert!(!catalogue.is_unchanged("b", &b));
    note(&catalogue, &tool("a", "two"));
    assert!(!catalogue.is_unchanged("a", &a));
    list(&catalogue, 0, &[]);
    assert!(catalogue.last_listed("a").is_none());
}

#[test]
fn tools_are_current_in_the_generation_of_the_last_whole_list() {
    let catalogue = ToolCatalogue::default();
    assert!(catalogue.recent_list(0).is_none());
    list(&catalogue, 3, &[tool("a", "one")]);
    assert!(catalogue.current(3, "a").is_some() && catalogue.recent_list(3).is_some());
    // After an announcement of changes, what was listed before proves nothing.
    assert!(catalogue.current(4, "a").is_none() && catalogue.recent_list(4).is_none());
    assert!(catalogue.last_listed("a").is_some());
}

#[test]
fn the_digest_of_the_server_follows_its_tools() {
    let catalogue = ToolCatalogue::default();
    list(&catalogue, 0, &[tool("a", "one"), tool("b", "one")]);
    let before = catalogue.server_digest();
    list(&catalogue, 0, &[tool("b", "one"), tool("a", "one")]);
    assert_eq!(catalogue.server_digest(), before);
    note(&catalogue, &tool("b", "two"));
    assert_ne!(catalogue.server_digest(), before);
}
