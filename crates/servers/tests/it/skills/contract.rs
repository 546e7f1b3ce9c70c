//! Which problems prevent the start, and which do not (F-14 to F-18).
use overt_servers::skills::SkillsError;
use serde_json::json;

use super::kit::{repository, skill, uris};
use crate::stage::Stage;

fn refused(stage: &Stage) -> String {
    match stage.try_skills(|_| (), None) {
        Err(error @ SkillsError::Contract(_)) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it started"),
    }
}

#[tokio::test]
async fn f_14_a_skill_that_breaks_the_contract_ends_the_start() {
    let cases = [
        (
            repository("a", "").replace("1.2.0", "1.0"),
            "skills/a/SKILL.md: x-personal-mcp.version: `1.0` is not a semantic version",
        ),
        (
            repository("a", "  references:\n    r:\n      path: references/none.md\n"),
            "skills/a/SKILL.md: x-personal-mcp.references.r.path: `references/none.md` is not there",
        ),
        (
            repository("a", "  depends_on:\n    - other\n"),
            "skills/a/SKILL.md: x-personal-mcp.depends_on: `other` is not a skill here",
        ),
        (
            repository("a", "  depends_on:\n    - a\n"),
            "skills/a/SKILL.md: x-personal-mcp.depends_on: `a` depends on itself",
        ),
        (
            repository("a", "    - resource://skills/a/references/none\n"),
            "skills/a/SKILL.md: x-personal-mcp.capabilities: `resource://skills/a/references/none` stands for nothing",
        ),
        (
            repository("a", "").replace("id: a", "id: b"),
            "skills/a/SKILL.md: x-personal-mcp.id: `b` is not the name of the skill",
        ),
    ];
    for (text, expected) in cases {
        let stage = Stage::new();
        stage.skill("good");
        stage.write("a/SKILL.md", text);
        let error = refused(&stage);
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn f_17_two_skills_with_one_id_end_the_start() {
    let stage = Stage::new();
    stage.write("x/a/SKILL.md", repository("a", ""));
    stage.write("y/a/SKILL.md", repository("a", ""));
    let error = refused(&stage);
    for path in ["skills/x/a/SKILL.md", "skills/y/a/SKILL.md"] {
        assert!(
            error.contains(&format!("{path}: x-personal-mcp.id: `a` is the id of another skill too")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn capabilities_may_name_everything_that_is_served() {
    let stage = Stage::new();
    let more = "    - resource://skills/a/references/r\n    - resource://catalog/skills_index\n    - resource://catalog/skills/a\n    \
                - skill://a/SKILL.md\n  references:\n    r:\n      path: ./references//r.md\n";
    stage.write("a/SKILL.md", repository("a", more));
    stage.write("a/references/r.md", "# R\n");
    let client = stage.skills(|_| ());
    assert_eq!(client.text_of("resource://skills/a/references/r").await, "# R\n");
}

/// A broken skill is reported and left out. The others are served.
#[tokio::test]
async fn a_broken_skill_takes_no_other_away() {
    let stage = Stage::new();
    let good = stage.skill("good");
    let front = |lines: &str| format!("---\n{lines}\n---\nx\n");
    let deep = (0..100).map(|depth| format!("{}x:\n", " ".repeat(depth))).collect::<String>();
    let broken = [
        ("no-front", "# nothing\n".to_owned()),
        ("wrong-name", skill("other", "x")),
        ("no-description", front("name: no-description")),
        ("unclosed", "---\nname: unclosed\n".to_owned()),
        ("root_dirs", front("name: root_dirs\ndescription: &a Use it.\nx: *a")),
        ("bomb", front("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nname: bomb\ndescription: Use it.")),
        ("deep", front(&format!("name: deep\ndescription: Use it.\n{deep}"))),
        ("twice", front("name: twice\nname: twice\ndescription: Use it.")),
        ("long", front(&format!("name: long\ndescription: Use it.\nx: {}", "y".repeat(70_000)))),
    ];
    for (name, text) in &broken {
        stage.write(&format!("{name}/SKILL.md"), text);
    }
    // Control characters are escaped wherever they are shown. They don't keep a skill from being
    // served.
    let control = front("name: control\ndescription: \"Use\u{1b}[2J it.\"");
    stage.write("control/SKILL.md", &control);
    stage.write("bytes/SKILL.md", [b'-', b'-', b'-', b'\n', 0xff, 0xfe]);
    stage.write("lower/skill.md", skill("lower", "x"));
    stage.write("huge/SKILL.md", skill("huge", &"x".repeat(1 << 20)));
    let client = stage.skills(|options| options.tools = true);
    assert_eq!(uris(&client.list_skills().await), ["skill://control/SKILL.md", "skill://good/SKILL.md"]);
    assert_eq!(client.text_of("skill://control/SKILL.md").await, control);
    assert_eq!(client.text_of("skill://good/SKILL.md").await, good);
    let told = client.call("list_skills", json!({})).await.value()["findings"].to_string();
    for name in broken.iter().map(|(name, _)| *name).chain(["bytes", "lower", "huge"]) {
        assert!(told.contains(&format!("\"{name}/")), "{name}: {told}");
        assert_eq!(client.modern().refused("skills/get", &format!("skill://{name}/SKILL.md")).await, -32602);
    }
    assert!(!told.contains(stage.root.to_str().unwrap()), "{told}");
}

/// If two folders have a skill with the same path, the first one gets the address.
#[tokio::test]
async fn one_address_stands_for_one_file() {
    let stage = Stage::new();
    let first = stage.skill("same");
    let second = stage.open_folder("second");
    std::fs::create_dir_all(second.join("same")).unwrap();
    std::fs::write(second.join("same/SKILL.md"), skill("same", "other")).unwrap();
    let client = stage.skills(|options| {
        let root = overt_servers::skills::Root { path: second.clone(), shown: "second".to_owned() };
        (options.tools, options.roots) = (true, [options.roots.clone(), vec![root]].concat());
    });
    assert_eq!(client.list_skills().await.len(), 1);
    assert_eq!(client.text_of("skill://same/SKILL.md").await, first);
    let told = client.call("list_skills", json!({})).await.value()["findings"].to_string();
    assert!(told.contains("is the address of another file already"), "{told}");
}

/// Metadata beside the front matter changes nothing (F-18).
#[tokio::test]
async fn f_18_a_sidecar_changes_nothing() {
    let stage = Stage::new();
    stage.write("a/SKILL.md", repository("a", ""));
    let before = stage.skills(|_| ()).list_skills().await[0]["frontmatter"].clone();
    stage.write("a/metadata.yaml", "id: other\n");
    assert_eq!(stage.skills(|_| ()).list_skills().await[0]["frontmatter"], before);
}
