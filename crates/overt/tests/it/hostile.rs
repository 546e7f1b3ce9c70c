//! Servers that send terminal control sequences (CARD-06, RPC-19).
use crate::output::snapshot;
use crate::support::Script;

/// Clears the screen, rings the bell, sets the title, reverses the writing direction, hides text,
/// and overwrites the line.
const EVIL: &str = r"\u001b[2J\u0007\u001b]0;title\u0007\u001b]52;c;aGk=\u0007\u009b31m\u202Ereversed\u200bhidden\udb40\udc41tag\roverwrite";

fn evil_server() -> Script {
    let entry = |rest: &str| {
        format!(r#"{{"name":"n{EVIL}","title":"t{EVIL}","description":"d{EVIL}\nfake line"{rest}}}"#)
    };
    let hello = format!(
        r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}},"resources":{{}},"prompts":{{}},"c{EVIL}":{{}}}},"serverInfo":{{"name":"s{EVIL}","version":"v{EVIL}"}},"instructions":"i{EVIL}"}}"#
    );
    let schema = format!(
        r#","inputSchema":{{"type":"object","properties":{{"p{EVIL}":{{"type":"string","description":"d{EVIL}","enum":["e{EVIL}"],"default":"x{EVIL}"}}}}}},"k{EVIL}":"v{EVIL}""#
    );
    Script::empty()
        .on("server/discover", r#"fail '{"code":-32601,"message":"no"}'"#)
        .result("initialize", &hello)
        .result("tools/list", &format!(r#"{{"tools":[{}]}}"#, entry(&schema)))
        .result(
            "resources/list",
            &format!(r#"{{"resources":[{}]}}"#, entry(&format!(r#","uri":"u{EVIL}","mimeType":"m{EVIL}""#))),
        )
        .result(
            "resources/templates/list",
            &format!(r#"{{"resourceTemplates":[{}]}}"#, entry(&format!(r#","uriTemplate":"u{EVIL}""#))),
        )
        .result(
            "prompts/list",
            &format!(
                r#"{{"prompts":[{}]}}"#,
                entry(&format!(r#","arguments":[{{"name":"a{EVIL}","description":"d{EVIL}"}}]"#))
            ),
        )
}

/// Checks that no character controls the terminal, except line breaks. Colours are off because the
/// output is not a terminal.
#[track_caller]
fn assert_harmless(output: &str) {
    let live =
        |c: &char| (c.is_control() && !"\n\t".contains(*c)) || "\u{202e}\u{200b}\u{e0041}".contains(*c);
    assert_eq!(output.chars().filter(live).collect::<Vec<_>>(), Vec::<char>::new(), "{output}");
}

#[test]
fn card_06_lists_are_escaped_in_every_field() {
    let brief = evil_server().run(&["list", "--format", "text"]).succeeds();
    assert_harmless(&brief);
    assert!(!brief.contains("\nfake line"), "{brief}");
    let long = evil_server().run(&["list", "--long"]).exits(0, &["p\\u{1b}[2J"]);
    assert_harmless(&long);
}

#[test]
fn card_06_results_and_errors_are_escaped() {
    let server = |result: &str| Script::with_tools(r#"[{"name":"t"}]"#).result("tools/call", result);
    let content = format!(
        r#"[{{"type":"text","text":"x{EVIL}"}},{{"type":"image","mimeType":"m{EVIL}","data":"d{EVIL}"}},{{"type":"resource_link","uri":"u{EVIL}","name":"n{EVIL}","description":"d{EVIL}"}},{{"type":"resource","resource":{{"uri":"u{EVIL}","text":"t{EVIL}"}}}},{{"type":"k{EVIL}"}}]"#
    );
    let output =
        server(&format!(r#"{{"content":{content}}}"#)).run(&["call", "t", "--format", "text"]).succeeds();
    assert_harmless(&output);
    let output =
        server(&format!(r#"{{"content":{content},"isError":true}}"#)).run(&["call", "t", "--format", "text"]);
    assert!(output.starts_with("exit 1"), "{output}");
    assert_harmless(&output);
    let output = server(&format!(r#"{{"structuredContent":{{"k{EVIL}":["v{EVIL}"]}}}}"#))
        .run(&["call", "t", "--format", "text"])
        .exits(0, &[r"\u{202e}"]);
    assert_harmless(&output);
    let refused = Script::with_tools(r#"[{"name":"t"}]"#)
        .on("tools/call", &format!(r#"fail '{{"code":1,"message":"m{EVIL}"}}'"#));
    assert_harmless(&refused.run(&["call", "t"]));
    assert_harmless(&evil_server().run(&["call", "t"]));
}

#[test]
fn rpc_19_log_messages_progress_and_error_output_stay_one_line_each() {
    let server = Script::with_tools(r#"[{"name":"t"}]"#).on(
        "tools/call",
        &format!(
            r#"send 'noise
'"$(printf '\033[2J')"
send '{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"error","logger":"l{EVIL}\nerror: fake","data":"d{EVIL}\nerror: fake"}}}}'
send '{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"progress":1,"message":"m{EVIL}\nerror: fake"}}}}'
send '{{"jsonrpc":"2.0","method":"notifications/x{EVIL}\nerror: fake","params":{{}}}}'
printf 'stderr \033[2J\rover\n' >&2
sleep 0.2
fail '{{"code":1,"message":"end"}}'"#
        ),
    );
    let output = server.run(&["call", "t", "-vv"]).exits(3, &[]);
    assert_harmless(&output);
    assert!(!output.contains("\nerror: fake"), "{output}");
    assert_eq!(output.matches("\nerror: ").count(), 1, "{output}");
}

#[test]
fn names_on_the_command_line_reach_the_server_exactly() {
    let server = Script::with_tools(r#"[{"name":"a\u001bb"}]"#).result("tools/call", r#"{"content":[]}"#);
    let output = server.run(&["call", "a\u{1b}b", "--format", "text"]);
    assert_eq!(output, "exit 0");
    snapshot!(server.run(&["call", "a\u{1b}c"]), @r"
    exit 2
    --- stderr
    error: the server has no tool `a\u{1b}c`; did you mean `a\u{1b}b`? available: `a\u{1b}b`
    ");
}

#[test]
fn a_megabyte_of_description_is_cut_for_people_and_whole_for_programs() {
    let long = "x".repeat(1 << 20);
    let server = Script::with_hello(r#"{"tools":{}}"#);
    std::fs::write(server.path("long"), format!(r#"{{"tools":[{{"name":"t","description":"{long}"}}]}}"#))
        .unwrap();
    let server = server.on("tools/list", r#"answer "$(cat "$here/long")""#);
    assert!(server.run(&["list", "--format", "text"]).len() < 1_000);
    assert!(server.run(&["list", "--long"]).len() < 20_000);
    assert!(server.run(&["list"]).len() > 1 << 20);
}
