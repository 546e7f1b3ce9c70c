//! Tests the skill of the example server, and rejections.
use proptest::prelude::*;
use serde_json::{Value, json};

use super::check::{Files, Profile, Source, Violation};
use super::*;
use crate::ai_help::{Help, Outline};
use crate::fixture::{acme, bare_tool};
use crate::server_location::ServerLocation;
use crate::text_source::TextSource;
use overt_policy::finding::Severity;
use overt_policy::record::Trouble;

fn skill() -> Skill {
    ServerSkill::of(&acme(), &ServerLocation::default()).unwrap().skill
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
    let findings = ServerSkill::of(&bad, &ServerLocation::default()).unwrap_err();
    let places: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(places, ["/server/name", "/server/description"]);
}

/// D-29: the answer of `ai_help` is enough for a skill.
#[test]
fn d_29_a_skill_from_somebody_elses_help() {
    let help = Help::of(&acme(), &ServerLocation::default());
    let made = ServerSkill::of_outline(&Outline::parse(&help.markdown()).unwrap()).unwrap();
    let reference = made.tool_reference.clone().unwrap();
    for parameter in ["status", "limit", "name", "type", "id"] {
        assert!(reference.contains(&format!("- `{parameter}` (")), "{parameter}");
    }
    assert_passes(&made);
    let skill = made.skill;
    assert_eq!((skill.name.as_str(), &skill.description), ("acme-mcp", &help.front.description));
    assert!(skill.body.contains("- `create_project` — Create a new project in Acme\n"));
    assert!(skill.body.contains("```json\n{\n  \"mcpServers\""));
    assert_eq!(Skill::parse(&skill.render()), Ok(skill));
}

#[test]
fn the_instructions_stay_short_whatever_the_server_has() {
    let mut big = acme();
    big.tools = (0..1000).map(|at| bare_tool(&format!("tool_{at}"), "Does\nit", &json!({}))).collect();
    for count in [25, 32, 36, 40, 1000] {
        big.server.when_to_use = vec!["do this".to_owned(); count];
        big.server.best_practices = vec!["do that".to_owned(); count];
        big.server.authentication = Some("line\n".repeat(count));
        big.server.troubleshooting = vec![Trouble::default(); count / 6];
        big.server.install =
            (0..count / 6).map(|at| (format!("manager{at}"), "package".to_owned())).collect();
        let made = ServerSkill::of(&big, &ServerLocation::default()).unwrap();
        assert!(made.skill.body.lines().count() < 500);
        assert!(made.skill.body.contains("`tool_399`, and 600 more.\n"), "{}", made.skill.body);
        assert_eq!(made.tool_reference.unwrap().matches("### `tool_").count(), 1000);
    }
}

/// D-29: long signatures are not cut, and tools that do not fit go into a file beside the
/// instructions.
#[test]
fn d_29_no_parameter_is_cut() {
    let names =
        |count: usize| (0..count).map(|at| format!("a_rather_long_parameter_name_{at}")).collect::<Vec<_>>();
    let schema = |names: &[String]| {
        let members = names.iter().map(|name| (name.clone(), json!({ "type": "string" })));
        json!({ "type": "object", "properties": members.collect::<serde_json::Map<_, _>>() })
    };
    let mut some = acme();
    for (count, is_beside) in [(30, false), (800, true), (1200, true)] {
        let names = names(count);
        some.tools = vec![bare_tool("wide", "Takes much", &schema(&names))];
        let made = ServerSkill::of(&some, &ServerLocation::default()).unwrap();
        assert_eq!(made.tool_reference.is_some(), is_beside, "{count}");
        let text: String = made.files().into_iter().map(|(_, text)| text).collect();
        for name in names.iter().take(1000) {
            assert!(text.contains(name.as_str()), "{name} of {count}");
        }
        assert_eq!(text.contains("- and 200 more\n"), count == 1200);
        let json = Help::of(&some, &ServerLocation::default()).json();
        let tool = &json["sections"]["toolReference"][0];
        assert_eq!(tool.get("parametersOmitted"), (count == 1200).then(|| json!(200)).as_ref());
        assert_passes(&made);
    }
}

/// A server's own text is adapted to the rules; an author gets findings.
#[test]
fn the_words_of_a_server_make_a_skill_that_every_reader_takes() {
    let mut heard = acme();
    heard.source = TextSource::Server;
    for (words, wanted) in [
        (String::new(), "Use when one of its tools helps: list_projects, create_project, delete_project."),
        (
            "Sums".to_owned(),
            "Sums. Use when one of its tools helps: list_projects, create_project, delete_project.",
        ),
        ("Sums <b>up</b>. Use when asked.".to_owned(), "Sums < b>up< /b>. Use when asked."),
    ] {
        heard.server.description = words;
        let made = ServerSkill::of(&heard, &ServerLocation::default()).unwrap();
        assert_eq!(made.skill.description, wanted);
        assert_passes(&made);
    }
    heard.server.description = "word ".repeat(900);
    assert_passes(&ServerSkill::of(&heard, &ServerLocation::default()).unwrap());
}

/// Returns the errors and warnings of those readers that can all be satisfied at once.
fn minded(made: &ServerSkill) -> Vec<Violation> {
    const READERS: [Profile; 5] =
        [Profile::Spec, Profile::SkillsRef, Profile::ClaudeCode, Profile::AnthropicApi, Profile::Sep2640];
    let files = made.files();
    let mut paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    paths.sort();
    let bytes = files.iter().map(|(_, text)| text.len() as u64).sum();
    let source = Source {
        directory: &made.skill.name,
        file: "SKILL.md",
        bytes: files[0].1.as_bytes(),
        files: &Files { paths, bytes, ..Files::default() },
        tokens: None,
    };
    let mut report = check::check(&source);
    report.violations.retain(|violation| violation.severity(&READERS) >= Some(Severity::Warning));
    report.violations
}

fn assert_passes(made: &ServerSkill) {
    assert_eq!(minded(made), [], "{}", made.skill.render());
}

/// A schema with these members, some of them required, some of them in combined schemas.
fn schema() -> impl Strategy<Value = (Vec<String>, Value)> {
    let name = prop_oneof!["[a-z_]{1,12}", "\\PC{1,30}", any::<String>()];
    (prop::collection::vec((name, any::<bool>(), 0..3_u8), 0..16)).prop_map(|members| {
        let mut parts = [(); 3].map(|()| serde_json::Map::new());
        let mut required = Vec::new();
        for (name, is_required, part) in &members {
            parts[usize::from(*part)].insert(name.clone(), json!({ "type": "string" }));
            required.extend(is_required.then(|| name.clone()));
        }
        let [own, all, one] = parts.map(Value::from);
        let schema = json!({
            "type": "object", "properties": own, "required": required,
            "allOf": [{ "$ref": "#/$defs/all" }], "oneOf": [{ "properties": one }],
            "$defs": { "all": { "properties": all } },
        });
        (members.into_iter().map(|(name, ..)| name).collect(), schema)
    })
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
        let skill = ServerSkill::of(&any, &ServerLocation::default()).unwrap().skill;
        let text = skill.render();
        prop_assert_eq!(text.splitn(3, "---").nth(2).map(|body| body.starts_with("\n\n# ")), Some(true));
        prop_assert_eq!(Skill::parse(&text), Ok(skill));
    }

    /// D-29.
    #[test]
    fn d_29_any_skill_passes_and_names_every_tool_and_parameter(
        tools in prop::collection::vec((any::<String>(), any::<String>(), schema()), 0..130),
        words in prop::collection::vec(any::<String>(), 4),
        source in prop::sample::select(&[TextSource::Author, TextSource::Server][..]),
    ) {
        let mut any = acme();
        any.source = source;
        any.server.description = match source {
            TextSource::Author => format!("Use when {}", words[0].replace('<', "")),
            TextSource::Server => words[0].clone(),
        };
        any.server.license = Some(words[1].clone());
        any.info.version = words[2].clone();
        any.info.title = Some(words[3].clone());
        any.tools = tools.iter().map(|(name, text, (_, schema))| bare_tool(name, text, schema)).collect();
        let made = ServerSkill::of(&any, &ServerLocation::default()).unwrap();
        prop_assert_eq!(minded(&made), []);
        let text: String = made.files().into_iter().map(|(_, text)| text).collect();
        for (tool, _, (parameters, _)) in &tools {
            for name in parameters.iter().chain([tool]) {
                let shown = crate::markdown::name(name).replace('`', "'");
                prop_assert!(text.contains(&shown), "{shown} of {tool}");
            }
        }
    }
}
