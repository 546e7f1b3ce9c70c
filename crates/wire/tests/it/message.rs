//! Messages: the four kinds, their parts, and text that stays as it was received.
use std::collections::HashSet;

use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Limits, Member};
use overt_wire::{ErrorObject, Id, Kind, Message, Method};

fn message(text: &str) -> Message {
    Message::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn json(text: &str) -> Json<'_> {
    Json::parse(text).unwrap()
}

fn id(token: &str) -> Option<Id> {
    Id::of(json(token))
}

#[test]
fn four_kinds() {
    let cases = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Kind::Request),
        (r#"{"jsonrpc":"2.0","id":"","method":"ping","params":{}}"#, Kind::Request),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, Kind::Notification),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Kind::Result),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, Kind::Result),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}"#, Kind::Error),
        (r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#, Kind::Error),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#, Kind::Error),
    ];
    for (text, kind) in cases {
        assert_eq!(message(text).kind(), kind, "{text}");
        assert_eq!(message(text).text(), text);
    }
}

#[test]
fn text_stays_as_it_came() {
    let odd = concat!(
        " {\"x\" : 1e400,\r\n\t\"params\":{ \"n\":-0 , \"s\":\"\\u0061\\/\" },",
        "\"method\" :\"m\",\"id\":  \"0\\u0037\" \n,\"jsonrpc\":\"2.0\"}  "
    );
    let message = message(odd);
    assert_eq!(message.text(), odd);
    assert_eq!(format!("{message:?}"), odd);
    assert_eq!(message.as_json().as_str(), odd.trim());
    assert_eq!(message.params().value().unwrap().as_str(), "{ \"n\":-0 , \"s\":\"\\u0061\\/\" }");
    assert_eq!(message.id().unwrap().token(), "\"0\\u0037\"");
    assert_eq!(&*message.into_text(), odd);
}

#[test]
fn params_are_absent_null_or_there() {
    let params = |rest: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m"{rest}}}"#);
    assert_eq!(message(&params("")).params(), Member::Absent);
    assert_eq!(message(&params(r#","params":null"#)).params(), Member::Null);
    assert_eq!(message(&params(r#","params":{}"#)).params(), Member::Value(json("{}")));
    let with_meta = message(&params(r#","params":{"_meta":{"progressToken":1.0}}"#));
    assert_eq!(with_meta.meta().get("progressToken").value().unwrap().as_str(), "1.0");
    assert_eq!(message(&params("")).meta(), Member::Absent);
}

#[test]
fn each_kind_has_its_own_parts() {
    let request = message(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":1}}"#);
    assert_eq!(request.method(), Some(Method::ToolsCall));
    assert_eq!(request.result_body(), Member::Absent);
    assert_eq!(request.error_body(), None);

    let result = message(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#);
    assert_eq!(result.method(), None);
    assert_eq!(result.params(), Member::Absent);
    assert_eq!(result.result_body().get("a").value().unwrap().as_str(), "1");
    let null = message(r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
    assert_eq!(null.result_body(), Member::Null);

    let error = message(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m\u00e9","data":[1.0]}}"#);
    let body = error.error_body().unwrap();
    assert_eq!((body.code, body.message.as_str()), (-1, "mé"));
    assert_eq!(body.data.unwrap().as_str(), "[1.0]");
    assert_eq!(error.result_body(), Member::Absent);
}

#[test]
fn sloppy_error_objects_are_still_errors() {
    let error = |body: &str| message(&format!(r#"{{"jsonrpc":"2.0","id":1,"error":{body}}}"#)).error_body();
    assert_eq!(error("{}").unwrap().code, code::INTERNAL);
    assert_eq!(error(r#""oops""#).unwrap().code, code::INTERNAL);
    assert_eq!(error(r#"{"code":1.5,"message":7}"#).unwrap().message, "");
    assert_eq!(error("null"), None);
}

#[test]
fn unknown_methods_and_members_are_kept() {
    let text = r#"{"jsonrpc":"2.0","id":1,"method":"x/y","trace":{"a":1},"Params":[1]}"#;
    let message = message(text);
    assert_eq!(message.method(), Some(Method::Other("x/y")));
    assert_eq!(message.params(), Member::Absent, "names are compared with their case");
    assert_eq!(message.as_json().at(&["trace", "a"]).value().unwrap().as_str(), "1");
}

#[test]
fn escaped_names_and_methods_count_as_what_they_mean() {
    let text = r#"{"jsonrp\u0063":"2.\u0030","\u0069d":7,"m\u0065thod":"tools\/call","par\u0061ms":{}}"#;
    let message = message(text);
    assert_eq!(message.kind(), Kind::Request);
    assert_eq!(message.id(), Some(&Id::from(7)));
    assert_eq!(message.method(), Some(Method::ToolsCall));
    assert_eq!(message.params(), Member::Value(json("{}")));
}

#[test]
fn rpc_07_ids_keep_their_token() {
    for token in
        ["0", "-0", "-9223372036854775808", "9223372036854775807", "\"\"", "\"\\u0061 \\/\"", "\"é\""]
    {
        let text = format!(r#"{{"jsonrpc":"2.0","id": {token} ,"method":"ping"}}"#);
        let request = message(&text);
        let id = request.id().unwrap();
        assert_eq!(id.token(), token);
        assert_eq!(format!("{id} {id:?}"), format!("{token} {token}"));
        let answer = Message::result(id, json("{}"));
        assert_eq!(answer.text(), format!(r#"{{"jsonrpc":"2.0","id":{token},"result":{{}}}}"#));
    }
}

#[test]
fn rpc_07_ids_are_strings_or_integers_of_64_bits() {
    let refused = ["1.0", "1e2", "1.5", "9223372036854775808", "1234567890123456789012345", "1e400", "null"];
    for token in refused.into_iter().chain(["true", "{}", "[]", "[1]"]) {
        assert_eq!(id(token), None, "{token}");
    }
}

#[test]
fn rpc_08_ids_are_compared_by_meaning() {
    assert_eq!(id(r#""a""#), id(r#""\u0061""#));
    assert_eq!(id(r#""a\/b""#), Some(Id::from("a/b")));
    assert_eq!(id("-0"), Some(Id::from(0)));
    assert_eq!(id("7"), Some(Id::from(7)));
    assert_ne!(id("1"), id(r#""1""#));
    assert_ne!(id("1"), id("-1"));
    let mut seen = HashSet::new();
    assert!(seen.insert(id(r#""a""#)));
    assert!(!seen.insert(id(r#""\u0061""#)));
    assert_eq!(Id::from("say \"hi\"").token(), r#""say \"hi\"""#);
}

#[test]
fn written_messages_are_read_back_the_same() {
    let id = Id::from("x\n");
    let params = json(r#"{"a" : 1}"#);
    let error = ErrorObject::new(-5, "say \"no\"").with_data(JsonBuf::parse("[1]").unwrap());
    let written = [
        Message::request(&id, "tools/call", Some(params)),
        Message::request(&id, "odd \"name\"", None),
        Message::notification("n", Some(params)),
        Message::notification("n", None),
        Message::result(&id, json("null")),
        Message::error(Some(&id), &error),
        Message::error(None, &error),
    ];
    for message in written {
        let read = self::message(message.text());
        assert_eq!(read, message);
        assert_eq!(read.params(), message.params());
        assert_eq!(read.error_body(), message.error_body());
    }
    let request = Message::request(&id, "m", Some(params));
    assert_eq!(request.text(), r#"{"jsonrpc":"2.0","id":"x\n","method":"m","params":{"a" : 1}}"#);
}

#[test]
fn an_error_without_an_id_has_none() {
    let answer = Message::error(None, &ErrorObject::invalid_request("no"));
    assert_eq!(answer.text(), r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#);
    assert_eq!(answer.id(), None);
}

#[test]
fn errors_say_code_and_message() {
    assert_eq!(ErrorObject::method_not_found("x").to_string(), "method not found: `x` (code -32601)");
    assert_eq!(ErrorObject::internal().code, code::INTERNAL);
    assert_eq!(ErrorObject::invalid_params("p").to_json().as_str(), r#"{"code":-32602,"message":"p"}"#);
}

#[test]
fn another_id_leaves_every_other_byte_alone() {
    let id = Id::from("n\u{fc}m-1");
    for (before, after) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}"#,
            r#"{"jsonrpc":"2.0","id":"nüm-1","result":{"a":1.0}}"#,
        ),
        (
            r#" { "result" : {"id":7} , "jsonrpc":"2.0" , "id" : 123456789 }"#,
            r#" { "result" : {"id":7} , "jsonrpc":"2.0" , "id" : "nüm-1" }"#,
        ),
        (
            r#"{"\u0069d":1,"jsonrpc":"2.0","error":{"code":1,"message":"m","x":[]}}"#,
            r#"{"\u0069d":"nüm-1","jsonrpc":"2.0","error":{"code":1,"message":"m","x":[]}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":"nüm-1"}"#,
        ),
    ] {
        let message = Message::parse(before.into(), &Limits::default()).unwrap();
        let body = message.result_body().value().map(|body| body.as_str().to_owned());
        let new = message.readdressed(&id);
        assert_eq!(new.text(), after);
        assert_eq!(new.id(), Some(&id));
        assert_eq!(new.result_body().value().map(|body| body.as_str().to_owned()), body);
        assert_eq!(new, Message::parse(after.into(), &Limits::default()).unwrap());
    }
}
