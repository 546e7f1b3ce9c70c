//! `overt call`: results in every form.
use crate::output::snapshot;
use crate::support::Script;

pub(crate) fn tool(result: &str) -> Script {
    Script::with_tools(r#"[{"name":"t","inputSchema":{"type":"object"}}]"#).result("tools/call", result)
}

#[test]
fn text_comes_as_it_is() {
    let server = tool(
        r#"{"content":[{"type":"text","text":"one\ntwo"},{"type":"text","text":"three\r\n"}],"structuredContent":{"x":1}}"#,
    );
    snapshot!(server.run(&["call", "t", "--format", "text"]), @"
    exit 0
    --- stdout
    one
    two
    three
    ");
}

#[test]
fn json_is_the_exact_result() {
    let server =
        tool(r#"{ "content" : [], "structuredContent":{"b":1.0,"a":12345678901234567890}, "x":"\u0041" }"#);
    snapshot!(server.run(&["call", "t", "--format", "text"]), @"
    exit 0
    --- stdout
    b: 1.0
    a: 12345678901234567890
    ");
}

#[test]
fn what_is_no_text_has_a_line() {
    let server = tool(
        r#"{"content":[{"type":"image","data":"iVBORw0K","mimeType":"image/png"},{"type":"audio","data":"AAAA"},{"type":"resource_link","uri":"file:///a","name":"a","description":"the a"},{"type":"resource","resource":{"uri":"file:///b","text":"inside b"}},{"type":"resource","resource":{"uri":"file:///c","blob":"AAA=","mimeType":"application/pdf"}},{"type":"new-kind"}]}"#,
    );
    snapshot!(server.run(&["call", "t", "--format", "text"]), @"
    exit 0
    --- stdout
    [image/png, 6 B; --out saves it]
    [binary, 3 B; --out saves it]
    [link file:///a a: the a]
    [resource file:///b]
    inside b
    [application/pdf, 2 B file:///c; --out saves it]
    [content of type new-kind; `--format json` shows it]
    ");
}

#[test]
fn a_tool_that_fails_has_its_own_exit_code() {
    let server =
        tool(r#"{"content":[{"type":"text","text":"no such file\nlook elsewhere"}],"isError":true}"#);
    snapshot!(server.run(&["call", "t", "--format", "text"]), @"
    exit 1
    --- stderr
    tool error: no such file
    look elsewhere
    ");
    snapshot!(server.run(&["call", "t"]), @r#"
    exit 1
    --- stdout
    {"content":[{"type":"text","text":"no such file\nlook elsewhere"}],"isError":true}
    "#);
}

#[test]
fn raw_is_byte_for_byte() {
    let server = tool(
        r#"{"content":[{"type":"text","text":"a\r\n\u001b[1mb"},{"type":"image","data":"AAAA"},{"type":"text","text":"c"}]}"#,
    );
    snapshot!(server.run(&["call", "t", "--raw"]), @"
    exit 0
    --- stdout
    a
    [1mbc⏎
    --- stderr
    warning: left out 1 of the items, which are not text
    ");
    snapshot!(server.run(&["call", "t", "--raw", "--format", "json"]), @"
    exit 2
    --- stderr
    error: the argument '--raw' cannot be used with '--format <FORMAT>'

    Usage: overt call [OPTIONS] <URL> <TOOL> [NAME=VALUE]...
           overt call [OPTIONS] --mcp-json <FILE> <NAME> <TOOL> [NAME=VALUE]...
           overt call [OPTIONS] <TOOL> [NAME=VALUE]... -- <CMD> [ARG]...
           overt call [OPTIONS] fs <TOOL> [NAME=VALUE]...
           overt call --replay <FILE> <URL>

    For more information, try '--help'.
    ");
}

#[test]
fn a_call_that_is_refused() {
    let server = Script::with_tools(r#"[{"name":"t"}]"#)
        .on("tools/call", r#"fail '{"code":-32602,"message":"bad arguments: \u001b[31mred"}'"#);
    snapshot!(server.run(&["call", "t"]), @r"
    exit 3
    --- stderr
    error: the server refused: bad arguments: \u{1b}[31mred (code -32602)
    ");
    snapshot!(tool("7").run(&["call", "t"]), @"
    exit 3
    --- stderr
    error: the server broke the protocol: the result of a call is not an object
    ");
}

const BUSY: &str = r#"send '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":4,"message":"first\u001b[2J"}}'
send '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"not ours","progress":9}}'
send '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2.5}}'
send '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"details"}}'
send '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"disk","data":{"full":true}}}'
answer '{"content":[{"type":"text","text":"done"}]}'"#;

#[test]
fn progress_and_log_messages_are_talk() {
    let server = || {
        Script::with_hello(r#"{"tools":{},"logging":{}}"#)
            .result("tools/list", r#"{"tools":[{"name":"t"}]}"#)
            .on("tools/call", BUSY)
            .result("logging/setLevel", "{}")
    };
    snapshot!(server().run(&["call", "t", "--format", "text"]), @r#"
    exit 0
    --- stdout
    done
    --- stderr
    server error [disk]: {"full":true}
    "#);
    snapshot!(server().run(&["call", "t", "--format", "text", "-v"]), @r#"
    exit 0
    --- stdout
    done
    --- stderr
    connected: scripted 1.2.3, protocol 2025-11-25
    progress: 1/4 first\u{1b}[2J
    progress: 2.5
    server info: details
    server error [disk]: {"full":true}
    "#);
    snapshot!(server().run(&["call", "t", "--format", "text", "-q"]), @"
    exit 0
    --- stdout
    done
    ");
    let verbose = server();
    verbose.run(&["call", "t", "-v"]);
    let received = verbose.received();
    assert!(received.contains(r#""method":"logging/setLevel","params":{"level":"info"}"#), "{received}");
    assert!(received.contains(r#""_meta":{"progressToken":1}"#), "{received}");
}

#[test]
fn the_servers_error_output_shows_with_v() {
    let server = Script::with_tools(r#"[{"name":"t"}]"#)
        .on("tools/call", r#"printf 'watch \033[31mthis\n' >&2; sleep 0.2; answer '{"content":[]}'"#);
    snapshot!(server.run(&["call", "t", "-v"]), @r#"
    exit 0
    --- stdout
    {"content":[]}
    --- stderr
    connected: scripted 1.2.3, protocol 2025-11-25
    server stderr: watch \u{1b}[31mthis
    "#);
    snapshot!(server.run(&["call", "t"]), @r#"
    exit 0
    --- stdout
    {"content":[]}
    "#);
}
