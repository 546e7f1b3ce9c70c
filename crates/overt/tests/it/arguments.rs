//! How command-line words become a tool's arguments.
use tempfile::TempDir;

use crate::output::snapshot;
use crate::support::{Script, file, run, run_with_stdin};

const TOOL: &str = r#"[{"name":"t","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"},"on":{"type":"boolean"},"list":{"type":"array","items":{"type":"string"}},"mode":{"enum":["fast","slow"]}},"required":["text"]}},{"name":"open","inputSchema":{"type":"object","additionalProperties":true}},{"name":"none","inputSchema":{"type":"object"}}]"#;

fn server() -> Script {
    Script::with_tools(TOOL).result("tools/call", r#"{"content":[]}"#)
}

/// Returns the `params` that the server received.
#[track_caller]
fn sent(arguments: &[&str]) -> String {
    let server = server();
    server.run(&[&["call"], arguments].concat()).succeeds();
    let received = server.received();
    let call = received.lines().find(|line| line.contains("tools/call")).expect("the tool was called");
    call.split_once("\"params\":").expect("params").1.strip_suffix('}').expect("an object").to_owned()
}

#[test]
fn every_form_of_word() {
    let directory = TempDir::new().unwrap();
    let (text, json) =
        (file(directory.path(), "a.txt", "line\n"), file(directory.path(), "a.json", "[\"x\"]\n"));
    snapshot!(sent(&["t", "text=5", "n=5", "on=true", r#"list=["a"]"#, "mode=slow"]), @r#"{"name":"t","arguments":{"text":"5","n":5,"on":true,"list":["a"],"mode":"slow"},"_meta":{"progressToken":1}}"#);
    snapshot!(sent(&["t", "text:=\"\\u0041\"", "n=12345678901234567890123"]), @r#"{"name":"t","arguments":{"text":"\u0041","n":12345678901234567890123},"_meta":{"progressToken":1}}"#);
    snapshot!(sent(&["t", &format!("text=@{text}"), &format!("list:=@{json}")]), @r#"{"name":"t","arguments":{"text":"line\n","list":["x"]},"_meta":{"progressToken":1}}"#);
    snapshot!(sent(&["t", "text=@@here", "list=[]"]), @r#"{"name":"t","arguments":{"text":"@here","list":[]},"_meta":{"progressToken":1}}"#);
    snapshot!(sent(&["open", "a=1", "b=x", "c=null"]), @r#"{"name":"open","arguments":{"a":1,"b":"x","c":null},"_meta":{"progressToken":1}}"#);
    snapshot!(sent(&["none"]), @r#"{"name":"none","arguments":{},"_meta":{"progressToken":1}}"#);
}

#[test]
fn the_whole_object_goes_as_it_is() {
    snapshot!(sent(&["t", "--json", r#"{ "n" : 1.0, "unknown": [] }"#]), @r#"{"name":"t","arguments":{ "n" : 1.0, "unknown": [] },"_meta":{"progressToken":1}}"#);
    let directory = TempDir::new().unwrap();
    let path = file(directory.path(), "a.json", "{\"text\":\"file\"}\n");
    snapshot!(sent(&["t", "--json", &format!("@{path}")]), @r#"{"name":"t","arguments":{"text":"file"},"_meta":{"progressToken":1}}"#);
    let server = server();
    let output = run_with_stdin(&mut server.overt(&["call", "t", "--json", "-"]), "{\"text\":\"stdin\"}\n");
    assert!(
        output.starts_with("exit 0") && server.received().contains(r#""arguments":{"text":"stdin"}"#),
        "{output}"
    );
    let output = run_with_stdin(&mut server.overt(&["call", "t", "text=@-"]), "a\nb");
    assert!(
        output.starts_with("exit 0") && server.received().contains(r#""arguments":{"text":"a\nb"}"#),
        "{output}"
    );
}

#[test]
fn mistakes_are_found_before_the_call() {
    let server = server();
    let call = |arguments: &[&str]| server.run(&[&["call"], arguments].concat());
    snapshot!(call(&["t"]), @"
    exit 2
    --- stderr
    error: `t` also needs `text` (string)

    hint: `overt list --long` shows what each argument is for
    ");
    snapshot!(call(&["t", "text=a", "txt=b"]), @"
    exit 2
    --- stderr
    error: `t` has no parameter `txt`; did you mean `text`? available: `text`, `n`, `on`, `list`, `mode`

    hint: to send arguments that the schema doesn't describe, use `--json`
    ");
    snapshot!(call(&["t", "text=a", "text=b"]), @r#"
    exit 2
    --- stderr
    error: `text` is given twice

    hint: for several values in an array write `text:='["a","b"]'`
    "#);
    snapshot!(call(&["t", "text=a", "n=many"]), @"
    exit 2
    --- stderr
    error: `n` takes an integer, and `many` is none
    ");
    snapshot!(call(&["t", "text=a", "mode=medium"]), @"
    exit 2
    --- stderr
    error: `mode` is one of `fast`, `slow`, and `medium` is none of them
    ");
    snapshot!(call(&["t", "text=a", "list=a"]), @"
    exit 2
    --- stderr
    error: `list` takes a JSON array such as `[1,2]`, and `a` is none
    ");
    snapshot!(call(&["none", "a=1"]), @"
    exit 2
    --- stderr
    error: `none` takes no arguments, and `a` was given

    hint: to send arguments that the schema doesn't describe, use `--json`
    ");
    snapshot!(call(&["tt", "a=1"]), @"
    exit 2
    --- stderr
    error: the server has no tool `tt`; available: `t`, `open`, `none`
    ");
    assert!(!server.received().contains("tools/call"));
}

#[test]
fn words_that_are_no_arguments() {
    let call = |arguments: &[&str]| run(&[&["call", "http://x/mcp", "t"], arguments].concat());
    snapshot!(call(&["text"]), @"
    exit 2
    --- stderr
    error: `text` is not an argument

    hint: arguments look like `name=value`, `name:=json` or `name=@file`
    ");
    snapshot!(call(&["text=@/nonexistent/file"]), @"
    exit 2
    --- stderr
    error: failed to read `/nonexistent/file`
      caused by: No such file or directory (os error 2)
    ");
    snapshot!(call(&["text:=nope"]), @"
    exit 2
    --- stderr
    error: the value of `text` is not valid JSON
      caused by: expected a value at byte 0

    hint: `text:=…` takes JSON; for text write `text=…`
    ");
    snapshot!(call(&["--json", "{}", "a=1"]), @"
    exit 2
    --- stderr
    error: `--json` and `a=1` can't be used together

    hint: give the whole object with `--json`, or each argument as `name=value`
    ");
    snapshot!(call(&["--json", r#"{"a":1,"a":2}"#]), @"
    exit 2
    --- stderr
    error: the arguments of `--json` are not valid JSON
      caused by: duplicate member name at byte 8
    ");
    snapshot!(call(&["--json", "[1]"]), @"
    exit 2
    --- stderr
    error: the arguments of `--json` must be an object
    ");
    snapshot!(call(&["a=@-", "b=@-"]), @"
    exit 2
    --- stderr
    error: standard input can be used for one value only
    ");
}

#[test]
fn servers_without_tools() {
    snapshot!(Script::with_hello("{}").run(&["call", "t"]), @"
    exit 2
    --- stderr
    error: the server offers no tools
    ");
    snapshot!(Script::with_tools("[]").run(&["call", "t"]), @"
    exit 2
    --- stderr
    error: the server offers no tools
    ");
}
