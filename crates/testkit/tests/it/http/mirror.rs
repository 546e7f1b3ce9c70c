//! Headers that repeat parts of the body. They must agree with it, or nothing runs.
use overt_testkit::http_raw::Request;
use serde_json::{Value, json};

use crate::probe::Probe;
use crate::servers::by_name;
use crate::web::{Web, call, legacy, modern, modern_body};

fn hit() -> Request {
    modern(1, "tools/call", call("hit"))
}

#[tokio::test]
async fn http_08_headers_that_are_missing_differ_or_stand_twice() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let cases: Vec<(&str, Request)> = vec![
        ("no version", hit().without("MCP-Protocol-Version")),
        ("no method", hit().without("Mcp-Method")),
        ("no name", hit().without("Mcp-Name")),
        ("another method", hit().set("Mcp-Method", "tools/list")),
        ("another name", hit().set("Mcp-Name", "hold")),
        ("an older version", hit().set("MCP-Protocol-Version", "2025-11-25")),
        ("an unknown version", hit().set("MCP-Protocol-Version", "2099-01-01")),
        ("method in another case", hit().set("Mcp-Method", "Tools/Call")),
        ("name in another case", hit().set("Mcp-Name", "HIT")),
        ("version twice", hit().header("MCP-Protocol-Version", "2026-07-28")),
        ("method twice", hit().header("Mcp-Method", "tools/call")),
        ("name twice", hit().header("Mcp-Name", "hit")),
        ("name twice, differing", hit().header("mcp-name", "hold")),
        ("two names in one", hit().set("Mcp-Name", "hit, hit")),
        ("empty name", hit().set("Mcp-Name", "")),
        ("broken base64", hit().set("Mcp-Name", "=?base64?!!!?=")),
        ("base64 of something else", hit().set("Mcp-Name", "=?base64?aG9sZA==?=")),
        ("base64 that is not text", hit().set("Mcp-Name", "=?base64?/w==?=")),
        ("base64 with another mark", hit().set("Mcp-Name", "=?BASE64?aGl0?=")),
        ("base64 without padding", hit().set("Mcp-Name", "=?base64?aGl?=")),
    ];
    for (what, request) in cases {
        let (status, reply) = web.answer(&request).await;
        assert_eq!((status, &reply["error"]["code"]), (400, &json!(-32020)), "{what}: {reply}");
    }
    assert_eq!(probe.begun(), 0);
    for (what, request) in [
        ("as it should be", hit()),
        ("names of headers have no case", hit().without("Mcp-Name").header("MCP-NAME", "hit")),
        ("in base64", hit().set("Mcp-Name", "=?base64?aGl0?=")),
        ("with space around", hit().set("Mcp-Name", "  hit\t")),
    ] {
        let (status, reply) = web.answer(&request).await;
        assert_eq!(status, 200, "{what}: {reply}");
    }
    assert_eq!(probe.begun(), 4);
    web.stop().await;
}

#[tokio::test]
async fn http_08_no_header_makes_a_request_one_of_another_era() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let session = web.session().await;
    // The headers claim the newer era, but the body is of the older one.
    let old = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call("hit") }).to_string();
    let request = Request::post(old)
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", "hit");
    let (status, reply) = web.answer(&request).await;
    assert_eq!((status, &reply["error"]["code"]), (400, &json!(-32602)), "{reply}");
    // A session does not change that.
    let (status, _) = web.answer(&request.header("Mcp-Session-Id", &session)).await;
    assert_eq!(status, 400);
    // Requests in a session with a version without sessions, or an unknown version.
    for version in ["2026-07-28", "2099-01-01", "", "2025-11-25 2026-07-28"] {
        let request = legacy(&session, 1, "tools/call", call("hit")).set("MCP-Protocol-Version", version);
        let (status, reply) = web.answer(&request).await;
        assert_eq!(status, 400, "{version}: {reply}");
    }
    assert_eq!(probe.begun(), 0);
    // A request of the newer era ignores sessions.
    let (status, _) = web.answer(&hit().header("Mcp-Session-Id", "nonsense")).await;
    assert_eq!(status, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_08_an_unknown_version_is_told_which_there_are() {
    let (_, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let mut body = modern_body(1, "tools/list", json!({}));
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let request = Request::post(body.to_string())
        .header("MCP-Protocol-Version", "2099-01-01")
        .header("Mcp-Method", "tools/list");
    let (status, reply) = web.answer(&request).await;
    assert_eq!((status, &reply["error"]["code"]), (400, &json!(-32022)));
    assert_eq!(reply["error"]["data"]["requested"], "2099-01-01");
    assert!(reply["error"]["data"]["supported"].as_array().unwrap().contains(&json!("2026-07-28")));
    web.stop().await;
}

#[tokio::test]
async fn http_08_methods_that_do_not_exist_are_404() {
    let web = Web::serve(by_name("example")).await;
    for method in ["ping", "no/such/method", "logging/setLevel"] {
        let (status, reply) = web.answer(&modern(1, method, json!({}))).await;
        assert_eq!((status, &reply["error"]["code"]), (404, &json!(-32601)), "{method}");
    }
    web.stop().await;
}

#[tokio::test]
async fn http_08_arguments_that_are_repeated_in_headers_must_agree() {
    let web = Web::serve(by_name("example")).await;
    let request = |arguments: Value| {
        modern(1, "tools/call", json!({ "name": "test_custom_header", "arguments": arguments }))
    };
    let text = || request(json!({ "value": "Grüße" }));
    let number = || request(json!({ "value": "x", "size": 42 })).header("Mcp-Param-Value", "x");
    let mismatches: Vec<(&str, Request)> = vec![
        ("missing", text()),
        ("another value", text().header("Mcp-Param-Value", "Gruss")),
        (
            "twice",
            request(json!({ "value": "x" })).header("Mcp-Param-Value", "x").header("Mcp-Param-Value", "x"),
        ),
        ("broken base64", text().header("Mcp-Param-Value", "=?base64?%%?=")),
        ("another number", number().header("Mcp-Param-Size", "43")),
        ("no number", number().header("Mcp-Param-Size", "many")),
        (
            "a header without its argument",
            request(json!({ "value": "x" })).header("Mcp-Param-Value", "x").header("Mcp-Param-Size", "1"),
        ),
        (
            "another value of an argument that may be null",
            request(json!({ "value": "x", "region": "eu" }))
                .header("Mcp-Param-Value", "x")
                .header("Mcp-Param-Region", "us"),
        ),
    ];
    for (what, request) in mismatches {
        let (status, reply) = web.answer(&request).await;
        assert_eq!((status, &reply["error"]["code"]), (400, &json!(-32020)), "{what}: {reply}");
    }
    for (what, request) in [
        ("text in base64", text().header("Mcp-Param-Value", "=?base64?R3LDvMOfZQ==?=")),
        ("a number", number().header("mcp-param-size", "42")),
        ("null", request(json!({ "value": "x", "region": null })).header("Mcp-Param-Value", "x")),
        (
            "a header for nothing",
            request(json!({ "value": "x" })).header("Mcp-Param-Value", "x").header("Mcp-Param-Other", "1"),
        ),
    ] {
        let (status, reply) = web.answer(&request).await;
        assert_eq!(status, 200, "{what}: {reply}");
    }
    web.stop().await;
}
