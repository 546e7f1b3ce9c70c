//! Seed 001 from outside.
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::peer::Peer;
use crate::support::{file, overt};

/// A skill with the block of a repository, and one warning: a tag that is not in kebab case.
fn skill(place: &TempDir, id: &str) {
    let folder = place.path().join(id);
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "---\nname: {id}\ndescription: Does something. Use when asked.\nx-personal-mcp:\n  id: {id}\n  version: 1.0.0\n  tags:\n    - Not Kebab\n  capabilities:\n    - resource://skills/{id}/document\n---\n\n# A skill\n"
    );
    file(&folder, "SKILL.md", &text);
}

/// F-01, X-18: the names that only the contract of a repository allows are served, with a warning.
#[test]
fn f_01_x_18_hyphens_that_the_contract_allows_are_served() {
    let place = TempDir::new().unwrap();
    for id in ["a--b", "a-"] {
        skill(&place, id);
    }
    Peer::in_each(place.path(), &["skills", "."], &Value::Null, |peer| {
        for id in ["a--b", "a-"] {
            let uri = format!("resource://skills/{id}/document");
            let read = peer.ask("resources/read", json!({ "uri": uri }));
            let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{read}"));
            assert!(text.contains(&format!("name: {id}")), "{text}");
        }
    });
}

/// F-15: `overt skills` says at its start what is not critical, and serves the skill.
#[test]
fn f_15_the_start_names_what_is_not_critical() {
    let place = TempDir::new().unwrap();
    skill(&place, "a--b");
    file(&place.path().join("a--b"), "metadata.yaml", "tags: []\n");
    let mut command = overt();
    command.args(["skills", "."]).current_dir(place.path());
    let state = TempDir::new().unwrap();
    command.env("OVERT_STATE_DIR", state.path());
    let said = Client::start_as("test", command).report().to_string();
    for part in ["Not Kebab", "hyphen", "metadata.yaml", "serving 1 skill"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

/// F-19, F-22, X-28: references are found by their names, tags and version are where FastMCP has
/// them, and both addresses of a skill give the same bytes.
#[test]
fn f_19_f_22_x_28_a_skill_has_its_references_and_both_addresses() {
    let place = TempDir::new().unwrap();
    skill(&place, "notes");
    let references = place.path().join("notes/references");
    std::fs::create_dir(&references).unwrap();
    file(&references, "more.md", "# More\n");
    Peer::in_each(place.path(), &["skills", "."], &Value::Null, |peer| {
        let mut text = |uri: &str| {
            let read = peer.ask("resources/read", json!({ "uri": uri }));
            read["result"]["contents"][0]["text"]
                .as_str()
                .unwrap_or_else(|| panic!("{uri}: {read}"))
                .to_owned()
        };
        assert_eq!(text("resource://skills/notes/references/more"), "# More\n", "F-19");
        assert_eq!(text("resource://skills/notes/document"), text("skill://notes/SKILL.md"), "X-28");
        let list = peer.ask("resources/list", json!({}));
        let resources = list["result"]["resources"].as_array().unwrap().iter();
        let mut documents =
            resources.filter(|resource| resource["uri"] == "resource://skills/notes/document");
        let fastmcp = &documents.next().unwrap()["_meta"]["fastmcp"];
        assert_eq!(*fastmcp, json!({ "tags": ["Not Kebab"], "version": "1.0.0" }), "F-22: {list}");
    });
}
