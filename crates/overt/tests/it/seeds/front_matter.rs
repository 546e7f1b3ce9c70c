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
