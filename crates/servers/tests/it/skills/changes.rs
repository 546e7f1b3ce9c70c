//! Changes on disk while the server runs.
use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use super::kit::{repository, skill};
use crate::stage::{Client, Stage};

/// Repeats a request until the answer is as expected. Fails after half a minute.
async fn until<F: Future<Output = Option<T>>, T>(what: &str, mut ask: impl FnMut() -> F) -> T {
    for _ in 0..600 {
        if let Some(found) = ask().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} did not happen");
}

async fn until_text(client: &Client, uri: &str, expected: &str) {
    until(uri, || async {
        let answer = client.ask("resources/read", json!({ "uri": uri })).await;
        (answer["result"]["contents"][0]["text"] == expected).then_some(())
    })
    .await;
}

async fn findings(client: &Client) -> Value {
    client.call("list_skills", json!({})).await.value()["findings"].clone()
}

#[tokio::test]
async fn changes_are_served_and_announced() {
    let stage = Stage::new();
    stage.skill("pdf");
    stage.write("pdf/a.md", "one\n");
    let client = stage.skills(|options| options.tools = true);
    client.ready().await;
    let uri = "skill://pdf/a.md";
    assert!(client.send("resources/subscribe", json!({ "uri": uri })).await.0["error"].is_null());
    let before = client.list_skills().await[0].clone();
    stage.write("pdf/a.md", "two\n");
    until_text(&client, uri, "two\n").await;
    let mut notes = Vec::new();
    until("the announcement", || {
        notes.extend(client.notes());
        let has = |method: &str| notes.iter().any(|note| note["method"] == method);
        let updated = notes.iter().any(|note| note["params"]["uri"] == uri);
        let is_told = updated && has("notifications/resources/list_changed");
        async move { is_told.then_some(()) }
    })
    .await;
    assert_ne!(client.list_skills().await[0]["resources"], before["resources"]);
    // New skills appear, even in new folders. Removed ones disappear.
    stage.write("deep/er/mail/SKILL.md", skill("mail", "x"));
    until_text(&client, "skill://deep/er/mail/SKILL.md", &skill("mail", "x")).await;
    stage.write("deep/er/mail/more/b.md", "b\n");
    until_text(&client, "skill://deep/er/mail/more/b.md", "b\n").await;
    fs::remove_dir_all(stage.root.join("pdf")).unwrap();
    until("the removal", || async { (client.list_skills().await.len() == 1).then_some(()) }).await;
}

/// A broken edit does not remove a good skill: the last good state stays, and the finding is
/// reported.
#[tokio::test]
async fn a_broken_edit_does_not_take_the_skill_away() {
    let stage = Stage::new();
    let good = stage.skill("pdf");
    stage.write("mail/SKILL.md", repository("mail", ""));
    let client = stage.skills(|options| options.tools = true);
    assert!(findings(&client).await.is_null());
    stage.write("pdf/SKILL.md", "---\nname: [\n---\n");
    stage.write("mail/SKILL.md", repository("mail", "    - resource://skills/mail/references/none\n"));
    let told = until("the finding", || async {
        let told = findings(&client).await;
        (told.as_array().is_some_and(|told| told.len() >= 2)).then_some(told.to_string())
    })
    .await;
    assert!(
        told.contains("pdf/SKILL.md: ") && told.contains("mail/SKILL.md: x-personal-mcp.capabilities: "),
        "{told}"
    );
    assert_eq!(client.list_skills().await.len(), 2);
    assert_eq!(client.text_of("skill://pdf/SKILL.md").await, good);
    assert_eq!(client.text_of("skill://mail/SKILL.md").await, repository("mail", ""));
    // Once the skill is valid again, its current state is served.
    stage.write("pdf/SKILL.md", skill("pdf", "better"));
    stage.write("mail/SKILL.md", repository("mail", "  depends_on:\n    - mail2\n"));
    stage.write("mail2/SKILL.md", repository("mail2", ""));
    until_text(&client, "skill://pdf/SKILL.md", &skill("pdf", "better")).await;
    until("no finding", || async { findings(&client).await.is_null().then_some(()) }).await;
    assert_eq!(
        client.text_of("skill://mail/SKILL.md").await,
        repository("mail", "  depends_on:\n    - mail2\n")
    );
}

/// A newer client is notified through its subscription. A page of an older state can't be
/// continued.
#[tokio::test]
async fn a_cursor_is_good_for_one_state() {
    let stage = Stage::new();
    for number in 0..300 {
        stage.skill(&format!("s{number}"));
    }
    let client = stage.skills(|_| ()).modern();
    let first = client.ask("skills/list", json!({})).await;
    let cursor = first["result"]["nextCursor"].clone();
    assert!(client.ask("skills/list", json!({ "cursor": cursor })).await["error"].is_null());
    stage.skill("another");
    until("the new skill", || async {
        let answer = client.ask("skills/get", json!({ "uri": "skill://another/SKILL.md" })).await;
        answer["error"].is_null().then_some(())
    })
    .await;
    let answer = client.ask("skills/list", json!({ "cursor": cursor })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
