//! `overt list`.
use crate::output::snapshot;
use crate::support::{Script, report};

pub(crate) fn everything() -> Script {
    Script::with_hello(r#"{"tools":{"listChanged":true},"resources":{},"prompts":{},"logging":{}}"#)
        .result(
            "tools/list",
            r#"{"tools":[{"name":"read_file","title":"Read","description":"Reads a file.\n\nSecond paragraph.","inputSchema":{"type":"object","properties":{"head":{"type":"integer","default":10},"path":{"type":"string","description":"Where it is"},"mode":{"enum":["text","hex"]}},"required":["path"]},"annotations":{"readOnlyHint":true}},{"name":"delete","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true},"_meta":{"x/y":1.0}}]}"#,
        )
        .result("resources/list", r#"{"resources":[{"uri":"file:///a.md","name":"a.md","mimeType":"text/markdown","size":12}]}"#)
        .on("resources/templates/list", r#"fail '{"code":-32601,"message":"method not found"}'"#)
        .result("prompts/list", r#"{"prompts":[{"name":"review","description":"Reviews code","arguments":[{"name":"code","required":true,"description":"The code"},{"name":"style"}]}]}"#)
}

#[test]
fn text_has_a_table_for_each_kind() {
    snapshot!(everything().run(&["list", "--format", "text"]), @"
    exit 0
    --- stdout
    scripted 1.2.3
    protocol 2025-11-25; declares tools, resources, prompts, logging

    Tools (2)
      NAME       ARGUMENTS           HINTS        DESCRIPTION
      read_file  path [head] [mode]  read-only    Reads a file. Second paragraph.
      delete                         destructive

    Resources (1)
      URI           NAME  TYPE
      file:///a.md  a.md  text/markdown

    Resource templates (0)

    Prompts (1)
      NAME    ARGUMENTS     DESCRIPTION
      review  code [style]  Reviews code
    ");
}

#[test]
fn long_shows_everything() {
    snapshot!(everything().run(&["list", "--long"]), @r#"
    exit 0
    --- stdout
    scripted 1.2.3
    protocol 2025-11-25; declares tools, resources, prompts, logging

    Tools (2)
      read_file  Read
        Reads a file.

        Second paragraph.
        arguments
          head (integer, default 10)
          path (string, required)  Where it is
          mode (string, one of text hex)
        annotations: {"readOnlyHint":true}

      delete
        annotations: {"destructiveHint":true}
        _meta: {"x/y":1.0}

    Resources (1)
      file:///a.md
        name: a.md
        mimeType: text/markdown
        size: 12

    Resource templates (0)

    Prompts (1)
      review
        Reviews code
        arguments
          code (required)  The code
          style
    "#);
}

#[test]
fn kinds_can_be_chosen() {
    snapshot!(Script::with_tools("[]").run(&["list", "--kind", "all", "--format", "text"]), @"
    exit 0
    --- stdout
    scripted 1.2.3
    protocol 2025-11-25; declares tools

    Tools (0)
    ");
}

#[test]
fn pages_are_joined() {
    let server = Script::with_hello(r#"{"tools":{}}"#).on(
        "tools/list",
        r#"case $line in *'"cursor":"2"'*) answer '{"tools":[{"name":"b"}]}';; *) answer '{"tools":[{"name":"a"}],"nextCursor":"2"}';; esac"#,
    );
    let output = server.run(&["list"]);
    assert!(output.contains(r#""tools":[{"name":"a"},{"name":"b"}]"#), "{output}");
}

#[test]
fn instructions_and_odd_servers_show() {
    let hello = r#"{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"old","title":"Old one","version":""},"instructions":"Use it.\nWith care."}"#;
    let server = || {
        Script::empty()
            .on("server/discover", r#"fail '{"code":-32601,"message":"no"}'"#)
            .result("initialize", hello)
    };
    snapshot!(server().run(&["list", "--format", "text"]), @"
    exit 0
    --- stdout
    old (Old one)
    protocol 2024-11-05; declares nothing
    instructions: Use it. With care.
    ");
    snapshot!(server().run(&["list", "--long"]), @"
    exit 0
    --- stdout
    old (Old one)
    protocol 2024-11-05; declares nothing

    Instructions
      Use it.
      With care.
    ");
    snapshot!(server().run(&["list"]), @r#"
    exit 0
    --- stdout
    {"server":{"name":"old","title":"Old one","version":""},"protocolVersion":"2024-11-05","capabilities":{},"instructions":"Use it.\nWith care."}
    "#);
}

#[test]
fn a_list_that_is_refused_is_the_servers_fault() {
    let server = Script::with_hello(r#"{"tools":{}}"#)
        .on("tools/list", r#"fail '{"code":-32603,"message":"out of order"}'"#);
    snapshot!(server.run(&["list"]), @"
    exit 3
    --- stderr
    error: the server refused: out of order (code -32603)
    ");
    let server = Script::with_hello(r#"{"tools":{}}"#).result("tools/list", r#"{"tolls":[]}"#);
    snapshot!(server.run(&["list"]), @"
    exit 3
    --- stderr
    error: the server broke the protocol: the result of `tools/list` has no list `tools`
    ");
}

/// B-35: a pipe receives the same text as a terminal, without colour.
#[test]
fn a_pipe_gets_text_unless_json_is_asked_for() {
    let server = Script::with_tools(r#"[{"name":"echo","inputSchema":{"type":"object"}}]"#);
    let printed = |format: Option<&str>, arguments: &[&str]| {
        let mut command = server.overt(&[&["list"], arguments].concat());
        match format {
            Some(format) => command.env("OVERT_FORMAT", format),
            None => command.env_remove("OVERT_FORMAT"),
        };
        report(&command.output().unwrap())
    };
    let (text, json) = (printed(None, &[]), printed(Some("json"), &[]));
    assert!(text.contains("echo") && !text.contains(['{', '\u{1b}']), "{text}");
    assert!(json.contains(r#""name":"echo""#), "{json}");
    assert_eq!((printed(Some(""), &[]), printed(Some("json"), &["--format", "text"])), (text.clone(), text));
    printed(Some("yaml"), &[]).exits(2, &["`text` or `json`"]);
}
