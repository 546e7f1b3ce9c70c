//! What a server may ask during a call. These tests have no terminal; `listener::ask` tests the
//! dialogue.
use tempfile::TempDir;

use crate::output::snapshot;
use crate::support::Script;

/// A server that asks the client and puts its answer into the result.
fn asking(question: &str) -> Script {
    let commands = format!(
        r#"call=$id; send '{question}'; hear
escaped=$(printf '%s' "$line" | sed 's/\\/\\\\/g; s/"/\\"/g')
id=$call; answer '{{"content":[{{"type":"text","text":"'"$escaped"'"}}]}}'"#
    );
    Script::with_tools(r#"[{"name":"t"}]"#).on("tools/call", &commands)
}

#[test]
fn an_elicitation_without_a_terminal_is_declined() {
    let server = asking(
        r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}"#,
    );
    snapshot!(server.run(&["call", "t", "--format", "text"]), @r#"
    exit 0
    --- stdout
    {
      "jsonrpc": "2.0",
      "id": "q",
      "result": {
        "action": "decline"
      }
    }
    --- stderr
    warning: the server asked a question and was declined, because without a terminal you can't be asked: Your name?
    "#);
    assert!(server.received().contains(r#""capabilities":{}"#), "nothing is declared that is not there");
}

#[test]
fn a_question_in_an_unknown_mode_is_an_error() {
    let server = asking(
        r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"mode":"url","url":"https://x","message":"m"}}"#,
    );
    snapshot!(server.run(&["call", "t", "--format", "text"]), @r#"
    exit 0
    --- stdout
    {
      "jsonrpc": "2.0",
      "id": "q",
      "error": {
        "code": -32602,
        "message": "this client can't be asked in the mode `url`"
      }
    }
    "#);
}

#[test]
fn sampling_is_refused() {
    let server = asking(
        r#"{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#,
    );
    snapshot!(server.run(&["call", "t", "--format", "text"]), @r#"
    exit 0
    --- stdout
    {
      "jsonrpc": "2.0",
      "id": "q",
      "error": {
        "code": -32601,
        "message": "sampling is not offered: this client has no model"
      }
    }
    "#);
}

#[test]
fn roots_are_those_of_the_command_line() {
    let question = r#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#;
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("a b");
    std::fs::create_dir(&root).unwrap();
    let server = asking(question);
    snapshot!(server.run(&["call", "t", "--format", "text", "--root", root.to_str().unwrap()]), @r#"
    exit 0
    --- stdout
    {
      "jsonrpc": "2.0",
      "id": "q",
      "result": {
        "roots": [
          {
            "uri": "file://[TMP]/a%20b",
            "name": "a b"
          }
        ]
      }
    }
    "#);
    assert!(server.received().contains(r#""capabilities":{"roots":{}}"#), "{}", server.received());
}

#[test]
fn a_ping_is_answered() {
    snapshot!(asking(r#"{"jsonrpc":"2.0","id":"q","method":"ping"}"#).run(&["call", "t", "--format", "text"]), @r#"
    exit 0
    --- stdout
    {
      "jsonrpc": "2.0",
      "id": "q",
      "result": {}
    }
    "#);
}
