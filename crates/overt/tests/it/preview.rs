//! `overt call --preview` and `--plan`: show what would change before it happens.
use crate::output::snapshot;
use crate::support::Script;

pub(crate) const TOOLS: &str = r#"[{"name":"write","inputSchema":{"type":"object"},"annotations":{"preview":true}},{"name":"remove","inputSchema":{"type":"object"},"_meta":{"dev.overt/preview":true}},{"name":"plain","inputSchema":{"type":"object"}}]"#;
const DIFF: &str = r#"{"contents":[{"uri":"ui://write/1.diff","mimeType":"text/x-diff","text":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\u001b[2J\n+new\n"}]}"#;

pub(crate) fn server(result: &str) -> Script {
    Script::with_tools(TOOLS).result("tools/call", result).result("resources/read", DIFF)
}

#[test]
fn a_preview_is_a_diff_and_a_plan() {
    let result = r#"{"content":[{"type":"text","text":"{}"}],"_meta":{"preview":true,"dev.overt/plan":"sha256-x","dev.overt/review":{"diff":"ui://write/1.diff"}}}"#;
    let server = server(result);
    snapshot!(server.run(&["call", "write", "--preview", "--format", "text"]), @r"
    exit 0
    --- stdout
    --- a/x
    +++ b/x
    @@ -1 +1 @@
    -old\u{1b}[2J
    +new
    --- stderr
    nothing was changed; `--plan sha256-x` makes exactly this call
    ");
    snapshot!(server.run(&["call", "write", "--preview", "--format", "json", "--quiet"]), @r#"
    exit 0
    --- stdout
    {"content":[{"type":"text","text":"{}"}],"_meta":{"preview":true,"dev.overt/plan":"sha256-x","dev.overt/review":{"diff":"ui://write/1.diff"}}}
    "#);
}

#[test]
fn the_diff_of_other_servers_is_found_by_its_link() {
    for item in [
        r#"{"type":"resource_link","uri":"ui://write/1.diff","name":"diff","mimeType":"text/x-diff"}"#,
        r#"{"type":"diff","url":"ui://write/1.diff","mimeType":"text/x-diff"}"#,
    ] {
        let server = server(&format!(r#"{{"content":[{item}],"_meta":{{"preview":true}}}}"#));
        let shown = server.run(&["call", "write", "--preview", "--format", "text"]);
        assert!(shown.contains("@@ -1 +1 @@\n-old"), "{shown}");
    }
}

#[test]
fn what_has_no_previews_is_not_called() {
    // The server has no answer to `tools/call`, so any call would fail.
    let server = Script::with_tools(TOOLS);
    snapshot!(server.run(&["call", "plain", "--plan", "sha256-x"]), @"
    exit 2
    --- stderr
    error: `plain` has no previews, so it was not called; these have them: `write`, `remove`

    hint: without `--preview` and `--plan` it is called, with whatever effect it has
    ");
    let server = Script::with_tools(r#"[{"name":"plain","inputSchema":{"type":"object"}}]"#);
    snapshot!(server.run(&["call", "plain", "--preview"]), @"
    exit 2
    --- stderr
    error: `plain` has no previews, so it was not called; no tool of this server has any

    hint: without `--preview` and `--plan` it is called, with whatever effect it has
    ");
}

#[test]
fn a_server_that_does_not_say_that_it_only_previewed_is_not_believed() {
    let server = server(r#"{"content":[{"type":"text","text":"done"}]}"#);
    snapshot!(server.run(&["call", "write", "--preview", "--format", "text"]), @"
    exit 0
    --- stderr
    warning: the server does not say that this was a preview: the call may have had its effect
    nothing would change, as far as the server shows
    ");
}

#[test]
fn a_refused_plan_is_a_tool_error() {
    let server = server(r#"{"content":[{"type":"text","text":"The plan no longer holds."}],"isError":true}"#);
    snapshot!(server.run(&["call", "write", "--plan", "sha256-x", "--format", "text"]), @"
    exit 1
    --- stderr
    tool error: The plan no longer holds.
    ");
}

/// The server's words are for a model, which sets `_meta`. A person needs the names of the options.
#[test]
fn a_plan_that_no_longer_holds_names_the_options() {
    let server = server(
        r#"{"content":[{"type":"text","text":"The plan for `write` no longer holds. Call again with `_meta.preview`. [PLAN_CHANGED]"}],"isError":true,"_meta":{"dev.overt/error":{"code":"PLAN_CHANGED"}}}"#,
    );
    snapshot!(server.run(&["call", "write", "--plan", "sha256-x", "--format", "text"]), @"
    exit 1
    --- stderr
    tool error: the plan for `write` no longer holds: the arguments, or what is there, are not those of the preview; nothing was changed

    hint: `--preview` in place of `--plan` shows the changes as they are now, and the new plan
    ");
}

#[test]
fn the_page_is_written_where_it_is_wanted() {
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("page.html");
    let file = file.to_str().unwrap();
    let result = r#"{"content":[],"_meta":{"preview":true,"dev.overt/review":{"page":"ui://write/1","diff":"ui://write/1.diff"}}}"#;
    let page = r#"{"contents":[{"uri":"ui://write/1","mimeType":"text/html","text":"<!DOCTYPE html>"}]}"#;
    let server = Script::with_tools(TOOLS).result("tools/call", result).result("resources/read", page);
    let shown = server.run(&["call", "write", "--preview", "--review", file]);
    assert!(shown.contains("saved the changes as a page: "), "{shown}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "<!DOCTYPE html>");
    let shown = server.run(&["call", "write", "--review", file]);
    assert!(shown.contains("exists already") && shown.contains("`--force` replaces it"), "{shown}");
    server.run(&["call", "write", "--review", file, "--force"]).succeeds();
    let none = Script::with_tools(TOOLS).result("tools/call", r#"{"content":[]}"#);
    let shown = none.run(&["call", "write", "--review", file, "--force"]);
    assert!(shown.contains("there is no page to save"), "{shown}");
}
