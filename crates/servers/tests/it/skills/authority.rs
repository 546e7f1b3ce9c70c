//! What may not be read is not listed, under any address.
use overt_layers::{Control, PolicySnapshot};
use overt_policy::Authority;
use overt_policy::scope::Scope;
use serde_json::{Value, json};

use super::kit::{repository, skill, uris};
use crate::stage::{Client, Stage};

fn library() -> Stage {
    let stage = Stage::new();
    stage.write("open/SKILL.md", skill("open", "x"));
    stage.write("open/secret/key.md", "key\n");
    stage.write("open/plain.md", "plain\n");
    stage.write("private/SKILL.md", repository("private", ""));
    stage
}

fn denying(stage: &Stage, denied: &[&str]) -> Client {
    let denied = denied.iter().map(|scope| Scope::parse(scope).unwrap()).collect();
    let base = [Scope::parse("read").unwrap()].into_iter().collect();
    let authority = Authority { base, denied, ..Authority::careful() };
    let control = Some(Control::new(PolicySnapshot::new(authority)));
    stage
        .try_skills(|options| (options.tools, options.prompts) = (true, true), control)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A scope that denies a skill denies every address of it.
#[tokio::test]
async fn a_skill_that_is_denied_is_nowhere() {
    let stage = library();
    let legacy = denying(&stage, &["read:overt-skills:skill://private"]);
    for client in [legacy.clone(), legacy.modern()] {
        assert_eq!(uris(&client.list_skills().await), ["skill://open/SKILL.md"]);
        for uri in [
            "skill://private/SKILL.md",
            "skill://private/_manifest",
            "resource://skills/private/document",
            "resource://catalog/skills/private",
        ] {
            assert!(client.ask("resources/read", json!({ "uri": uri })).await["error"].is_object(), "{uri}");
            assert!(!client.call("read_resource", json!({ "uri": uri })).await.is_ok(), "{uri}");
        }
        assert!(
            client.ask("skills/get", json!({ "uri": "skill://private/SKILL.md" })).await["error"].is_object()
        );
        assert!(
            client.ask("resources/directory/read", json!({ "uri": "skill://private" })).await["error"]
                .is_object()
        );
        assert!(!client.call("read_skill", json!({ "skill": "private" })).await.is_ok());
        let prompt = json!({ "name": "use_skill", "arguments": { "name": "private" } });
        assert!(client.ask("prompts/get", prompt).await["error"].is_object());
        for told in [
            client.text_of("resource://catalog/skills_index").await,
            client.call("list_skills", json!({})).await.value().to_string(),
            client.call("list_resources", json!({})).await.text(0).to_owned(),
        ] {
            assert!(!told.contains("Does private"), "{told}");
        }
    }
}

/// A host can't verify a part of a skill, so a skill with a denied file is not listed. Its other
/// files can be read.
#[tokio::test]
async fn a_skill_with_a_denied_file_is_not_listed() {
    let stage = library();
    let client = denying(&stage, &["read:overt-skills:skill://open/secret"]);
    assert_eq!(uris(&client.list_skills().await), ["skill://private/SKILL.md"]);
    assert_eq!(client.refused("skills/get", "skill://open/SKILL.md").await, -32602);
    assert_eq!(client.text_of("skill://open/plain.md").await, "plain\n");
    assert!(
        client.ask("resources/read", json!({ "uri": "skill://open/secret/key.md" })).await["error"]
            .is_object()
    );
    let children =
        client.all_pages("resources/directory/read", "resources", json!({ "uri": "skill://open" })).await;
    assert_eq!(uris(&children), ["skill://open/SKILL.md", "skill://open/plain.md"]);
}

/// The lists in a call's own policy apply to these methods as to resources.
#[tokio::test]
async fn a_policy_narrows_the_skills() {
    let stage = library();
    let client = stage.skills(|_| ());
    let policy = |patterns: Value| client.saying(json!({ "policy": { "resources": { "deny": patterns } } }));
    let narrowed = policy(json!(["skill://private/**"]));
    assert_eq!(uris(&narrowed.list_skills().await), ["skill://open/SKILL.md"]);
    assert_eq!(narrowed.refused("skills/get", "skill://private/SKILL.md").await, -32602);
    assert_eq!(client.list_skills().await.len(), 2);
}
