//! Which marks of an upstream move, and that nothing else changes.
use overt_wire::json::Limits;

use super::*;

fn message(text: &str) -> Message {
    Message::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap()
}

fn result(result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#)
}

fn error(error: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#)
}

#[track_caller]
fn check(before: &str, after: &str) {
    assert_eq!(move_marks(message(before)).unwrap().text(), after);
}

/// Pairs of what an upstream sends and what the client gets.
#[test]
fn up_07_marks_of_an_upstream_move_wherever_a_client_would_believe_them() {
    for (before, after) in [
        (
            r#"{"_meta":{"dev.overt/error":{"code":"X"},"k" : 1.0},"content":[]}"#,
            r#"{"_meta":{"k":1.0,"dev.overt/upstream":{"dev.overt/error":{"code":"X"}}},"content":[]}"#,
        ),
        (
            r#"{"_meta":{"requested_scopes":["a"]},"isError":true}"#,
            r#"{"_meta":{"dev.overt/upstream":{"requested_scopes":["a"]}},"isError":true}"#,
        ),
        (
            r#"{"_meta":{"granted_scopes":["write"],"policy":{},"io.modelcontextprotocol/protocolVersion":"x"}}"#,
            r#"{"_meta":{"dev.overt/upstream":{"granted_scopes":["write"],"policy":{},"io.modelcontextprotocol/protocolVersion":"x"}}}"#,
        ),
        // Names with escapes.
        (
            r#"{"\u005fmeta":{"\u0064ev.overt\/plan":1}}"#,
            r#"{"_meta":{"dev.overt/upstream":{"dev.overt/plan":1}}}"#,
        ),
        // Content items, and resources in them.
        (
            r#"{"content":[{"type":"text","text":"t"},{"type":"resource","resource":{"uri":"u","_meta":{"dev.overt/review":1}}}]}"#,
            r#"{"content":[{"type":"text","text":"t"},{"type":"resource","resource":{"uri":"u","_meta":{"dev.overt/upstream":{"dev.overt/review":1}}}}]}"#,
        ),
        (
            r#"{"resources":[{"uri":"u","_meta":{"dev.overt/resource":{}}}]}"#,
            r#"{"resources":[{"uri":"u","_meta":{"dev.overt/upstream":{"dev.overt/resource":{}}}}]}"#,
        ),
        (
            r#"{"prompts":[{"name":"p","_meta":{"dev.overt/tool":{}}}]}"#,
            r#"{"prompts":[{"name":"p","_meta":{"dev.overt/upstream":{"dev.overt/tool":{}}}}]}"#,
        ),
        // The result in a task.
        (
            r#"{"taskId":"t","status":"completed","result":{"_meta":{"dev.overt/plan":"p"}}}"#,
            r#"{"taskId":"t","status":"completed","result":{"_meta":{"dev.overt/upstream":{"dev.overt/plan":"p"}}}}"#,
        ),
        // Marks that another Overt has moved stay together.
        (
            r#"{"_meta":{"dev.overt/upstream":{"dev.overt/plan":"p"},"dev.overt/plan":"q"}}"#,
            r#"{"_meta":{"dev.overt/upstream":{"dev.overt/upstream":{"dev.overt/plan":"p"},"dev.overt/plan":"q"}}}"#,
        ),
    ] {
        check(&result(before), &result(after));
    }
}

#[test]
fn up_07_marks_in_errors_move_too() {
    for (before, after) in [
        (
            r#"{"code":1,"message":"m","data":{"requested_scopes":["a"],"k":2}}"#,
            r#"{"code":1,"message":"m","data":{"k":2,"_meta":{"dev.overt/upstream":{"requested_scopes":["a"]}}}}"#,
        ),
        (
            r#"{"code":1,"message":"m","data":{"_meta":{"requested_scopes":["a"]}}}"#,
            r#"{"code":1,"message":"m","data":{"_meta":{"dev.overt/upstream":{"requested_scopes":["a"]}}}}"#,
        ),
        (
            r#"{"code":1,"message":"m","data":{"_meta":{"requested_scopes":["a"]},"requested_scopes":["b"],"dev.overt/x":1}}"#,
            r#"{"code":1,"message":"m","data":{"_meta":{"dev.overt/upstream":{"requested_scopes":["a"],"dev.overt/x":1}}}}"#,
        ),
        (
            r#"{"code":1,"message":"m","_meta":{"requested_scopes":["a"]}}"#,
            r#"{"code":1,"message":"m","_meta":{"dev.overt/upstream":{"requested_scopes":["a"]}}}"#,
        ),
    ] {
        check(&error(before), &error(after));
    }
}

/// Seed 002's own server writes its marks there.
#[test]
fn h_22_marks_beside_the_result_move() {
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true},"_meta":{"requested_scopes":["read:file:/x"]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"isError":true},"_meta":{"dev.overt/upstream":{"requested_scopes":["read:file:/x"]}}}"#,
    );
}

#[test]
fn up_07_marks_in_notifications_and_questions_move() {
    check(
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":{"_meta":{"policy":1}},"_meta":{"dev.overt/error":1}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":{"_meta":{"policy":1}},"_meta":{"dev.overt/upstream":{"dev.overt/error":1}}}}"#,
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","_meta":{"dev.overt/question":"q-1"}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","_meta":{"dev.overt/upstream":{"dev.overt/question":"q-1"}}}}"#,
    );
}

#[test]
fn up_07_what_has_no_marks_is_untouched() {
    for text in [
        r#"{ "result" : {"_meta":{"io.modelcontextprotocol/serverInfo":{}, "k" :1.0}},"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"_meta":{"policy":1}, "text":"dev.overt/plan _meta\""}]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"structuredContent" : {"_meta":{"dev.overt/plan":1}}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":"dev.overt/plan"}}"#,
        r#"{"jsonrpc":"2.0","id":1, "error":{"code":1,"message":"policy\"","data":[ 1.0 ]}}"#,
    ] {
        check(text, text);
    }
}

#[test]
fn up_07_marks_in_tool_definitions_move_when_pins_have_seen_them() {
    let list = result(r#"{"tools":[{"name":"a"},{"name":"b","_meta":{"dev.overt/scopes":["x"],"k":1}}]}"#);
    check(&list, &list);
    let moved = result(
        r#"{"tools":[{"name":"a"},{"name":"b","_meta":{"k":1,"dev.overt/upstream":{"dev.overt/scopes":["x"]}}}]}"#,
    );
    assert_eq!(move_marks_of_tools(message(&list)).unwrap().text(), moved);
}
