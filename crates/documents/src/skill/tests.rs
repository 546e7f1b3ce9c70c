//! The skill of the example server, and what is refused.
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::ai_help::{Help, Outline};
use crate::fixture::{acme, bare_tool};
use crate::place::Place;
use overt_policy::record::Trouble;

fn skill() -> Skill {
    Skill::of(&acme(), &Place::default()).unwrap()
}

#[test]
fn the_example_as_a_skill() {
    let text = skill().render();
    let wanted = concat!(
        "---\nname: acme-mcp\ndescription: >-\n",
        "  MCP server for Acme project management. Use when user asks to manage projects, track tasks, or\n",
        "  collaborate with team members.\n",
        "license: MIT\n",
        "compatibility: \"Needs the MCP server acme-mcp (npm: @acme/mcp-server) and the environment variables ACME_API_KEY\"\n",
        "metadata:\n  mcp-server: acme-mcp\n  mcp-server-version: \"1.0.0\"\n  homepage: https://acme.com\n",
        "  dashdash-spec-version: \"0.2.0\"\n---\n\n# Acme MCP Server\n",
    );
    assert!(text.starts_with(wanted), "{text}");
    let tools = concat!(
        "## Tools\n\n- `list_projects(status?, limit?)` — List all projects (reads only)\n",
        "- `create_project(name, type?)` — Create a new project in Acme (changes data)\n",
        "- `delete_project(id)` — Delete a project (**destructive**)\n\n",
        "**Caution:** ask the person before each call of `delete_project`.\n",
    );
    assert!(text.contains(tools), "{text}");
    assert_eq!(Skill::parse(&text), Ok(skill()));
}

/// X-18 and F-01.
#[test]
fn x_18_names_that_every_reader_takes() {
    for name in ["a", "acme-mcp", "a1-2b", &"a".repeat(64)] {
        assert!(is_skill_name(name), "{name}");
    }
    for name in
        ["", "1a", "-a", "a-", "a--b", "A", "a_b", "a.b", "claudette", "my-anthropic", "ä", &"a".repeat(65)]
    {
        assert!(!is_skill_name(name), "{name}");
    }
}

/// F-02 and F-03.
#[test]
fn f_02_what_is_wrong_is_found_at_once() {
    let text = "---\nname: a--b\ndescription: a <b>tag</b>\nversion: 1\nmetadata:\n  number: 1\n---\n";
    let findings = Skill::parse(text).unwrap_err();
    let places: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(places, ["/metadata/number", "/version", "/name", "/description"]);
    for (length, ok) in [(1024, true), (1025, false), (0, false)] {
        let text = format!("---\nname: a\ndescription: \"{}\"\n---\n", "ä".repeat(length));
        assert_eq!(Skill::parse(&text).is_ok(), ok, "{length}");
    }
    assert!(
        Skill::parse("---\nname: a\ndescription: 1 < 2 and 3 > 2\nallowed-tools:\n  - Read\n---\n").is_ok()
    );
}

#[test]
fn a_declaration_that_makes_no_skill_says_what_to_change() {
    let mut bad = acme();
    bad.name = "claude-tools".to_owned();
    bad.server.description = "word ".repeat(300);
    let findings = Skill::of(&bad, &Place::default()).unwrap_err();
    let places: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(places, ["/server/name", "/server/description"]);
}

/// D-29: what `ai_help` answers is enough for a skill.
#[test]
fn d_29_a_skill_from_somebody_elses_help() {
    let help = Help::of(&acme(), &Place::default());
    let skill = Skill::of_outline(&Outline::parse(&help.markdown()).unwrap()).unwrap();
    assert_eq!((skill.name.as_str(), &skill.description), ("acme-mcp", &help.front.description));
    assert!(skill.body.contains("- `create_project` — Create a new project in Acme\n"));
    assert!(skill.body.contains("```json\n{\n  \"mcpServers\""));
    assert_eq!(Skill::parse(&skill.render()), Ok(skill));
}

#[test]
fn the_instructions_stay_short_whatever_the_server_has() {
    let mut big = acme();
    big.tools = (0..1000).map(|at| bare_tool(&format!("tool_{at}"), "Does\nit", json!({}))).collect();
    for count in [25, 32, 36, 40, 1000] {
        big.server.when_to_use = vec!["do this".to_owned(); count];
        big.server.best_practices = vec!["do that".to_owned(); count];
        big.server.authentication = Some("line\n".repeat(count));
        big.server.troubleshooting = vec![Trouble::default(); count / 6];
        big.server.install =
            (0..count / 6).map(|at| (format!("manager{at}"), "package".to_owned())).collect();
        let skill = Skill::of(&big, &Place::default()).unwrap();
        assert!(skill.body.lines().count() < 500);
        assert!(skill.body.contains("and 880 more"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(words in prop::collection::vec(any::<String>(), 5), lines in "[-#>`* a\n:]{0,40}") {
        let mut any = acme();
        any.server.description = format!("Use when {}", words[0].replace('<', ""));
        any.server.license = Some(words[1].clone());
        any.server.requires.env = vec![words[2].clone()];
        any.info.version = words[3].clone();
        any.server.best_practices = vec![lines.clone(), words[4].clone()];
        any.tools[0].live.description = Some(lines);
        let skill = Skill::of(&any, &Place::default()).unwrap();
        let text = skill.render();
        prop_assert_eq!(text.splitn(3, "---").nth(2).map(|body| body.starts_with("\n\n# ")), Some(true));
        prop_assert_eq!(Skill::parse(&text), Ok(skill));
    }
}
