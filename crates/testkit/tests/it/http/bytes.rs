//! Requests that two readers could read differently. Each is refused, or read as the standard says.
use crate::probe::Probe;
use crate::web::{Web, call, modern, modern_body};

/// Returns a head with the usual headers, and with those of the case.
fn head(web: &Web, line: &str, more: &str) -> String {
    format!(
        "{line}\r\nHost: {}\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: hit\r\n{more}\r\n",
        web.address
    )
}

fn body() -> String {
    modern_body(1, "tools/call", call("hit")).to_string()
}

#[tokio::test]
async fn http_12_lengths_that_can_be_read_in_two_ways() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let (body, length) = (body(), body().len());
    let chunked = format!("{length:x}\r\n{body}\r\n0\r\n\r\n");
    let post = "POST /mcp HTTP/1.1";
    for (what, request) in [
        (
            "two lengths",
            head(&web, post, &format!("Content-Length: {length}\r\nContent-Length: {}\r\n", length + 1))
                + &body,
        ),
        ("a length with a sign", head(&web, post, &format!("Content-Length: +{length}\r\n")) + &body),
        ("a negative length", head(&web, post, "Content-Length: -1\r\n") + &body),
        ("a length in hexadecimal", head(&web, post, &format!("Content-Length: 0x{length:x}\r\n")) + &body),
        ("an unknown coding", head(&web, post, "Transfer-Encoding: xchunked\r\n") + &chunked),
        ("chunked, but not last", head(&web, post, "Transfer-Encoding: chunked, identity\r\n") + &chunked),
        ("a coding in disguise", head(&web, post, "Transfer-Encoding: \u{b}chunked\r\n") + &chunked),
        ("a chunk without a size", head(&web, post, "Transfer-Encoding: chunked\r\n") + "zz\r\n" + &body),
        (
            "a chunk of a huge size",
            head(&web, post, "Transfer-Encoding: chunked\r\n") + "fffffffffffffffff\r\n" + &body,
        ),
    ] {
        let answer = web.raw(request.as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{what}: {answer}");
        assert_eq!(probe.begun(), 0, "{what}");
    }
    // A correct request is accepted, in one piece and in chunks.
    for request in [
        head(&web, post, &format!("Content-Length: {length}\r\n")) + &body,
        head(&web, post, "Transfer-Encoding: chunked\r\n") + &chunked,
    ] {
        let mut connection = web.connect().await;
        connection.write(request.as_bytes()).await;
        assert_eq!(connection.head().await.unwrap().status, 200);
    }
    assert_eq!(probe.begun(), 2);
    web.stop().await;
}

/// The standard allows a server to read such a request by its chunks, if it ignores everything that
/// follows.
#[tokio::test]
async fn http_12_with_two_kinds_of_length_nothing_can_be_smuggled_behind() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let (body, length) = (body(), body().len());
    let smuggled = head(&web, "POST /mcp HTTP/1.1", &format!("Content-Length: {length}\r\n")) + &body;
    for (count, lengths) in [
        (1, format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", smuggled.len())),
        (2, "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n".to_owned()),
    ] {
        let chunked = format!("{length:x}\r\n{body}\r\n0\r\n\r\n");
        let mut connection = web.connect().await;
        let request = head(&web, "POST /mcp HTTP/1.1", &lengths) + &chunked + &smuggled;
        connection.write(request.as_bytes()).await;
        let head = connection.head().await.unwrap();
        assert_eq!((head.status, head.header("connection")), (200, Some("close")));
        connection.body().await;
        assert!(connection.until_closed().await.is_empty());
        assert_eq!(probe.begun(), count);
    }
    web.stop().await;
}

#[tokio::test]
async fn http_12_headers_that_can_be_read_in_two_ways() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let post = "POST /mcp HTTP/1.1";
    for (what, more) in [
        ("a folded header", "X-Folded: a\r\n b\r\n"),
        ("space before the colon", "X-Spaced : a\r\n"),
        ("a header without a name", ": a\r\n"),
        ("a zero byte", "X-Zero: a\0b\r\n"),
        ("a bare carriage return", "X-Return: a\rEvil: b\r\n"),
        ("no colon", "X-Nothing\r\n"),
        ("an odd name", "X(odd): a\r\n"),
    ] {
        let request = head(&web, post, &format!("{more}Content-Length: {}\r\n", body().len())) + &body();
        let answer = web.raw(request.as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{what}: {answer}");
    }
    assert_eq!(probe.begun(), 0);
    web.stop().await;
}

#[tokio::test]
async fn http_12_extensions_of_chunks_are_bounded() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let request = head(&web, "POST /mcp HTTP/1.1", "Transfer-Encoding: chunked\r\n");
    let mut connection = web.connect().await;
    connection.write(request.as_bytes()).await;
    // The server may close the connection at any time from here.
    for _ in 0..200 {
        if !connection.write(format!("1;{}\r\n \r\n", "x".repeat(1000)).as_bytes()).await {
            break;
        }
    }
    let answer = String::from_utf8_lossy(&connection.until_closed().await).into_owned();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(probe.begun(), 0);
    web.stop().await;
}

#[tokio::test]
async fn http_12_requests_that_follow_at_once_are_answered_in_order() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let mut connection = web.connect().await;
    let both: Vec<u8> = [7, 8]
        .iter()
        .flat_map(|id| modern(*id, "tools/call", call("hit")).to_bytes(&web.address.to_string()))
        .collect();
    connection.write(&both).await;
    for id in [7, 8] {
        assert_eq!(connection.head().await.unwrap().status, 200);
        assert!(connection.body().await.contains(&format!(r#""id":{id},"#)));
    }
    assert_eq!(probe.begun(), 2);
    web.stop().await;
}

#[tokio::test]
async fn http_12_other_methods_paths_and_protocols() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let more = format!("Content-Length: {}\r\n", body().len());
    for (line, statuses) in [
        ("PUT /mcp HTTP/1.1", &["405"][..]),
        ("TRACE /mcp HTTP/1.1", &["405"]),
        ("PATCH /mcp HTTP/1.1", &["405"]),
        ("post /mcp HTTP/1.1", &["405", "400"]),
        ("CONNECT evil.com:443 HTTP/1.1", &["400", "404", "405"]),
        ("POST /mcp/../admin HTTP/1.1", &["404"]),
        ("POST /admin/../mcp HTTP/1.1", &["404"]),
        ("POST //mcp HTTP/1.1", &["404"]),
        ("POST /mcp%2f HTTP/1.1", &["404"]),
        ("POST /%6dcp HTTP/1.1", &["404"]),
        ("POST /mcp/ HTTP/1.1", &["404"]),
        ("POST /MCP HTTP/1.1", &["404"]),
        ("POST /mcp\0 HTTP/1.1", &["400"]),
        ("POST * HTTP/1.1", &["400", "404"]),
        ("POST mcp HTTP/1.1", &["400", "404"]),
        ("POST /mcp HTTP/3.0", &["400", "505"]),
        ("POST /mcp", &["400"]),
        ("GET /metrics HTTP/1.1", &["404"]),
        ("GET /health HTTP/1.1", &["404"]),
        ("GET / HTTP/1.1", &["404"]),
    ] {
        let answer = web.raw((head(&web, line, &more) + &body()).as_bytes()).await;
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert!(statuses.contains(&status), "{line}: {answer}");
    }
    // The preface of HTTP/2 is refused, because the server does not support it.
    let answer = web.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(probe.begun(), 0);
    // A request to switch to another protocol is ignored.
    let mut connection = web.connect().await;
    let request = modern(1, "tools/call", call("hit"))
        .header("Connection", "Upgrade, HTTP2-Settings")
        .header("Upgrade", "h2c")
        .header("HTTP2-Settings", "AAMAAABkAAQCAAAAAAIAAAAA");
    let (head, _) = connection.ask(&request).await;
    assert_eq!(head.status, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_12_a_client_may_wait_to_be_told_to_go_on() {
    let (_, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let mut connection = web.connect().await;
    let more = format!("Content-Length: {}\r\nExpect: 100-continue\r\n", body().len());
    connection.write(head(&web, "POST /mcp HTTP/1.1", &more).as_bytes()).await;
    connection.write(body().as_bytes()).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    web.stop().await;
}
