//! Tools with a plan and its application: what people can look at, for how long, and who may.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_layers::record::{Effect, ToolRecord};
use overt_layers::setting::{DeclaredSettings, Kind, Narrowing, Setting};
use overt_layers::{Endpoint as _, open};
use overt_toolbox::{Blob, Change, Content, Context, Plan, Server, TaskMode, Tool, Toolbox, ToolboxEndpoint};
use overt_wire::json::JsonBuf;
use overt_wire::{Exchange, Handler, Id, Message, NoClient, Principal, Session};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct Write {
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Written {
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// A text, and the tool that replaces it.
fn page(text: &Arc<Mutex<String>>) -> Tool {
    let (shown, kept) = (Arc::clone(text), Arc::clone(text));
    Tool::mutating(
        "write",
        "Replaces the text.",
        move |input: Write, _| {
            let change = Change::edited("page", shown.lock().unwrap().as_str(), &input.text);
            let written = Written { bytes: input.text.len() };
            std::future::ready(Ok(Plan::new(input.text, written).change(change)))
        },
        move |text: String, _: Context| {
            *kept.lock().unwrap() = text;
            std::future::ready(Ok(()))
        },
    )
}

struct Client {
    endpoint: Arc<ToolboxEndpoint>,
    handler: Arc<dyn Handler>,
}

impl Client {
    fn new(toolbox: Toolbox) -> Self {
        let endpoint = toolbox.build().unwrap();
        Self { handler: open(Arc::clone(&endpoint)), endpoint }
    }

    async fn ask(&self, session: &Arc<Session>, method: &str, params: Value) -> Value {
        self.ask_with(session, json!({}), method, params).await
    }

    async fn ask_with(&self, session: &Arc<Session>, can: Value, method: &str, mut params: Value) -> Value {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = can;
        let message = Message::request(&Id::from(1), method, Some(JsonBuf::from(&params).as_json()));
        let exchange = Exchange::new(message, Arc::clone(session), Arc::new(NoClient));
        serde_json::from_str(self.handler.call(exchange.unwrap()).await.unwrap().text()).unwrap()
    }

    /// A preview; where its diff is.
    async fn preview(&self, session: &Arc<Session>, text: &str) -> String {
        let params = json!({"name": "write", "arguments": {"text": text}, "_meta": {"preview": true}});
        let answer = self.ask(session, "tools/call", params).await;
        let review = &answer["result"]["_meta"]["dev.overt/review"];
        review["diff"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn read(&self, session: &Arc<Session>, uri: &str) -> Value {
        self.ask(session, "resources/read", json!({ "uri": uri })).await
    }
}

fn toolbox() -> Toolbox {
    Toolbox::new(Server::new("pages", "1.0.0", "Use it to write."))
}

fn session(id: &str) -> Arc<Session> {
    Session::new(id.into(), Principal::local(), Arc::new(NoClient))
}

#[tokio::test(start_paused = true)]
async fn h_05_artifacts_end_with_their_time_and_are_for_their_session() {
    let text = Arc::new(Mutex::new("old\n".to_owned()));
    let client = Client::new(toolbox().tool(page(&text)).artifact_lifetime(Duration::from_secs(120)));
    let (mine, other) = (session("a"), session("b"));
    let uri = client.preview(&mine, "new\n").await;
    assert_eq!(*text.lock().unwrap(), "old\n");
    let found = client.read(&mine, &uri).await;
    let diff = "--- a/page\n+++ b/page\n@@ -1 +1 @@\n-old\n+new\n";
    assert_eq!(found["result"]["contents"][0]["text"], diff);
    let refused = client.read(&other, &uri).await["error"]["message"].to_string();
    assert!(refused.contains("not found"), "{refused}");
    tokio::time::advance(Duration::from_secs(121)).await;
    let gone = client.read(&mine, &uri).await["error"]["message"].to_string();
    assert!(gone.contains("kept for 2 minutes") && gone.contains("_meta.preview"), "{gone}");

    // Without a session, the address is the only protection.
    let nobodys = Session::of_connection("c".into(), Principal::local(), Arc::new(NoClient));
    let uri = client.preview(&nobodys, "new").await;
    assert_eq!(client.read(&other, &uri).await["result"]["contents"][0]["uri"], uri);
    client.endpoint.description().lifecycle.session_closed(&nobodys);
    assert!(client.read(&other, &uri).await.get("result").is_some());

    let uri = client.preview(&mine, "new").await;
    client.endpoint.description().lifecycle.session_closed(&mine);
    assert!(client.read(&mine, &uri).await.get("error").is_some());
}

/// Hosts need not tell an app which call a result is of.
#[tokio::test]
async fn a_preview_names_the_call_as_it_was_written() {
    let text = Arc::new(Mutex::new("old".to_owned()));
    let client = Client::new(toolbox().tool(page(&text)));
    let session = session("a");
    let call = |text: String, preview: bool| {
        let params = json!({"name": "write", "arguments": {"text": text}, "_meta": {"preview": preview}});
        client.ask(&session, "tools/call", params)
    };
    let named = |answer: Value| answer["result"]["_meta"].get("dev.overt/call").cloned();
    let shown = call("new".to_owned(), true).await;
    assert_eq!(named(shown), Some(json!({"name": "write", "arguments": {"text": "new"}})));
    let long = "x".repeat(256 << 10);
    let shown = call(long, true).await;
    assert!(shown["result"]["_meta"]["dev.overt/plan"].is_string(), "{shown}");
    assert_eq!(named(shown), None, "it is too long to be repeated");
    assert_eq!(named(call("new".to_owned(), false).await), None, "only a preview is applied later");
}

#[tokio::test]
async fn an_artifact_tells_which_call_it_belongs_to() {
    let client = Client::new(toolbox().tool(page(&Arc::default())));
    let uri = client.preview(&session("a"), "new").await;
    let origin = Some(("write".to_owned(), json!({"text": "new"})));
    let review_origin = |uri: &str| {
        let call = client.endpoint.description().tools.review_origin(uri)?;
        Some((call.tool, call.arguments))
    };
    assert_eq!(review_origin(&uri), origin);
    assert_eq!(review_origin(uri.strip_suffix(".diff").unwrap()), origin);
    // Every spelling of the address that can be read can also be checked.
    let spelled = uri.replace(".diff", "%2Ediff");
    assert!(client.read(&session("a"), &spelled).await.get("result").is_some());
    assert_eq!(review_origin(&spelled), origin);
    assert_eq!(review_origin("ui://write/nope"), None);
    assert_eq!(review_origin(&uri.replace("write", "other")), None);
}

#[tokio::test]
async fn who_may_not_make_a_call_may_not_look_at_its_changes() {
    let client = Client::new(toolbox().tool(page(&Arc::default())));
    let mine = session("a");
    let uri = client.preview(&mine, "new").await;
    for (policy, is_allowed) in [
        (json!({"tools": {"deny": ["other"]}}), true),
        (json!({"tools": {"deny": ["write"]}}), false),
        (json!({"effect": "read"}), false),
        (json!({"arguments": {"write": {"properties": {"text": {"const": "new"}}}}}), true),
        (json!({"arguments": {"write": {"properties": {"text": {"const": "old"}}}}}), false),
    ] {
        let params = json!({"uri": uri, "_meta": {"policy": policy}});
        let answer = client.ask(&mine, "resources/read", params).await;
        assert_eq!(answer.get("result").is_some(), is_allowed, "{policy}: {answer}");
    }
}

#[tokio::test]
async fn b_09_who_is_left_less_than_the_call_had_may_not_look_at_its_changes() {
    let hide =
        Setting::new("hide", Kind::Globs, "What is hidden").default(json!([])).narrows(Narrowing::Union);
    let server = Server::new("pages", "1.0.0", "Use it to write.")
        .settings(DeclaredSettings::new(vec![hide]).unwrap());
    let client = Client::new(Toolbox::new(server).tool(page(&Arc::default())));
    let mine = session("a");
    for (made_under, read_under, is_shown) in [
        (json!({}), json!({}), true),
        (json!({}), json!({"hide": []}), true),
        (json!({}), json!({"hide": ["page"]}), false),
        (json!({"hide": ["a"]}), json!({"hide": ["a"]}), true),
        (json!({"hide": ["a"]}), json!({"hide": ["a", "page"]}), false),
        (json!({"hide": ["a"]}), json!({}), true),
    ] {
        let meta = json!({"preview": true, "policy": made_under});
        let params = json!({"name": "write", "arguments": {"text": "new"}, "_meta": meta});
        let answer = client.ask(&mine, "tools/call", params).await;
        let review = &answer["result"]["_meta"]["dev.overt/review"];
        for uri in [&review["diff"], &review["page"]] {
            let params = json!({"uri": uri, "_meta": {"policy": read_under}});
            let answer = client.ask(&mine, "resources/read", params).await;
            assert_eq!(answer.get("result").is_some(), is_shown, "{read_under}: {answer}");
        }
    }
}

/// On one thread: comparing two texts without a line in common takes a while, and another call is
/// answered before it is done.
#[tokio::test]
async fn others_are_answered_while_large_texts_are_compared() {
    let numbers = |from: usize| (from..from + 20_000).map(|line| format!("{line}\n")).collect::<String>();
    let client = Client::new(toolbox().tool(page(&Arc::new(Mutex::new(numbers(0))))));
    let (mine, other) = (session("a"), session("b"));
    let text = numbers(20_000);
    let order = Mutex::new(Vec::new());
    tokio::join!(
        async {
            client.preview(&mine, &text).await;
            order.lock().unwrap().push("preview");
        },
        async {
            client.ask(&other, "tools/list", json!({})).await;
            order.lock().unwrap().push("list");
        }
    );
    assert_eq!(*order.lock().unwrap(), ["list", "preview"]);
}

#[tokio::test]
async fn x_11_literal_items_are_for_those_who_ask() {
    let client = Client::new(toolbox().tool(page(&Arc::default())));
    let call = || json!({"name": "write", "arguments": {"text": "x"}, "_meta": {"preview": true}});
    let kinds = |answer: &Value| {
        let items = answer["result"]["content"].as_array().unwrap();
        items.iter().map(|item| item["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for can in [json!({}), json!({"experimental": {"review": false}})] {
        let answer = client.ask_with(&session("a"), can, "tools/call", call()).await;
        assert_eq!(kinds(&answer), ["text", "text", "resource_link", "resource_link"]);
    }
    let can = json!({"experimental": {"review": {}}});
    let answer = client.ask_with(&session("a"), can, "tools/call", call()).await;
    assert_eq!(kinds(&answer), ["text", "text", "review", "diff"]);
    assert_eq!(answer["result"]["content"][2]["mimeType"], "text/html");
    assert_eq!(answer["result"]["content"][3]["mimeType"], "text/x-diff");
}

#[tokio::test]
async fn h_10_the_page_runs_nothing_and_shows_what_hides() {
    let client = Client::new(toolbox().tool(page(&Arc::new(Mutex::new("<b>\n".into())))));
    let uri = client.preview(&session("a"), "<script>alert('1')</script>\u{202e}\n\tx").await;
    let read = client.read(&session("a"), uri.strip_suffix(".diff").unwrap()).await;
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/html");
    let page = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(
        page.contains("Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'")
    );
    assert!(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\\u{202e}"));
    assert!(page.contains("var(--mcp-color-bg"));
    assert!(page.contains("class=\"unified\"") && page.contains("class=\"split\""));
    for bad in ["<script", "\u{202e}", "<b>", "src=", "href="] {
        assert!(!page.contains(bad), "{bad}");
    }
}

#[tokio::test]
async fn h_04_text_for_the_model_never_has_the_diff() {
    let text = Arc::new(Mutex::new("secret plans\n".to_owned()));
    let client = Client::new(toolbox().tool(page(&text)));
    for meta in [json!({"preview": true}), json!({})] {
        let params = json!({"name": "write", "arguments": {"text": "new words\n"}, "_meta": meta});
        let answer = client.ask(&session("a"), "tools/call", params).await;
        for item in answer["result"]["content"].as_array().unwrap() {
            let words = item.to_string();
            assert!(!words.contains("secret plans") && !words.contains("new words"), "{words}");
        }
        let structured = &answer["result"]["structuredContent"];
        assert_eq!(structured["bytes"], 10);
        let lines =
            json!([{"kind": "removed", "text": "secret plans"}, {"kind": "added", "text": "new words"}]);
        // Hosts may pass `structuredContent` to the model too.
        assert!(!structured.to_string().contains("secret plans"), "{structured}");
        let diff = &answer["result"]["_meta"]["dev.overt/diff"];
        assert_eq!(diff["changes"][0]["hunks"][0]["lines"], lines);
        assert_eq!(answer["result"]["content"][0]["text"], "{\"bytes\":10}");
        // The diff is not repeated here.
        assert_eq!(answer["result"]["_meta"]["dev.overt/review"].get("changes"), None);
    }
    assert_eq!(*text.lock().unwrap(), "new words\n");
}

#[tokio::test]
async fn a_large_change_is_kept_out_of_the_result() {
    let text = "a line of text\n".repeat(10_000);
    let client = Client::new(toolbox().tool(page(&Arc::default())));
    let params = json!({"name": "write", "arguments": {"text": text}});
    let answer = client.ask(&session("a"), "tools/call", params).await;
    let review = &answer["result"]["_meta"]["dev.overt/review"];
    let shown = &answer["result"]["_meta"]["dev.overt/diff"];
    assert_eq!((&shown["truncated"], &shown["changes"][0]["added"]), (&json!(true), &json!(10_000)));
    assert_eq!(shown["changes"][0]["hunks"], json!([]));
    let diff = client.read(&session("a"), review["diff"].as_str().unwrap()).await;
    let diff = diff["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(diff.lines().count(), 10_003);
}

#[tokio::test]
async fn a_task_previews_and_applies_like_any_call() {
    let text = Arc::new(Mutex::new(String::new()));
    let client = Client::new(toolbox().tool(page(&text).task(TaskMode::Optional)));
    let able = || json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    for (meta, after) in [(json!({"preview": true}), ""), (json!({}), "new")] {
        let params = json!({"name": "write", "arguments": {"text": "new"}, "_meta": meta});
        let started = client.ask_with(&session("a"), able(), "tools/call", params).await;
        let task = started["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
        let ended = loop {
            let now =
                client.ask_with(&session("a"), able(), "tasks/get", json!({ "taskId": task })).await["result"].take();
            if now["status"] != "working" {
                break now;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(ended["status"], "completed", "{ended}");
        assert_eq!(ended["result"]["structuredContent"]["bytes"], 3, "{ended}");
        assert!(ended["result"]["_meta"]["dev.overt/review"]["diff"].is_string(), "{ended}");
        assert_eq!(*text.lock().unwrap(), after);
    }
}

#[tokio::test]
async fn h_01_h_03_a_preview_and_its_call_give_the_same_with_a_diff() {
    let client = Client::new(toolbox().tool(page(&Arc::new(Mutex::new("one two\n".into())))));
    let mut given = Vec::new();
    for meta in [json!({"preview": true}), json!({})] {
        let params = json!({"name": "write", "arguments": {"text": "one 2\n"}, "_meta": meta});
        let mut answer = client.ask(&session("a"), "tools/call", params).await;
        let diff = answer["result"]["_meta"]["dev.overt/diff"].take();
        given.push((answer["result"]["structuredContent"].take(), diff));
    }
    assert_eq!(given[0], given[1]);
    let lines = &given[0].1["changes"][0]["hunks"][0]["lines"];
    assert_eq!((&lines[0]["words"], &lines[1]["words"]), (&json!([[4, 7]]), &json!([[4, 5]])));
    // If nothing changes, the diff says so.
    let params = json!({"name": "write", "arguments": {"text": "one 2\n"}});
    let answer = client.ask(&session("a"), "tools/call", params).await;
    let change = json!({"label": "page", "kind": "edited", "added": 0, "removed": 0, "hunks": []});
    assert_eq!(answer["result"]["_meta"]["dev.overt/diff"], json!({"changes": [change]}));
}

#[tokio::test]
async fn the_output_schema_is_the_tool_s_own() {
    let client = Client::new(toolbox().tool(page(&Arc::default())));
    let list = client.ask(&session("a"), "tools/list", json!({})).await;
    let output = &list["result"]["tools"][0]["outputSchema"];
    assert_eq!(output["required"], json!(["bytes"]));
    assert_eq!(output["properties"].as_object().unwrap().len(), 1, "{output}");
}

#[tokio::test]
async fn fs_34_a_plan_no_longer_holds_when_what_it_saw_has_changed() {
    let stamp = Arc::new(Mutex::new("1:2".to_owned()));
    let seen = Arc::clone(&stamp);
    let plan = move |_: Nothing, _| {
        let plan = Plan::new((), Written { bytes: 0 }).with_fingerprint(&seen.lock().unwrap());
        std::future::ready(Ok(plan.change(Change::deleted("p.png", Blob::new(3)))))
    };
    let tool = Tool::mutating("write", "Removes it.", plan, |(), _| std::future::ready(Ok(())));
    let client = Client::new(toolbox().tool(tool));
    let call = |meta: Value| json!({"name": "write", "arguments": {}, "_meta": meta});
    let preview = client.ask(&session("a"), "tools/call", call(json!({"preview": true}))).await;
    let real = || call(json!({"dev.overt/plan": preview["result"]["_meta"]["dev.overt/plan"]}));
    assert_eq!(client.ask(&session("a"), "tools/call", real()).await["result"].get("isError"), None);
    *stamp.lock().unwrap() = "1:3".into();
    let refused = client.ask(&session("a"), "tools/call", real()).await;
    assert_eq!(refused["result"]["_meta"]["dev.overt/error"]["code"], "PLAN_CHANGED");
}

#[test]
fn h_02_previews_are_for_tools_with_a_plan() {
    let problems = |tool: Tool| toolbox().tool(tool).build().map_err(|error| error.problems.join("\n"));
    let plain = Tool::content("plain", "Does it.", |_: Nothing, _| async { Ok(vec![Content::text("")]) });
    let record = ToolRecord { preview: true, ..ToolRecord::new(Effect::Mutating) };
    let wrong = problems(plain.declare(record)).unwrap_err();
    assert!(wrong.contains("only `Tool::mutating` gives"), "{wrong}");
    let wrong = problems(page(&Arc::default()).read_only()).unwrap_err();
    assert!(wrong.contains("declares that it only reads"), "{wrong}");
    #[derive(Serialize, JsonSchema)]
    struct Own {
        diff: String,
    }
    let plan = |_: Nothing, _| async { Ok(Plan::new((), Own { diff: String::new() })) };
    let own = Tool::mutating("own", "Does it.", plan, |(), _| async { Ok(()) });
    let wrong = problems(own).unwrap_err();
    assert!(wrong.contains("has a member `diff`"), "{wrong}");
    // A declaration doesn't remove the tool's previews.
    let endpoint = problems(page(&Arc::default()).declare(ToolRecord::new(Effect::Destructive))).unwrap();
    assert!(endpoint.description().tools.record("write").unwrap().preview);
}
