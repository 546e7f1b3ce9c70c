//! Many and large skills.
use std::collections::BTreeSet;
use std::fs;

use serde_json::json;

use super::kit::{skill, uris};
use crate::stage::Stage;

/// A skill may have up to 16 MiB and 512 files, and no more.
#[tokio::test]
async fn a_skill_over_a_limit_is_left_out() {
    const MOST: usize = 16 << 20;
    let stage = Stage::new();
    for (name, more) in [("exact", 0), ("over", 1)] {
        let text = stage.skill(name);
        stage.write(&format!("{name}/data.bin"), vec![b'x'; MOST - text.len() + more]);
    }
    for (name, count) in [("many", 511), ("more", 512)] {
        stage.skill(name);
        for number in 0..count {
            stage.write(&format!("{name}/files/{number:03}.txt"), "x");
        }
    }
    let client = stage.skills(|options| options.tools = true);
    let skills = client.list_skills().await;
    assert_eq!(uris(&skills), ["skill://exact/SKILL.md", "skill://many/SKILL.md"]);
    assert_eq!(skills[1]["resources"].as_array().unwrap().len(), 512);
    let told = client.call("list_skills", json!({})).await.value()["findings"].to_string();
    assert!(told.contains("over/SKILL.md: has 16777217 bytes in its files"), "{told}");
    assert!(told.contains("more/SKILL.md: has 513 files"), "{told}");
    let files = client
        .all_pages("resources/directory/read", "resources", json!({ "uri": "skill://many/files" }))
        .await;
    assert_eq!(files.len(), 511);
}

/// Ten thousand skills are listed in pages, each once. The cursor of another list is refused.
#[tokio::test]
async fn ten_thousand_skills_are_listed_in_pages() {
    const COUNT: usize = 10_000;
    let stage = Stage::new();
    for number in 0..COUNT {
        let (name, folder) = (format!("skill-{number:05}"), format!("{:02}", number / 500));
        let directory = stage.root.join(folder).join(&name);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("SKILL.md"), skill(&name, "x")).unwrap();
    }
    let client = stage.skills(|_| ()).modern();
    let first = client.ask("skills/list", json!({})).await;
    let size = first["result"]["skills"].as_array().unwrap().len();
    assert!(size >= 100, "{size} on a page");
    let skills = client.list_skills().await;
    let distinct: BTreeSet<&str> = uris(&skills).into_iter().collect();
    assert_eq!((skills.len(), distinct.len()), (COUNT, COUNT));
    let cursor = &first["result"]["nextCursor"];
    for (method, params) in [
        ("resources/directory/read", json!({ "uri": "skill://00", "cursor": cursor })),
        ("resources/list", json!({ "cursor": cursor })),
        ("skills/list", json!({ "cursor": "x.y" })),
    ] {
        let answer = client.ask(method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
    }
    let last = format!("skill://19/skill-{:05}/SKILL.md", COUNT - 1);
    assert_eq!(client.text_of(&last).await, skill(&format!("skill-{:05}", COUNT - 1), "x"));
}
