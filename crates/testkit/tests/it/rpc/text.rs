//! Input that is not JSON, and input that is too large.
use overt_testkit::http_raw::Request;
use overt_testkit::link::LineLink;
use overt_testkit::process::Process;
use overt_transport::limits::Limits;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::kit::{after, memory, must_be, process, refuses};
use crate::servers::{PROGRAM, by_name};
use crate::web::{Web, modern_body};

const PARSE: &str = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"refused the message: …"}}"#;
const TOO_LONG: &str =
    r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"a message may have at most 16777216 bytes"}}"#;

#[tokio::test]
async fn rpc_01_garbage_is_answered_once_and_the_session_goes_on() {
    refuses(&[
        (b"hello", PARSE),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":", PARSE),
        (b"{} {}", PARSE),
        (b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", PARSE),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",}", PARSE),
        (b"// comment", PARSE),
        (b"'{}'", PARSE),
        (b"\x00", PARSE),
    ])
    .await;
}

#[tokio::test]
async fn rpc_01_blank_lines_line_ends_and_spaces_are_no_mistakes() {
    let mut link = process();
    let ping = br#"  {"jsonrpc":"2.0","id":1,"method":"ping"}  "#;
    let pong = &[r#"{"jsonrpc":"2.0","id":1,"result":{}}"#];
    must_be(b"blank", &after(&mut link, b"\n\r\n \t \n\n").await, &[]);
    must_be(ping, &after(&mut link, ping).await, pong);
    let crlf = [&ping[..], b"\r"].concat();
    must_be(&crlf, &after(&mut link, &crlf).await, pong);
    assert!(link.finish().await.is_empty());
}

#[tokio::test]
async fn rpc_01_a_flood_of_garbage_is_answered_only_so_often_and_the_good_always() {
    let mut link = memory("example");
    let mut answered = 0;
    for _ in 0..20 {
        answered += after(&mut link, &b"garbage\n".repeat(500)).await.len();
    }
    assert!((50..2_000).contains(&answered), "{answered}");
}

#[tokio::test]
async fn rpc_01_broken_answers_are_not_answered() {
    let mut link = process();
    for broken in [
        &br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#[..],
        br#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":"#,
        br#"{"jsonrpc":"1.0","id":1,"error":{"code":1,"message":"x"}}"#,
        br#"{"jsonrpc":"2.0","result":{}}"#,
    ] {
        must_be(broken, &after(&mut link, broken).await, &[]);
    }
}

#[tokio::test]
async fn rpc_02_bytes_that_are_no_text_do_not_end_the_session() {
    refuses(&[
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xFFing\"}", PARSE),
        (b"\xC0\xAF", PARSE),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xC1\xBF\"}", PARSE),
        (b"\xED\xA0\x80", PARSE),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x00b\"}", PARSE),
        (
            br#"{"jsonrpc":"2.0","id":7,"method":"\ud800"}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"refused the message: a surrogate escape without its other half at byte …"}}"#,
        ),
    ])
    .await;
}

#[tokio::test]
async fn rpc_02_escaped_zero_bytes_are_text_like_any_other() {
    let mut link = memory("example");
    let params = json!({ "name": "echo", "arguments": { "message": "a\u{0}b\u{7f}" } });
    let reply = link.ask(&modern_body(1, "tools/call", params).to_string()).await;
    assert!(reply.contains(r"a\u0000b"), "{reply}");
}

/// A line that never ends costs no more than the limit, and is reported once.
#[tokio::test]
async fn rpc_03_a_line_without_end_costs_no_more_than_the_limit() {
    let mut process = Process::start(PROGRAM, &["--stdio"]);
    let mut input = process.input.take().unwrap();
    let mut lines = BufReader::new(process.output.take().unwrap()).lines();
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
    assert!(lines.next_line().await.unwrap().unwrap().contains("result"));
    let before = process.peak_memory();
    let megabyte = vec![b'x'; 1 << 20];
    for _ in 0..1024 {
        input.write_all(&megabyte).await.unwrap();
    }
    input.write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n").await.unwrap();
    let report = lines.next_line().await.unwrap().unwrap();
    must_be(b"a long line", &[report], &[TOO_LONG]);
    let pong = lines.next_line().await.unwrap().unwrap();
    assert_eq!(pong, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    let cost = process.peak_memory() - before;
    assert!(cost < Limits::default().max_message_bytes * 2, "{} MB", cost >> 20);
}

#[tokio::test]
async fn rpc_03_a_body_over_the_limit_is_refused_while_it_is_read() {
    let limits = Limits { max_message_bytes: 1 << 20, ..Limits::default() };
    let web = Web::serve_with(by_name("example"), limits).await;
    // This body claims to be huge. It is refused soon after the limit.
    let mut connection = web.connect().await;
    let head = "POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n";
    connection.write(head.replace("HOST", &web.address.to_string()).as_bytes()).await;
    connection.write(&vec![b' '; (1 << 20) + 1000]).await;
    assert_eq!(connection.head().await.unwrap().status, 413);
    // A chunked body does not announce its size.
    let mut connection = web.connect().await;
    let head = "POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    connection.write(head.replace("HOST", &web.address.to_string()).as_bytes()).await;
    let chunk = format!("{:x}\r\n{}\r\n", 100_000, " ".repeat(100_000));
    for _ in 0..11 {
        connection.write(chunk.as_bytes()).await;
    }
    let status = connection.head().await.unwrap().status;
    assert_eq!(status, 413);
    web.stop().await;
}

#[tokio::test]
async fn rpc_03_messages_up_to_the_limit_are_answered() {
    let mut link = process();
    for length in [1, 64 << 10, 4 << 20] {
        let params = json!({ "name": "echo", "arguments": { "message": "x".repeat(length) } });
        let reply = link.ask(&modern_body(1, "tools/call", params).to_string()).await;
        assert!(reply.len() > length && reply.contains("\"complete\""), "{length}");
    }
    let limit = Limits::default().max_message_bytes;
    must_be(b"too long", &after(&mut link, &vec![b'1'; limit + 1]).await, &[TOO_LONG]);
    must_be(
        b"long",
        &after(&mut link, &vec![b'1'; limit]).await,
        &[r#"{"jsonrpc":"2.0","error":{"code":-32600, ...}}"#],
    );
}

#[tokio::test]
async fn rpc_04_nesting_is_bounded_all_the_way_to_the_tool() {
    let nested = |depth: usize| {
        // The message, `params`, `arguments`: three levels are used before the value begins.
        let value = format!("{}{}", "[".repeat(depth - 3), "]".repeat(depth - 3));
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"any","arguments":{{"value":{value}}},"_meta":{meta}}}}}"#
        )
    };
    let too_deep = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"refused the message: nested too deeply at byte …"}}"#;
    let passes = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"[[[…]]]"}], ...}}"#;
    let mut link = memory("workshop");
    let web = Web::serve(by_name("workshop")).await;
    for (depth, pattern) in
        [(127, passes), (128, passes), (129, too_deep), (5_000, too_deep), (1_000_000, too_deep)]
    {
        let text = nested(depth);
        must_be(b"nested", &after(&mut link, text.as_bytes()).await, &[pattern]);
        let request = Request::post(text)
            .header("Mcp-Name", "any")
            .header("Mcp-Method", "tools/call")
            .header("MCP-Protocol-Version", "2026-07-28");
        let (head, body) = web.ask(&request).await;
        assert_eq!(head.status, if depth > 128 { 400 } else { 200 });
        must_be(b"nested", &[body], &[pattern]);
    }
    web.stop().await;
}

#[tokio::test]
async fn rpc_04_many_values_and_long_strings_are_bounded_or_answered() {
    let mut link = LineLink::memory(by_name("workshop"), Limits::default());
    let call = |value: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"any","arguments":{{"value":{value}}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        )
    };
    let too_many = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"refused the message: too many values, at byte …"}}"#;
    let answered = r#"{"jsonrpc":"2.0","id":1,"result":{"content":_, ...}}"#;
    let array = format!("[{}0]", "0,".repeat(1_000_000));
    must_be(b"array", &after(&mut link, call(&array).as_bytes()).await, &[too_many]);
    let keys: Vec<String> = (0..1_000_000).map(|n| format!("\"{n}\":0")).collect();
    let object = format!("{{{}}}", keys.join(","));
    must_be(b"object", &after(&mut link, call(&object).as_bytes()).await, &[too_many]);
    let keys = format!("{{{}}}", keys[..50_000].join(","));
    must_be(b"keys", &after(&mut link, call(&keys).as_bytes()).await, &[answered]);
    let string = format!("\"{}\"", "x".repeat(10 << 20));
    must_be(b"string", &after(&mut link, call(&string).as_bytes()).await, &[answered]);
}
