//! The same bytes under every address, in both eras.
use overt_servers::skills::Serve;
use serde_json::json;

use super::kit::{digest, repository, skill, uris};
use crate::stage::Stage;

const REFERENCES: &str = "  references:\n    forms:\n      path: references/forms.md\n      title: Forms\n";

fn library() -> Stage {
    let stage = Stage::new();
    stage.write("docs/pdf/SKILL.md", skill("pdf", "# PDF"));
    stage.write("docs/pdf/scripts/run.py", "print('hello')\n");
    stage.write("docs/pdf/assets/logo.png", [0x89, b'P', b'N', b'G', 0xff, 0x00]);
    stage.write("mail/SKILL.md", repository("mail", REFERENCES));
    stage.write("mail/references/forms.md", "# Forms\n");
    stage.write("mail/references/other.md", "# Other\n");
    stage
}

#[tokio::test]
async fn every_surface_gives_the_same_bytes() {
    let stage = library();
    let legacy = stage.skills(|options| (options.tools, options.prompts) = (true, true));
    for client in [legacy.clone(), legacy.modern()] {
        let is_modern = client.meta() != &json!({});
        let skills = client.list_skills().await;
        assert_eq!(uris(&skills), ["skill://docs/pdf/SKILL.md", "skill://mail/SKILL.md"]);
        for entry in &skills {
            let got = client.ask("skills/get", json!({ "uri": entry["uri"] })).await;
            assert_eq!(&got["result"]["skill"], entry);
            assert_eq!(got["result"]["ttlMs"].is_number(), is_modern, "{got}");
            for file in entry["resources"].as_array().unwrap() {
                let read = client.ask("resources/read", json!({ "uri": file["uri"] })).await;
                let contents = &read["result"]["contents"][0];
                let bytes = match contents["text"].as_str() {
                    Some(text) => text.as_bytes().to_vec(),
                    None => decoded(contents["blob"].as_str().unwrap()),
                };
                assert_eq!(file["digest"], digest(&bytes), "{file}");
                assert_eq!(file["size"], bytes.len(), "{file}");
            }
        }
        let main = client.text_of("skill://mail/SKILL.md").await;
        assert_eq!(main, repository("mail", REFERENCES));
        assert_eq!(client.text_of("resource://skills/mail/document").await, main);
        assert_eq!(client.call("read_skill", json!({ "skill": "mail" })).await.text(0), main);
        assert_eq!(
            client.call("read_skill", json!({ "skill": "skill://mail/SKILL.md" })).await.text(0),
            main
        );
        let uri = json!({ "uri": "resource://skills/mail/document" });
        assert_eq!(client.call("read_resource", uri).await.text(0), main);
        let prompt =
            client.ask("prompts/get", json!({ "name": "use_skill", "arguments": { "name": "mail" } })).await;
        assert_eq!(prompt["result"]["messages"][0]["content"]["resource"]["text"], main.as_str());
        for address in ["skill://mail/references/forms.md", "resource://skills/mail/references/forms"] {
            assert_eq!(client.text_of(address).await, "# Forms\n");
        }
        // A file that the metadata does not list gets an id from its name (F-19).
        assert_eq!(client.text_of("resource://skills/mail/references/other").await, "# Other\n");
        // A skill without metadata has a document address too.
        assert_eq!(client.text_of("resource://skills/pdf/document").await, skill("pdf", "# PDF"));
    }
}

fn decoded(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

#[tokio::test]
async fn the_extension_is_declared_in_both_eras() {
    let stage = library();
    let client = stage.skills(|_| ());
    let hello = client
        .modern()
        .send("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }))
        .await
        .0;
    let expected = json!({ "io.modelcontextprotocol/skills": { "directoryRead": true } });
    assert_eq!(hello["result"]["capabilities"]["extensions"], expected);
    let discovered = client.modern().ask("server/discover", json!({})).await;
    assert_eq!(discovered["result"]["capabilities"]["extensions"], expected);
    assert!(discovered["result"]["capabilities"]["resources"].is_object());
}

#[tokio::test]
async fn directories_list_their_direct_children() {
    let stage = library();
    let client = stage.skills(|_| ());
    let children = |uri: &'static str| {
        let client = client.clone();
        async move { client.all_pages("resources/directory/read", "resources", json!({ "uri": uri })).await }
    };
    assert_eq!(uris(&children("skill://docs").await), ["skill://docs/pdf"]);
    let pdf = children("skill://docs/pdf").await;
    assert_eq!(
        uris(&pdf),
        ["skill://docs/pdf/SKILL.md", "skill://docs/pdf/assets", "skill://docs/pdf/scripts"]
    );
    assert_eq!(pdf[0]["name"], "pdf");
    assert_eq!(pdf[1]["mimeType"], "inode/directory");
    let scripts = children("skill://docs/pdf/scripts").await;
    assert_eq!(scripts[0]["mimeType"], "text/x-python");
    assert_eq!(scripts[0]["size"], 15);
    for uri in ["skill://docs/pdf/SKILL.md", "skill://none", "skill://", "skill://doc", "file:///"] {
        assert_eq!(client.refused("resources/directory/read", uri).await, -32602, "{uri}");
    }
    for uri in ["skill://docs/pdf", "skill://none/SKILL.md", "skill://docs/pdf/scripts/run.py"] {
        assert_eq!(client.refused("skills/get", uri).await, -32602, "{uri}");
    }
}

#[tokio::test]
async fn f_21_metadata_of_a_repository_is_on_its_resources() {
    let stage = library();
    let client = stage.skills(|_| ());
    let resources = client.all_pages("resources/list", "resources", json!({})).await;
    assert_eq!(
        uris(&resources),
        [
            "resource://catalog/skills_index",
            "skill://docs/pdf/SKILL.md",
            "skill://mail/SKILL.md",
            "resource://skills/mail/document",
            "resource://skills/mail/references/forms",
            "resource://skills/mail/references/other",
        ]
    );
    assert_eq!(resources[2]["name"], "mail");
    assert_eq!(resources[2]["description"], "Does mail. Use when asked for mail.");
    let fastmcp = json!({ "tags": ["alpha", "zeta"], "version": "1.2.0" });
    assert_eq!(resources[3]["_meta"], json!({ "skill_id": "mail", "fastmcp": fastmcp }));
    assert_eq!(
        resources[4]["_meta"],
        json!({ "skill_id": "mail", "ref_id": "forms", "path": "references/forms.md", "fastmcp": fastmcp })
    );
    assert_eq!(resources[4]["annotations"], json!({ "readOnlyHint": true, "idempotentHint": true }));
    assert_eq!(resources[4]["title"], "Forms");
    let templates = client.all_pages("resources/templates/list", "resourceTemplates", json!({})).await;
    let patterns: Vec<&str> = templates.iter().map(|entry| entry["uriTemplate"].as_str().unwrap()).collect();
    assert_eq!(
        patterns,
        [
            "skill://{+path}",
            "resource://skills/{skill_id}/document",
            "resource://skills/{skill_id}/references/{ref_id}",
            "resource://catalog/skills/{skill_id}",
        ]
    );
}

#[tokio::test]
async fn f_23_the_catalogue_has_every_skill() {
    let stage = library();
    let client = stage.skills(|_| ());
    let index: serde_json::Value =
        serde_json::from_str(&client.text_of("resource://catalog/skills_index").await).unwrap();
    let ids: Vec<&str> =
        index["skills"].as_array().unwrap().iter().map(|skill| skill["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["pdf", "mail"]);
    let record: serde_json::Value =
        serde_json::from_str(&client.text_of("resource://catalog/skills/mail").await).unwrap();
    assert_eq!(record, index["skills"][1]);
    assert_eq!(record["document"], "resource://skills/mail/document");
    assert_eq!(record["reference_ids"], json!(["forms", "other"]));
    assert_eq!(record["capabilities"], json!(["resource://skills/mail/document"]));
    assert_eq!(client.modern().refused("resources/read", "resource://catalog/skills/none").await, -32602);
}

#[tokio::test]
async fn fastmcp_clients_find_the_files_in_the_manifest() {
    let stage = library();
    let client = stage.skills(|_| ());
    let manifest: serde_json::Value =
        serde_json::from_str(&client.text_of("skill://mail/_manifest").await).unwrap();
    assert_eq!(manifest["skill"], "mail");
    let files: Vec<&str> =
        manifest["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(files, ["SKILL.md", "references/forms.md", "references/other.md"]);
    assert_eq!(manifest["files"][1]["hash"], digest(b"# Forms\n"));
}

#[tokio::test]
async fn f_24_the_tools_list_what_resources_list() {
    let stage = library();
    let client = stage.skills(|options| options.tools = true);
    let listed = client.call("list_resources", json!({})).await;
    let listed: Vec<serde_json::Value> = serde_json::from_str(listed.text(0)).unwrap();
    let resources = client.all_pages("resources/list", "resources", json!({})).await;
    for uri in uris(&resources) {
        assert!(listed.iter().any(|entry| entry["uri"] == uri), "{uri}");
    }
    assert!(listed.iter().any(|entry| entry["uri_template"] == "skill://{+path}"));
    let skills = client.call("list_skills", json!({ "query": "MAIL" })).await;
    assert_eq!(skills.value()["skills"][0]["uri"], "skill://mail/SKILL.md");
    assert_eq!(skills.value()["total"], 1);
    for tool in client.all_pages("tools/list", "tools", json!({})).await {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
}

#[tokio::test]
async fn nested_skills_are_in_the_outer_one_and_listed_themselves() {
    let stage = Stage::new();
    stage.write("outer/SKILL.md", skill("outer", "x"));
    stage.write("outer/more/inner/SKILL.md", skill("inner", "y"));
    stage.write("outer/more/inner/a.md", "a\n");
    let client = stage.skills(|_| ());
    let skills = client.list_skills().await;
    assert_eq!(uris(&skills), ["skill://outer/SKILL.md", "skill://outer/more/inner/SKILL.md"]);
    let outer = skills[0]["resources"].as_array().unwrap();
    assert_eq!(
        uris(outer),
        ["skill://outer/SKILL.md", "skill://outer/more/inner/SKILL.md", "skill://outer/more/inner/a.md"]
    );
    assert_eq!(skills[1]["resources"][0], outer[1]);
}

#[tokio::test]
async fn a_root_can_be_a_skill_itself() {
    let stage = Stage::new();
    stage.write("SKILL.md", skill("root", "x"));
    stage.write("inner/SKILL.md", skill("inner", "y"));
    let client = stage.skills(|_| ());
    assert_eq!(
        uris(&client.list_skills().await),
        [concat!("skill://root", "/SKILL.md"), concat!("skill://root", "/inner/SKILL.md")]
    );
}

/// The portable form is served if the source does not fit the specification, or if the option asks
/// for it. Digests are those of the served form, even in an enclosing skill.
#[tokio::test]
async fn the_form_that_is_served_is_the_one_that_is_listed() {
    let stage = Stage::new();
    let listed = "---\nname: b\ndescription: Does b. Use when asked for b.\nallowed-tools:\n  - Read\n  - Grep\n---\nx\n";
    stage.write("host/SKILL.md", repository("host", ""));
    stage.write("host/sub/b/SKILL.md", listed);
    for (serve, a_is_source, b_is_source) in
        [(Serve::Auto, true, false), (Serve::Source, true, true), (Serve::Projected, false, false)]
    {
        let client = stage.skills(|options| options.serve = serve);
        let (a, b) = (
            client.text_of("skill://host/SKILL.md").await,
            client.text_of("skill://host/sub/b/SKILL.md").await,
        );
        assert_eq!(a == repository("host", ""), a_is_source, "{serve:?} {a}");
        assert_eq!(b == listed, b_is_source, "{serve:?} {b}");
        assert_eq!(a.contains("\nx-personal-mcp:\n"), a_is_source, "{a}");
        let skills = client.list_skills().await;
        for (entry, text) in [
            (&skills[0]["resources"][0], &a),
            (&skills[0]["resources"][1], &b),
            (&skills[1]["resources"][0], &b),
        ] {
            assert_eq!(entry["digest"], digest(text.as_bytes()), "{serve:?}");
        }
        // The catalogue has the metadata in every form.
        let record = client.text_of("resource://catalog/skills/host").await;
        assert!(record.contains("1.2.0"), "{record}");
    }
}
