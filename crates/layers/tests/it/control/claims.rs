//! A server's claims about its tools: when they count, and which wider answers are offered.
use overt_layers::Control;
use serde_json::{Value, json};

use super::kit::{Client, ERAS, Era, Ran};
use super::upstream::Upstream;

fn done() -> Value {
    json!({ "result": { "content": [{ "type": "text", "text": "done" }] } })
}

fn client_of(upstream: &Upstream, era: Era) -> Client {
    let handler = overt_layers::build(upstream.clone(), Control::careful());
    Client::on(handler, Ran::default(), era, "one", json!({ "elicitation": {} }))
}

/// The person answers how far they trust the server.
fn will_trust(client: &Client, trust: &str) {
    let answer = json!({ "action": "accept", "content": { "trust": trust } });
    client.person.answers.lock().unwrap().push_back(answer);
}

/// The answers that the last question offered.
fn offered(client: &Client) -> Vec<String> {
    let questions = client.person.questions.lock().unwrap();
    let words = &questions.last().unwrap()["requestedSchema"]["properties"]["decision"]["enum"];
    serde_json::from_value(words.clone()).unwrap()
}

#[tokio::test]
async fn a_02_a_grant_for_the_whole_server_needs_no_belief_in_its_claims() {
    for era in ERAS {
        let client = client_of(&Upstream::new().answering(vec![done()]), era);
        client.will_say("session-server");
        client.call("work", "/a", json!({})).await;
        assert_eq!(client.questions(), 1, "{era:?}");
        let read = client.call("look", "/a", json!({})).await;
        assert_eq!(read["result"]["content"][0]["text"], "done", "{era:?} {read}");
        assert_eq!(
            client.questions(),
            0,
            "{era:?}: nobody need believe a tool that may be called either way"
        );
    }
}

#[tokio::test]
async fn a_02_reads_may_be_allowed_together_and_changes_stay_out() {
    for era in ERAS {
        let client = client_of(&Upstream::new().answering(vec![done()]), era);
        will_trust(&client, "everything");
        client.will_say("session-reads");
        let read = client.call("look", "/a", json!({})).await;
        assert_eq!(read["result"]["content"][0]["text"], "done", "{era:?} {read}");
        assert_eq!(client.questions(), 2, "{era:?}: how far it is believed, and the call");
        client.call("look", "/b", json!({})).await;
        assert_eq!(client.questions(), 0, "{era:?}");
        client.call("work", "/a", json!({})).await;
        assert!(!offered(&client).contains(&"session-reads".to_owned()), "{era:?}");
        assert_eq!(client.questions(), 1, "{era:?}");
    }
}

#[tokio::test]
async fn a_02_a_server_that_is_only_recorded_is_asked_about_once() {
    for era in ERAS {
        let client = client_of(&Upstream::new().answering(vec![done()]), era);
        will_trust(&client, "nothing");
        client.call("look", "/a", json!({})).await;
        assert_eq!(client.questions(), 1, "{era:?}");
        let changed = client.call("work", "/a", json!({})).await;
        assert_eq!(changed["result"]["content"][0]["text"], "done", "{era:?} {changed}");
        assert_eq!(client.questions(), 0, "{era:?}");
    }
}

#[tokio::test]
async fn the_whole_tool_is_offered_only_where_arguments_make_the_difference() {
    for era in ERAS {
        let fixed = client_of(&Upstream::new().answering(vec![done()]), era);
        fixed.call("work", "/a", json!({})).await;
        assert!(!offered(&fixed).contains(&"session-tool".to_owned()), "{era:?}");
        let scoped = Client::new(era, Control::careful());
        scoped.call("write", "/a", json!({})).await;
        assert!(offered(&scoped).contains(&"session-tool".to_owned()), "{era:?}");
    }
}

#[tokio::test]
async fn what_was_approved_once_still_holds_when_the_server_asks_something_itself() {
    let form = json!({
        "mode": "form", "message": "Which branch?",
        "requestedSchema": { "type": "object", "properties": { "branch": { "type": "string" } } },
    });
    let asks = json!({ "result": {
        "resultType": "input_required", "requestState": "s-1",
        "inputRequests": { "branch": { "method": "elicitation/create", "params": form } },
    } });
    let upstream = Upstream::new().answering(vec![asks, done()]);
    let client = client_of(&upstream, Era::Modern);
    client.will_say("once");
    let branch = json!({ "action": "accept", "content": { "branch": "main" } });
    client.person.answers.lock().unwrap().push_back(branch);
    let reply = client.call("work", "/a", json!({})).await;
    assert_eq!(reply["result"]["content"][0]["text"], "done", "{reply}");
    assert_eq!(client.questions(), 2, "ours and the server's");
    assert_eq!(upstream.got("tools/call").len(), 2);
}

#[tokio::test]
async fn arguments_that_are_no_object_reach_nobody() {
    for era in ERAS {
        let upstream = Upstream::new().answering(vec![done()]);
        let client = client_of(&upstream, era);
        for arguments in [json!([]), json!(["/a"]), json!("path"), json!(1), json!(true)] {
            let params = json!({ "name": "work", "arguments": arguments });
            let refused = client.send("tools/call", params).await;
            assert_eq!(refused["error"]["code"], -32602, "{era:?} {arguments}: {refused}");
        }
        assert_eq!((client.questions(), upstream.got("tools/call").len()), (0, 0));
        // Many clients send null for a tool without parameters, and a third-party server may accept
        // it.
        client.will_say("session");
        let params = json!({ "name": "work", "arguments": null });
        let reply = client.send("tools/call", params).await;
        assert!(reply["error"].is_null(), "{era:?} {reply}");
        let tools = Client::new(era, Control::careful());
        let refused = tools.send("tools/call", json!({ "name": "write", "arguments": null })).await;
        assert!(refused["error"]["code"] == -32602 || refused["result"]["isError"] == true, "{refused}");
        assert_eq!((tools.questions(), tools.ran().len()), (0, 0));
    }
}
