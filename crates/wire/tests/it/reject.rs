//! Answers to texts that are not messages, and the cases in which no answer is sent.
use overt_wire::error::code;
use overt_wire::json::{Json, Limits};
use overt_wire::{Message, MessageError};

fn reject(bytes: impl AsRef<[u8]>) -> MessageError {
    let bytes = bytes.as_ref();
    Message::parse(bytes.to_vec(), &Limits::default()).expect_err(&String::from_utf8_lossy(bytes))
}

/// Returns the code of the answer and the token of its id.
fn answer(bytes: impl AsRef<[u8]>) -> (i64, Option<String>) {
    let answer = reject(bytes).answer().expect("an answer");
    let read = Message::parse(answer.text().as_bytes().to_vec(), &Limits::default()).expect("a valid answer");
    assert_eq!(read, answer);
    (read.error_body().unwrap().code, read.id().map(|id| id.token().to_owned()))
}

fn no_id(code: i64) -> (i64, Option<String>) {
    (code, None)
}

fn with_id(code: i64, token: &str) -> (i64, Option<String>) {
    (code, Some(token.to_owned()))
}

#[test]
fn rpc_01_what_is_no_json_is_a_parse_error_without_id() {
    let texts = [
        "garbage",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}{}",
        "\u{FEFF}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"ping\"}",
        "",
    ];
    for text in texts {
        assert_eq!(answer(text), no_id(code::PARSE), "{text}");
    }
}

#[test]
fn rpc_02_invalid_text_is_a_parse_error() {
    assert_eq!(answer(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xffing\"}"), no_id(code::PARSE));
    let surrogate = r#"{"jsonrpc":"2.0","params":{"a":"\ud800"},"method":"m","id":1}"#;
    assert_eq!(answer(surrogate), with_id(code::PARSE, "1"));
}

#[test]
fn rpc_04_too_deep_and_too_many_are_refused_with_the_id() {
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{}"#, "[".repeat(500));
    assert_eq!(answer(deep), with_id(code::PARSE, "1"));
    let deep = format!(
        r#"{{"jsonrpc":"2.0","params":{}{},"method":"m","id":"a"}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    assert_eq!(answer(deep), with_id(code::PARSE, "\"a\""));
    let limits = Limits { max_nodes: 3, ..Limits::default() };
    let text = br#"{"jsonrpc":"2.0","id":1,"method":"m"}"#.to_vec();
    let reject = Message::parse(text, &limits).unwrap_err();
    assert_eq!((reject.error.code, reject.id.unwrap().token()), (code::INVALID_REQUEST, "1"));
}

#[test]
fn rpc_03_too_large_is_refused_without_reading() {
    let limits = Limits { max_bytes: 30, ..Limits::default() };
    let text = br#"{"jsonrpc":"2.0","id":1,"method":"m"}"#.to_vec();
    let reject = Message::parse(text, &limits).unwrap_err();
    assert_eq!((reject.error.code, &reject.id), (code::INVALID_REQUEST, &None));
    assert_eq!(reject.error.message, "refused the message: longer than 30 bytes");
}

#[test]
fn rpc_05_duplicate_members_are_an_invalid_request_that_names_the_id() {
    let cases = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":1,"a":2}}"#, Some("\"x\"")),
        (r#"{"jsonrpc":"2.0","method":"m","params":{"a":1,"\u0061":2}, "id" : -5 }"#, Some("-5")),
        (r#"{"jsonrpc":"2.0","method":"m","params":{"id":9,"a":1,"a":2},"id":3}"#, Some("3")),
        (r#"{"jsonrpc":"2.0","method":"m","params":{"a":1,"a":2}}"#, None),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, None),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"m","x":{"a":1,"a":2}}"#, None),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"m","method":"m"}]"#, None),
    ];
    for (text, id) in cases {
        assert_eq!(answer(text), (code::INVALID_REQUEST, id.map(str::to_owned)), "{text}");
    }
}

#[test]
fn rpc_07_floats_and_huge_integers_are_no_ids() {
    for token in ["1.0", "1.5", "1e2", "1e400", "1234567890123456789012345", "9223372036854775808"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{token},"method":"ping"}}"#);
        assert_eq!(answer(text), no_id(code::INVALID_REQUEST), "{token}");
    }
}

#[test]
fn rpc_08_other_ids_are_invalid_requests() {
    for token in ["null", "true", "false", "{}", "[]", "[1]", "{\"a\":1}"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{token},"method":"tools/call","params":{{}}}}"#);
        assert_eq!(answer(text), no_id(code::INVALID_REQUEST), "{token}");
    }
}

#[test]
fn rpc_09_broken_envelopes_are_invalid_requests() {
    let cases = [
        (r#"{"id":1,"method":"ping"}"#, Some("1")),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Some("1")),
        (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, Some("1")),
        (r#"{"jsonrpc":null,"id":1,"method":"ping"}"#, Some("1")),
        (r#"{"JSONRPC":"2.0","id":1,"method":"ping"}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1}"#, Some("1")),
        (r#"{"jsonrpc":"2.0"}"#, None),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, None),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#, Some("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","error":{}}"#, Some("1")),
        ("{}", None),
        ("null", None),
        ("7", None),
        (r#""text""#, None),
    ];
    for (text, id) in cases {
        assert_eq!(answer(text), (code::INVALID_REQUEST, id.map(str::to_owned)), "{text}");
    }
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "m".repeat(257));
    assert_eq!(answer(long), with_id(code::INVALID_REQUEST, "1"));
}

#[test]
fn rpc_09_params_that_are_no_object_are_invalid_params() {
    for params in ["[]", "[1]", "1", "\"x\"", "true"] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
        assert_eq!(answer(text), with_id(code::INVALID_PARAMS, "1"), "{params}");
    }
}

#[test]
fn rpc_10_batches_are_refused_as_one() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let many = format!("[{}{ping}]", format!("{ping},").repeat(1000));
    for text in ["[]", "[1]", "[[]]", " [ ] ", &format!("[{ping}]"), &format!("[[{ping}]]"), &many] {
        assert_eq!(answer(text), no_id(code::INVALID_REQUEST), "{text:.60}");
    }
}

#[test]
fn rpc_08_notifications_are_never_answered() {
    let bad_params = reject(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[1]}"#);
    assert!(bad_params.is_notification);
    assert_eq!(bad_params.answer(), None);
}

#[test]
fn rpc_01_broken_answers_are_never_answered() {
    let texts: [&[u8]; 16] = [
        br#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        br#"{"jsonrpc":"2.0","result":{}}"#,
        br#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":""}}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#,
        br#"{"jsonrpc":"2.0","id":1,"result":{"a":"\ud800"}}"#,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\x01\"}}",
        br#"{"jsonrpc":"2.0","id":1,"result":{"tools":[1,2"#,
        br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"Parse"#,
        br#"{"id":1,"result":01}"#,
        br#"{"error":}"#,
        br#" {"result" : nil, "id" : 1}"#,
    ];
    for text in texts {
        let reject = reject(text);
        assert!(reject.looks_like_response, "{}", String::from_utf8_lossy(text));
        assert_eq!(reject.answer(), None);
    }
}

#[test]
fn rpc_01_deep_and_large_answers_are_never_answered() {
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}"#, "[".repeat(100_000));
    assert_eq!(reject(deep).answer(), None);
    let limits = Limits { max_bytes: 100, ..Limits::default() };
    let large = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{}"}}"#, "x".repeat(200));
    assert_eq!(Message::parse(large.into_bytes(), &limits).unwrap_err().answer(), None);
    // Control characters in an unterminated string must not cost stack space.
    let control = format!("{{\"a\":\"{}", "\u{1}".repeat(200_000));
    assert!(reject(control).answer().is_some());
}

#[test]
fn rpc_01_a_word_in_a_request_does_not_make_it_an_answer() {
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"result":1,"result":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\"result\":"},"x":{"a":1,"a":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"result","params":{"a":1,"a":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","result":1,"params":{"a":1,"a":2}}"#,
        r#"{"jsonrpc":"2.0","id":1,"x":"result","params":{"a":1,"a":2}}"#,
        r#"{"x":["result",{"result":1}],"id":1,"params":{"a":1,"a":2}}"#,
    ];
    for text in texts {
        assert_eq!(answer(text), with_id(code::INVALID_REQUEST, "1"), "{text}");
    }
    // A control character does not end the string that contains it.
    assert_eq!(answer("{\"id\":1,\"a\":\"\u{1},\"result\":1}"), no_id(code::PARSE));
}

#[test]
fn our_own_refusals_are_accepted_by_us() {
    // If we refused our own errors, two Overt peers would answer each other forever.
    for text in ["garbage", "[]", r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#] {
        let answer = reject(text).answer().unwrap();
        assert!(Json::parse(answer.text()).is_ok());
        assert!(Message::parse(answer.text().as_bytes().to_vec(), &Limits::default()).is_ok());
    }
}
