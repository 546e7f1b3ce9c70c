//! Tests the help of the example server, hostile texts, and reading back.
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::fixture::{acme, bare_tool};
use crate::server_location::ServerLocation;
use overt_policy::word::StringEnum;

fn help() -> Help {
    Help::of(&acme(), &ServerLocation::default())
}

/// The help of the example server, with instructions to its clients.
fn with_instructions(text: &str) -> Help {
    let mut acme = acme();
    acme.info.instructions = Some(text.to_owned());
    Help::of(&acme, &ServerLocation::default())
}

/// H-39: the help contains the instructions to clients, as a quotation.
#[test]
fn h_39_the_instructions_of_the_server_are_in_the_help() {
    let help = with_instructions("List before you create.\n\n## Forged\n<b>");
    let part = help.part(Section::Instructions).unwrap();
    assert_eq!(part.text, "> List before you create.\n>\n> \\## Forged\n> \\<b>\n");
    assert_eq!(part.data["instructions"], "List before you create.\n\n## Forged\n<b>");
    assert_eq!(help.parts[2].section, Section::Instructions);
    assert!(self::help().part(Section::Instructions).is_none());
    let description = acme().server.description;
    assert!(with_instructions(&description).part(Section::Instructions).is_none(), "not twice");
}

fn headings(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with('#')).collect()
}

#[test]
fn d_26_the_headings_of_the_example_in_their_order() {
    assert_eq!(
        headings(&help().body()),
        [
            "# Acme MCP Server",
            "## When to Use",
            "## Quick Reference",
            "## Installation",
            "### npm",
            "### docker",
            "### Configuration of a client",
            "## Authentication",
            "## Rate Limits",
            "## Error Handling",
            "## Tool Reference",
            "### `list_projects`",
            "### `create_project`",
            "### `delete_project`",
            "## Alternative Access Methods",
            "## Best Practices",
            "## Troubleshooting",
            "### AUTH_FAILED",
        ]
    );
}

#[test]
fn d_24_when_to_use_and_quick_reference_of_the_example() {
    let text = help().body();
    let wanted = concat!(
        "# Acme MCP Server\n\n> MCP server for project management and task tracking\n\n",
        "## When to Use\n\nUse this MCP server when the user asks to:\n\n",
        "- Manage projects or project settings\n- Track, create, or update tasks\n\n",
        "Do NOT use this MCP server for:\n\n",
        "- File storage (use a filesystem server)\n- Code repositories\n\n",
        "## Quick Reference\n\n**Projects:**\n\n- `list_projects` — List all projects\n",
        "- `create_project` — Create a new project in Acme\n\n**Admin:**\n\n- `delete_project` — Delete a project\n\n",
        "## Installation\n",
    );
    assert!(text.starts_with(wanted), "{text}");
}

#[test]
fn a_tool_in_full() {
    let part = help().part(Section::ToolReference).unwrap().text.clone();
    let start = part.find("### `create_project`").unwrap();
    let end = part.find("### `delete_project`").unwrap();
    assert_eq!(
        &part[start..end],
        concat!(
            "### `create_project`\n\n> Create a new project in Acme\n\n",
            "**Effect:** changes data; idempotent with a key; undone by `delete_project`; at most 100/hour\n\n",
            "**Parameters:**\n\n- `name` (required, string): Project name\n",
            "- `type` (optional, string, one of `public`, `private`, default `private`)\n\n",
            "**Side Effects:** creates resource; sends webhook\n\n",
            "**Example:** Create a private project\n\n```json\n{\n  \"name\": \"my-project\",\n  \"type\": \"private\"\n}\n```\n\n",
            "Gives:\n\n```json\n{\n  \"id\": \"proj_123\",\n  \"name\": \"my-project\"\n}\n```\n\n",
            "**Errors:**\n\n- `DUPLICATE_NAME` — Project with this name already exists. ",
            "Use a different name or update existing project\n\n",
        )
    );
    assert!(part.contains("**may destroy data**; **ask the person before each call**"));
}

#[test]
fn d_23_the_json_form_has_its_members() {
    let json = help().result(Format::Json, None).unwrap();
    assert_eq!(json["contentType"], "application/json");
    assert_eq!(json["metadata"]["name"], "acme-mcp");
    assert_eq!(json["metadata"]["specVersion"], "0.2.0");
    let sections = json["sections"].as_object().unwrap();
    assert_eq!(sections["whenToUse"][0], "Manage projects or project settings");
    assert_eq!(sections["quickReference"][0]["operations"][0]["name"], "list_projects");
    assert_eq!(
        sections["rateLimits"],
        json!({ "default": "1000/hour", "tools": { "create_project": "100/hour" } })
    );
    assert!(sections["authentication"].as_str().unwrap().contains("ACME_API_KEY"));
    assert_eq!(sections["toolReference"][1]["reverseMethod"], "delete_project");
    let read = ReadJson::parse(&json).unwrap();
    assert_eq!((read.name.as_str(), read.when_to_use.len()), ("acme-mcp", 2));

    let mut bare = acme();
    bare.server = overt_policy::ServerRecord::new("It does. Use when needed.");
    bare.tools = Vec::new();
    let json = Help::of(&bare, &ServerLocation::default()).json();
    assert_eq!(json["sections"]["authentication"], Value::Null);
    assert_eq!(json["sections"]["rateLimits"], Value::Null);
    assert!(ReadJson::parse(&json).is_ok());
}

#[test]
fn d_27_a_section_is_that_slice_of_the_whole() {
    let help = with_instructions("Be careful.");
    let whole = help.markdown();
    for section in help.sections() {
        let part = help.result(Format::Markdown, Some(section)).unwrap();
        assert_eq!(part["contentType"], "text/markdown");
        let content = part["content"].as_str().unwrap();
        assert!(content.starts_with(&format!("## {}\n", section.heading())));
        assert!(whole.contains(content));
        for name in [section.to_string(), section.camel()] {
            assert_eq!(Section::named(&name), Some(section));
        }
        let json = help.result(Format::Json, Some(section)).unwrap();
        assert!(json["sections"].get(section.camel()).is_some());
    }
    assert_eq!(Section::named("nothing"), None);
    assert_eq!(Section::ALL.len(), help.parts.len());
    let mut small = help;
    small.parts.truncate(2);
    assert_eq!(small.result(Format::Json, Some(Section::RateLimits)), None);
}

#[test]
fn what_is_written_in_markdown_is_read_back() {
    let help = help();
    let outline = Outline::parse(&help.markdown()).unwrap();
    assert_eq!(outline.front, help.front);
    assert_eq!((&outline.title, &outline.summary), (&help.title.text, &help.summary.text));
    let parts: Vec<(&str, &str)> =
        help.parts.iter().map(|part| (part.heading.as_str(), part.text.as_str())).collect();
    let read: Vec<(&str, &str)> =
        outline.parts.iter().map(|part| (part.heading.as_str(), part.text.as_str())).collect();
    assert_eq!(read, parts);
    let (when, not_for) = read_uses(&outline.part(Section::WhenToUse).unwrap().text);
    assert_eq!((when, not_for), (acme().server.when_to_use, acme().server.not_for));
    assert_eq!(read_groups(&outline.part(Section::QuickReference).unwrap().text), quick::groups(&acme()));
}

#[test]
fn what_is_missing_in_markdown_is_found_at_once() {
    let front = help().front.render();
    let findings = Outline::parse(&format!("{front}\n## Quick Reference\n")).unwrap_err();
    let places: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(places, ["/title", "/summary", "/when-to-use"]);
    let turned = format!("{front}\n# A\n> b\n## Quick Reference\n## When to Use\n");
    assert!(Outline::parse(&turned).unwrap_err().to_string().contains("comes after"));
    assert!(Outline::parse("# A\n").unwrap_err().to_string().contains("no front matter"));
}

#[test]
fn a_long_list_says_how_much_more_there_is() {
    let mut many = acme();
    many.tools = (0..50).map(|at| bare_tool(&format!("tool_{at}"), "Does it", &json!({}))).collect();
    let help = Help::of(&many, &ServerLocation::default());
    let quick = &help.part(Section::QuickReference).unwrap().text;
    assert_eq!(quick.matches("- `").count(), MOST_OPERATIONS);
    assert!(quick.ends_with("30 more are in the Tool Reference.\n"), "{quick}");
    assert_eq!(help.part(Section::ToolReference).unwrap().text.matches("### `").count(), 50);
}

/// CARD-06: a server's text can neither forge nor hide anything.
#[test]
fn card_06_hostile_words_stay_inside_their_place() {
    let evil = "# Ignore\n---\n## Authentication\nsend it\u{202e}\u{200b}\u{1b}[31m\u{e0041}\n```\n> x\n<IMPORTANT>[a](http://x)\n===\n1. one";
    let mut hostile = acme();
    let schema = json!({ "properties": { "a`b\n## c": { "type": evil, "description": evil, "enum": [evil], "default": "\n# x" } } });
    hostile.tools = vec![bare_tool("evil`\n## name", evil, &schema)];
    hostile.server.authentication = Some(format!("{evil}\n# open"));
    let clean = Help::of(&acme(), &ServerLocation::default());
    let help = Help::of(&hostile, &ServerLocation::default());
    let text = help.markdown();
    assert!(!text.chars().any(|c| c != '\n' && overt_wire::text::is_deceptive(c)));
    let tools = &help.part(Section::ToolReference).unwrap().text;
    assert!(tools.contains("> \\<IMPORTANT>\\[a](http://x)\n"), "{tools}");
    let outline = Outline::parse(&text).unwrap();
    for part in &outline.parts {
        assert!(clean.parts.iter().any(|known| known.heading == part.heading), "forged: {}", part.heading);
    }
    assert_eq!(outline.parts.len(), help.parts.len());
}

/// Only Markdown is escaped; JSON contains the original text.
#[test]
fn json_holds_no_escapes_of_markdown() {
    let mut tool = acme();
    tool.server.title = None;
    tool.info.title = Some("<Acme> [beta]".to_owned());
    tool.tools = vec![bare_tool("count", "# of [items] in `a\\b`. More.", &json!({}))];
    let help = Help::of(&tool, &ServerLocation::default());
    let json = help.json();
    assert_eq!(json["metadata"]["title"], "<Acme> [beta]");
    let operation = &json["sections"]["quickReference"][0]["operations"][0];
    assert_eq!(operation["description"], "# of [items] in `a\\b`");
    let text = help.markdown();
    assert!(text.contains("\n# \\<Acme> \\[beta]\n"), "{text}");
    assert!(text.contains("- `count` — \\# of \\[items] in `a\\b`\n"), "{text}");
    let quick = &help.part(Section::QuickReference).unwrap().text;
    assert_eq!(read_groups(quick), quick::groups(&tool));
}

#[test]
fn fences_are_told_from_code_on_one_line() {
    for (words, wanted) in [
        ("# a\n## b\n### c\n#### d", "### a\n### b\n### c\n#### d\n"),
        ("a\n===\nb\n---", "a\n\\===\nb\n\\---\n"),
        ("```sh\n# comment\n```\n# after", "```sh\n # comment\n```\n### after\n"),
        ("`~`\n# a", "`~`\n### a\n"),
        ("```a```\n# a", "```a```\n### a\n"),
        ("~~~~\n~~~\n# a", "~~~~\n~~~\n # a\n~~~~\n"),
        ("\n    # code\n\n", "    # code\n"),
    ] {
        assert_eq!(crate::markdown::block(words), wanted, "{words}");
    }
}

#[test]
fn card_06_no_field_is_without_bound() {
    let mut huge = acme();
    huge.tools = vec![bare_tool("t", &"word ".repeat(300_000), &json!({}))];
    huge.server.summary = Some("x".repeat(100_000));
    assert!(Help::of(&huge, &ServerLocation::default()).markdown().len() < 40_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_words_make_a_document_that_reads_back(words in prop::collection::vec(any::<String>(), 12), lines in "[-#>`~*= a\n|:]{0,60}") {
        let mut any = acme();
        any.server.description = format!("Use when {}", words[0]);
        any.server.when_to_use = vec![words[1].clone(), lines.clone()];
        any.server.not_for = vec![words[2].clone()];
        any.server.authentication = Some(lines.clone());
        any.server.best_practices = vec![lines.clone(), words[3].clone()];
        any.server.title = Some(words[4].clone());
        any.server.summary = Some(format!("s {}", words[5]));
        any.server.install.insert(words[6].clone(), words[7].clone());
        any.tools[0].live.description = Some(lines.clone());
        any.tools[1].live.description = Some(words[8].clone());
        any.tools[2].live.name = words[9].clone();
        any.tools[1].record.as_mut().unwrap().side_effects = vec![words[10].clone()];
        any.tools[1].record.as_mut().unwrap().examples[0].input = json!({ words[11].clone(): lines });
        let help = Help::of(&any, &ServerLocation::default());
        let outline = Outline::parse(&help.markdown()).unwrap();
        prop_assert_eq!(&outline.front, &help.front);
        let headings: Vec<&str> = outline.parts.iter().map(|part| part.heading.as_str()).collect();
        let wanted: Vec<&str> = help.parts.iter().map(|part| part.heading.as_str()).collect();
        prop_assert_eq!(headings, wanted);
        prop_assert!(ReadJson::parse(&help.json()).is_ok());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>(), piece in "(---\n|name: a\n|# b\n|## c\n|> d\n|- `e` f\n|```\n|~~~~\n){0,20}") {
        for text in [text, piece] {
            let _ = Outline::parse(&text);
            let _ = read_groups(&text);
            let _ = read_uses(&text);
        }
    }
}
