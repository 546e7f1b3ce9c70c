//! JSON that is not a message, or only looks like one. None of it may reach a tool.
use overt_testkit::http_raw::Request;
use overt_testkit::link::LineLink;
use overt_transport::limits::Limits;
use serde_json::{Value, json};

use super::kit::{after, must_be, process, refuses};
use crate::probe::Probe;
use crate::web::{Web, call, modern_body};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn error(id: &str, code: i64) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
    format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":_}}}}"#)
}

/// Sends texts over lines and over HTTP to a server that counts its calls. No call may begin.
async fn runs_nothing(cases: &[(&str, String)]) {
    let (probe, handler) = Probe::serve();
    let mut link = LineLink::memory(handler.clone(), Limits::default());
    let web = Web::serve(handler).await;
    for (bad, pattern) in cases {
        must_be(bad.as_bytes(), &after(&mut link, bad.as_bytes()).await, &[pattern]);
        let request = Request::post(*bad)
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "hit");
        let (head, body) = web.ask(&request).await;
        assert_eq!(head.status, 400, "{body}");
        must_be(bad.as_bytes(), &[body], &[pattern]);
    }
    assert_eq!(probe.begun(), 0);
    // A correct message on the same connection does run.
    let good = modern_body(1, "tools/call", call("hit")).to_string();
    assert_eq!(after(&mut link, good.as_bytes()).await.len(), 1);
    assert_eq!(probe.begun(), 1);
    web.stop().await;
}

#[tokio::test]
async fn rpc_05_a_member_that_stands_twice_anywhere_runs_nothing() {
    let name_twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"hit","name":"hold",{META}}}}}"#
    );
    let arguments_twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"hit","arguments":{{"value":1,"value":2}},{META}}}}}"#
    );
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"hit","arguments":{{"value":[{{"a":{{"b":1,"b":1}}}}]}},{META}}}}}"#
    );
    let escaped = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"hit","n\u0061me":"hold",{META}}}}}"#
    );
    let meta_twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"hit",{META},{META}}}}}"#
    );
    let method_twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{{"name":"hit",{META}}}}}"#
    );
    let id_twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{{"name":"hit",{META}}}}}"#
    );
    runs_nothing(&[
        (&name_twice, error("1", -32600)),
        (&arguments_twice, error("1", -32600)),
        (&deep, error("1", -32600)),
        (&escaped, error("1", -32600)),
        (&meta_twice, error("1", -32600)),
        (&method_twice, error("1", -32600)),
        // The server can't know which id is meant, so the error has none.
        (&id_twice, error("", -32600)),
    ])
    .await;
}

#[tokio::test]
async fn rpc_06_names_in_another_case_are_other_names() {
    let method =
        format!(r#"{{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{{"name":"hit",{META}}}}}"#);
    let version =
        format!(r#"{{"JSONRPC":"2.0","id":1,"method":"tools/call","params":{{"name":"hit",{META}}}}}"#);
    runs_nothing(&[(&method, error("1", -32600)), (&version, error("1", -32600))]).await;
    // A member whose name differs in case changes nothing beside the real member.
    let (probe, handler) = Probe::serve();
    let mut link = LineLink::memory(handler, Limits::default());
    let both = format!(
        r#"{{"jsonrpc":"2.0","id":1,"Method":"tools/list","method":"tools/call","PARAMS":{{"name":"hold"}},"params":{{"Name":"hold","name":"hit","Arguments":{{"value":"wrong"}},"arguments":{{"value":"right"}},{META}}}}}"#
    );
    let reply = link.ask(&both).await;
    assert!(reply.contains(r#""text":"\"right\"""#), "{reply}");
    assert_eq!(probe.begun(), 1);
    // Without the real member, it counts as missing.
    let instead =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"NAME":"hit",{META}}}}}"#);
    must_be(instead.as_bytes(), &[link.ask(&instead).await], &[&error("1", -32602)]);
    assert_eq!(probe.begun(), 1);
}

#[tokio::test]
async fn rpc_07_ids_come_back_as_they_were_written() {
    let (_, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let mut link = process();
    for id in [
        "-0",
        "0",
        "9007199254740993",
        "-9223372036854775808",
        "9223372036854775807",
        r#""""#,
        r#""\u0061""#,
        r#""1""#,
        r#""a\/b""#,
        r#""é\ud83d\ude00""#,
    ] {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{"cursor":1,{META}}}}}"#);
        must_be(text.as_bytes(), &[link.ask(&text).await], &[r#"{"jsonrpc":"2.0","id":_,"error":_}"#]);
        let request = Request::post(text.as_str())
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/list");
        let (_, body) = web.ask(&request).await;
        assert!(body.contains(&format!(r#""id":{id},"#)), "{body}");
    }
    web.stop().await;
}

#[tokio::test]
async fn rpc_07_numbers_that_are_no_ids_and_no_numbers() {
    let invalid = &error("", -32600);
    let unreadable = &error("", -32700);
    let with = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#).into_bytes();
    let bad: Vec<(Vec<u8>, &str)> =
        ["1.0", "1e2", "1e400", "1.5", "9223372036854775808", "1234567890123456789012345"]
            .iter()
            .map(|id| (with(id), invalid.as_str()))
            .chain(
                ["NaN", "Infinity", "0x10", "007", "+1", ".5", "1.", "-"]
                    .iter()
                    .map(|id| (with(id), unreadable.as_str())),
            )
            .collect();
    let cases: Vec<(&[u8], &str)> = bad.iter().map(|(text, error)| (text.as_slice(), *error)).collect();
    refuses(&cases).await;
}

#[tokio::test]
async fn rpc_08_values_that_are_no_ids() {
    let invalid = error("", -32600);
    let cases: Vec<Vec<u8>> = ["null", "true", "{}", "[]", "[1]"]
        .iter()
        .map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#).into_bytes())
        .collect();
    let cases: Vec<(&[u8], &str)> = cases.iter().map(|case| (case.as_slice(), invalid.as_str())).collect();
    refuses(&cases).await;
}

#[tokio::test]
async fn rpc_08_a_call_without_an_id_is_neither_run_nor_answered() {
    let (probe, handler) = Probe::serve();
    let mut link = LineLink::memory(handler.clone(), Limits::default());
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    link.ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }).to_string())
        .await;
    let initialized = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    must_be(initialized, &after(&mut link, initialized).await, &[]);
    let mut modern = modern_body(1, "tools/call", call("hit"));
    modern.as_object_mut().unwrap().remove("id");
    let legacy = json!({ "jsonrpc": "2.0", "method": "tools/call", "params": call("hit") });
    for note in [&modern, &legacy] {
        must_be(b"a call without id", &after(&mut link, note.to_string().as_bytes()).await, &[]);
    }
    let web = Web::serve(handler).await;
    let session = web.session().await;
    let (head, body) = web.ask(&crate::web::in_session(&session, &legacy)).await;
    assert_eq!((head.status, body.as_str()), (202, ""));
    let request = Request::post(modern.to_string())
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "hit");
    let (head, body) = web.ask(&request).await;
    assert_eq!((head.status, body.as_str()), (202, ""));
    assert_eq!(probe.begun(), 0);
    web.stop().await;
}

#[tokio::test]
async fn rpc_08_an_id_that_is_in_use_is_refused_without_disturbing_the_first() {
    let (probe, handler) = Probe::serve();
    let mut link = LineLink::memory(handler.clone(), Limits::default());
    link.send(&modern_body(7, "tools/call", json!({ "name": "hold", "arguments": {} })).to_string()).await;
    probe.wait_until_begun(1).await;
    let twin =
        link.ask(&modern_body(7, "tools/call", json!({ "name": "hit", "arguments": {} })).to_string()).await;
    must_be(
        b"twin",
        &[twin],
        &[
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the id 7 belongs to a request that is still being answered"}}"#,
        ],
    );
    // The string "7" is another id than the number 7. Another spelling of a string is the same id.
    let other = modern_body(7, "tools/call", json!({ "name": "hit", "arguments": {} }))
        .to_string()
        .replace(r#""id":7"#, r#""id":"7""#);
    assert!(link.ask(&other).await.contains(r#""id":"7","result""#));
    probe.release();
    assert!(link.next().await.unwrap().contains("released"));
    // The id is free after the answer.
    assert!(
        link.ask(&modern_body(7, "tools/call", json!({ "name": "hit", "arguments": {} })).to_string())
            .await
            .contains(r#""id":7,"result""#)
    );
    assert_eq!(probe.begun(), 3);
}

#[tokio::test]
async fn rpc_08_an_id_in_use_is_refused_within_a_session_over_http() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let session = web.session().await;
    let mut first = web.connect().await;
    first.send(&crate::web::legacy(&session, 7, "tools/call", call("hold"))).await;
    probe.wait_until_begun(1).await;
    let (status, twin) = web.answer(&crate::web::legacy(&session, 7, "tools/call", call("hit"))).await;
    assert_eq!((status, &twin["error"]["code"]), (400, &json!(-32600)));
    // Another session has its own ids.
    let other = web.session().await;
    let (status, reply) = web.answer(&crate::web::legacy(&other, 7, "tools/call", call("hit"))).await;
    assert_eq!((status, &reply["id"]), (200, &json!(7)));
    probe.release();
    assert_eq!(first.head().await.unwrap().status, 200);
    web.stop().await;
}

#[tokio::test]
async fn rpc_09_broken_envelopes() {
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(10 << 20));
    let (one, none) = (&error("1", -32600), &error("", -32600));
    let cases: Vec<(&str, &str)> = vec![
        (r#"{"id":1,"method":"ping"}"#, one),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, one),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, one),
        (r#"{"jsonrpc":"2.0","id":1}"#, one),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, one),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, one),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#, one),
        (&long, one),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, one),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","error":{}}"#, one),
        ("{}", none),
        ("7", none),
        ("null", none),
        ("\"ping\"", none),
    ];
    let cases: Vec<(&[u8], &str)> = cases.iter().map(|(text, error)| (text.as_bytes(), *error)).collect();
    refuses(&cases).await;
}

#[tokio::test]
async fn rpc_09_params_that_are_no_object() {
    let pattern = error("1", -32602);
    let cases: Vec<Vec<u8>> = ["[]", "[1]", "1", "true", "\"x\""]
        .iter()
        .map(|params| {
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}"#).into_bytes()
        })
        .collect();
    let cases: Vec<(&[u8], &str)> = cases.iter().map(|case| (case.as_slice(), pattern.as_str())).collect();
    refuses(&cases).await;
}

#[tokio::test]
async fn rpc_10_batches_are_refused_as_one_and_run_nothing() {
    let hit = modern_body(1, "tools/call", call("hit"));
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let many = Value::Array(vec![hit.clone(); 1000]);
    let texts: Vec<String> = [
        json!([]),
        json!([1]),
        json!([hit]),
        json!([hit, note]),
        json!([[hit]]),
        json!([hit, { "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "forbidden" } }]),
        many,
    ]
    .iter()
    .map(Value::to_string)
    .collect();
    let pattern = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"batches are not part of this protocol; send one message at a time"}}"#;
    let cases: Vec<(&str, String)> = texts.iter().map(|text| (text.as_str(), pattern.to_owned())).collect();
    runs_nothing(&cases).await;
}
