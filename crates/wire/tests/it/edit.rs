//! Edits change one member and keep every other byte.
use overt_wire::edit::Step::{Element, Member};
use overt_wire::edit::{self, EditError, Step};
use overt_wire::json::{Json, JsonBuf, Limits};
use overt_wire::{Id, Kind, Message};

fn json(text: &str) -> Json<'_> {
    Json::parse(text).unwrap()
}

#[track_caller]
fn set(text: &str, path: &[Step<'_>], value: &str, expected: &str) {
    let new = edit::set(json(text), path, json(value)).unwrap();
    assert_eq!(new.as_str(), expected);
}

#[track_caller]
fn remove(text: &str, path: &[Step<'_>], expected: &str) {
    let new = edit::remove(json(text), path).unwrap();
    assert_eq!(new.as_str(), expected);
}

fn message(text: &str) -> Message {
    Message::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap()
}

#[test]
fn set_replaces_a_value_in_its_place() {
    set(r#"{"a":1,"b":2,"c":3}"#, &[Member("a")], "[]", r#"{"a":[],"b":2,"c":3}"#);
    set(r#"{"a":1,"b":2,"c":3}"#, &[Member("b")], "\"x\"", r#"{"a":1,"b":"x","c":3}"#);
    set(r#"{"a":1,"b":2,"c":3}"#, &[Member("c")], "null", r#"{"a":1,"b":2,"c":null}"#);
    set(r#"{"a":{"b":[1,{"c":"}"}]},"d":0}"#, &[Member("a")], "7", r#"{"a":7,"d":0}"#);
    set(r#"{"a":"x\"},{","b":1}"#, &[Member("b")], "2", r#"{"a":"x\"},{","b":2}"#);
}

#[test]
fn set_adds_a_missing_member_at_the_end() {
    set("{}", &[Member("a")], "1", r#"{"a":1}"#);
    set("{ }", &[Member("a")], "1", r#"{"a":1 }"#);
    set(r#"{"a":1}"#, &[Member("b")], "2", r#"{"a":1,"b":2}"#);
    set("{\"a\" : 1\n}", &[Member("b")], "2", "{\"a\" : 1,\"b\":2\n}");
    set("{}", &[Member("q\"\n")], "1", r#"{"q\"\n":1}"#);
}

#[test]
fn set_makes_the_objects_on_the_way() {
    set("{}", &[Member("a"), Member("b"), Member("c")], "1", r#"{"a":{"b":{"c":1}}}"#);
    set(r#"{"x":0}"#, &[Member("a"), Member("b")], "1", r#"{"x":0,"a":{"b":1}}"#);
    set(r#"{"a":{},"x":0}"#, &[Member("a"), Member("b")], "1", r#"{"a":{"b":1},"x":0}"#);
    set(
        r#"{"a":{"b":{"k":1}}}"#,
        &[Member("a"), Member("b"), Member("c")],
        "1",
        r#"{"a":{"b":{"k":1,"c":1}}}"#,
    );
}

/// The result equals one edit per member, except that the text is walked only once.
#[test]
fn several_members_are_set_as_if_one_by_one() {
    let values = ["1", r#"{"deep":[{}]}"#, r#""}""#];
    for text in [
        "{}",
        " { } ",
        r#"{"a":0}"#,
        "{ \"x\" : [1, {\"a\":2}] ,\n\"b\" : null , \"c\":{\"a\":\"{\"}\n}",
        r#"{"\u0061":1,"a b":2,"c":"\""}"#,
    ] {
        for names in [vec![], vec!["a"], vec!["a", "b"], vec!["c", "a", "b"], vec!["q\"", "x"]] {
            let members: Vec<_> =
                names.iter().zip(values).map(|(name, value)| (*name, json(value).to_buf())).collect();
            let mut expected = json(text).to_buf();
            for (name, value) in &members {
                expected = edit::set(expected.as_json(), &[Member(name)], value.as_json()).unwrap();
            }
            let new = edit::set_members(json(text), &members).unwrap();
            assert_eq!(new.as_str().trim(), expected.as_str().trim(), "{names:?} in {text}");
            assert!(Json::parse(new.as_str()).is_ok(), "{new:?}");
        }
    }
    let one = [("a", json("1").to_buf())];
    assert_eq!(edit::set_members(json("[]"), &one), Err(EditError::NotAnObject));
    let deep = json(&format!("{}{}", "[".repeat(127), "]".repeat(127))).to_buf();
    assert!(edit::set_members(json("{}"), &[("a", deep.clone())]).is_ok());
    let deeper = JsonBuf::parse(&format!("[{}]", deep.as_str())).unwrap();
    assert_eq!(edit::set_members(json("{}"), &[("a", deeper)]), Err(EditError::TooDeep));
}

#[test]
fn set_keeps_odd_white_space_and_numbers() {
    let text = "{ \"a\"\t:\r\n1.0 , \"b\" : [ -0 , 1e2 ]\n,\"c\":\"\\u0061\" }";
    set(text, &[Member("b")], "{}", "{ \"a\"\t:\r\n1.0 , \"b\" : {}\n,\"c\":\"\\u0061\" }");
    set(
        text,
        &[Member("b"), Element(1)],
        "3",
        "{ \"a\"\t:\r\n1.0 , \"b\" : [ -0 , 3 ]\n,\"c\":\"\\u0061\" }",
    );
    set(text, &[Member("d")], "0", "{ \"a\"\t:\r\n1.0 , \"b\" : [ -0 , 1e2 ]\n,\"c\":\"\\u0061\",\"d\":0 }");
}

#[test]
fn escaped_names_are_found_and_kept() {
    set(r#"{"\u0061":1,"b":2}"#, &[Member("a")], "9", r#"{"\u0061":9,"b":2}"#);
    set(r#"{"x\/y":{"\u0061":1}}"#, &[Member("x/y"), Member("a")], "9", r#"{"x\/y":{"\u0061":9}}"#);
    remove(r#"{"\u0061":1,"b":2}"#, &[Member("a")], r#"{"b":2}"#);
}

#[test]
fn array_elements_are_set_and_removed() {
    set("[1,2,3]", &[Element(0)], "9", "[9,2,3]");
    set("[ 1 , [2,{\"a\":3}] ]", &[Element(1), Element(1), Member("a")], "9", "[ 1 , [2,{\"a\":9}] ]");
    set("[{}]", &[Element(0), Member("a")], "1", "[{\"a\":1}]");
    remove("[1,2,3]", &[Element(0)], "[2,3]");
    remove("[1,2,3]", &[Element(1)], "[1,3]");
    remove("[1,2,3]", &[Element(2)], "[1,2]");
    remove("[ 1 ]", &[Element(0)], "[  ]");
    remove(
        r#"{"tools":[{"name":"a"},{"name":"b"}]}"#,
        &[Member("tools"), Element(0)],
        r#"{"tools":[{"name":"b"}]}"#,
    );
}

#[test]
fn remove_takes_one_comma_along() {
    remove(r#"{"a":1,"b":2,"c":3}"#, &[Member("a")], r#"{"b":2,"c":3}"#);
    remove(r#"{"a":1,"b":2,"c":3}"#, &[Member("b")], r#"{"a":1,"c":3}"#);
    remove(r#"{"a":1,"b":2,"c":3}"#, &[Member("c")], r#"{"a":1,"b":2}"#);
    remove(r#"{"a":1}"#, &[Member("a")], "{}");
    remove("{ \"a\" : 1 , \"b\" : 2 }", &[Member("a")], "{ \"b\" : 2 }");
    remove("{ \"a\" : 1 , \"b\" : 2 }", &[Member("b")], "{ \"a\" : 1  }");
    remove("{\n  \"a\": 1\n}", &[Member("a")], "{\n  \n}");
    remove(r#"{"x":{"a":[1,2]},"y":0}"#, &[Member("x"), Member("a")], r#"{"x":{},"y":0}"#);
    remove(r#"[1,{"a":2}]"#, &[Element(1), Member("a")], "[1,{}]");
}

#[test]
fn what_is_not_there_is_removed_already() {
    remove(r#"{"a":1}"#, &[Member("b")], r#"{"a":1}"#);
    remove(r#"{"a":1}"#, &[Member("b"), Member("c"), Element(3)], r#"{"a":1}"#);
}

#[test]
fn wrong_paths_are_errors() {
    let set = |text, path: &[Step<'_>]| edit::set(json(text), path, json("1")).unwrap_err();
    let remove = |text, path: &[Step<'_>]| edit::remove(json(text), path).unwrap_err();
    assert_eq!(set("{}", &[]), EditError::EmptyPath);
    assert_eq!(remove("{}", &[]), EditError::EmptyPath);
    for text in ["1", "null", "[]", "\"x\""] {
        assert_eq!(set(text, &[Member("a")]), EditError::NotAnObject, "{text}");
        assert_eq!(remove(text, &[Member("a")]), EditError::NotAnObject, "{text}");
    }
    assert_eq!(set(r#"{"a":null}"#, &[Member("a"), Member("b")]), EditError::NotAnObject);
    for text in ["1", "{}", "[]", "[0]"] {
        assert_eq!(set(text, &[Element(1)]), EditError::NoSuchElement, "{text}");
        assert_eq!(remove(text, &[Element(1)]), EditError::NoSuchElement, "{text}");
    }
    assert_eq!(set("{}", &[Member("a"), Element(0)]), EditError::NoSuchElement, "arrays are not made");
}

#[test]
fn rpc_04_no_edit_makes_a_text_too_deep() {
    let inner = "[".repeat(127) + &"]".repeat(127);
    let deep = edit::set(json("{}"), &[Member("a")], json(&inner)).unwrap();
    assert!(Json::parse(deep.as_str()).is_ok());
    let too_deep = edit::set(json("{}"), &[Member("a"), Member("b")], json(&inner));
    assert_eq!(too_deep, Err(EditError::TooDeep));
}

#[test]
fn messages_keep_their_kind_id_and_white_space() {
    let old = message(" {\"id\":7, \"method\":\"m\",\"jsonrpc\":\"2.0\",\"params\":{ \"a\":1 },\"x\":0}\r ");
    let new = edit::set_in(&old, &[Member("params"), Member("_meta"), Member("k")], json("{}")).unwrap();
    let expected = " {\"id\":7, \"method\":\"m\",\"jsonrpc\":\"2.0\",\"params\":{ \"a\":1,\"_meta\":{\"k\":{}} },\"x\":0}\r ";
    assert_eq!(new.text(), expected);
    assert_eq!(new, message(expected), "its parts are where a parse finds them");
    assert_eq!(new.params().value().unwrap().as_str(), "{ \"a\":1,\"_meta\":{\"k\":{}} }");
    let back = edit::remove_in(&new, &[Member("params"), Member("_meta")]).unwrap();
    assert_eq!(back, old);
    let same = edit::remove_in(&old, &[Member("params"), Member("_meta")]).unwrap();
    assert_eq!(same, old);
}

#[test]
fn the_envelope_of_a_message_can_be_edited_as_long_as_it_stays_one() {
    let old = message(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#);
    let changed = |path: &[Step<'_>], value| edit::set_in(&old, path, json(value));
    let new = changed(&[Member("id")], "\"x\"").unwrap();
    assert_eq!((new.kind(), new.id().unwrap().token()), (Kind::Request, "\"x\""));
    let new = changed(&[Member("params")], "{\"a\":1}").unwrap();
    assert_eq!(new.params().get("a").value().unwrap().as_str(), "1");
    let new = changed(&[Member("params"), Member("a")], "1").unwrap();
    assert_eq!(new.text(), r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}}"#);
    let new = changed(&[Member("trace")], "1").unwrap();
    assert_eq!(new, message(r#"{"jsonrpc":"2.0","id":7,"method":"m","trace":1}"#));
    for (name, value) in
        [("jsonrpc", "2"), ("id", "null"), ("method", "1"), ("params", "[]"), ("result", "{}")]
    {
        assert_eq!(changed(&[Member(name)], value), Err(EditError::NoMessage), "{name}");
    }
    let with_params = message(r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}}"#);
    let replaced = |value| edit::set_in(&with_params, &[Member("params")], json(value));
    assert_eq!(replaced("[]"), Err(EditError::NoMessage));
    assert_eq!(replaced("{ }"), Ok(message(r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{ }}"#)));
    assert_eq!(edit::remove_in(&with_params, &[Member("params")]), Ok(old.clone()));
    for name in ["jsonrpc", "id", "method"] {
        assert_eq!(edit::remove_in(&old, &[Member(name)]), Err(EditError::NoMessage), "{name}");
    }
}

/// A message without other owners is changed in place, with the same result as a copy. If the edit
/// is not possible, the message stays as it is.
#[test]
fn an_own_message_is_edited_as_any_other() {
    let texts = [
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"a":1}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#" {"result" : { "_meta" : null } , "id" : "x", "jsonrpc":"2.0"} "#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","method":"m"}"#,
    ];
    let paths: [&[Step<'_>]; 5] = [
        &[Member("result"), Member("_meta"), Member("k")],
        &[Member("result"), Member("_meta")],
        &[Member("result")],
        &[Member("id")],
        &[],
    ];
    for text in texts {
        for path in paths {
            let old = message(text);
            let other = edit::set_in(&old, path, json(r#""new""#));
            let own = edit::set_in_own(old.clone(), path, json(r#""new""#));
            let wanted = other.unwrap_or_else(|_| old.clone());
            assert_eq!(own, wanted, "{text} {path:?}");
            assert_eq!(own.result_body(), wanted.result_body(), "{text} {path:?}");
            assert_eq!(old, message(text), "whoever shares it keeps what it was");
        }
    }
}

/// The places of some members are kept with the message, and move with every change.
#[test]
fn members_of_params_are_found_after_every_change() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"name":"x"},"n\u0061me":"y"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":null,"arguments":[],"_meta":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"_meta"}}"#,
        r#"{"params":{"_meta":null,"a":{"_meta":{"b":1}}},"jsonrpc":"2.0","id":1,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1],"_m\u0065ta":{"progressToken":7}}}"#,
        r#" {"jsonrpc":"2.0","method":"m","params": { "_meta" : {"a":"b"} } }"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"a":1}}}"#,
    ] {
        let old = message(text);
        let mut all = vec![old.clone()];
        for path in [&[Member("params"), Member("_meta"), Member("k")][..], &[Member("params"), Member("a")]]
        {
            all.extend(edit::set_in(&old, path, json(r#""longer than before""#)));
            all.push(edit::set_in_own(old.clone(), path, json("1")));
            all.extend(edit::remove_in(&old, path));
        }
        if old.id().is_some() {
            all.extend(all.clone().into_iter().map(|message| message.readdressed(&Id::from(1_234_567))));
        }
        for changed in all {
            for name in ["_meta", "name", "arguments", "a", "none"] {
                assert_eq!(changed.param(name), changed.params().get(name), "{name} of {changed:?}");
            }
            assert_eq!(changed, message(changed.text()), "its parts are where a parse finds them");
        }
    }
}

#[test]
fn a_result_that_is_not_copied_is_the_same_message() {
    for (id, text) in [(Id::from(7), "{}"), (Id::from(8), r#"{"a":["b"]}"#)] {
        let made = Message::result_from(&id, json(text).to_buf());
        let copied = Message::result(&id, json(text));
        assert_eq!(made, copied);
        assert_eq!(made.result_body(), copied.result_body());
    }
}

#[test]
fn errors_read_as_sentences() {
    assert_eq!(EditError::NotAnObject.to_string(), "the path leads through a value that is not an object");
    assert_eq!(EditError::TooDeep.to_string(), "the value would be nested deeper than any reader allows");
}

#[test]
fn elements_are_rewritten_and_the_rest_is_kept() {
    let list = message(r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[ {"a":1} , 2,{"b":[]}],"x": 1.0}}"#);
    let path = [Member("result"), Member("tools")];
    let rewrite = |element: Json<'_>| element.is_object().then(|| json(r#"{"new":true}"#).to_buf());
    let new = edit::rewrite_elements_in(&list, &path, rewrite).unwrap();
    assert_eq!(
        new.text(),
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[ {"new":true} , 2,{"new":true}],"x": 1.0}}"#
    );
    assert_eq!(edit::rewrite_elements_in(&list, &path, |_| None).unwrap().text(), list.text());
    let nowhere = [Member("result"), Member("other")];
    assert_eq!(edit::rewrite_elements_in(&list, &nowhere, rewrite).unwrap().text(), list.text());
    let no_list = [Member("result"), Member("x")];
    assert_eq!(edit::rewrite_elements_in(&list, &no_list, rewrite).unwrap_err(), EditError::NoSuchElement);
}

#[test]
fn elements_are_added_at_the_end() {
    let path = [Member("result"), Member("l")];
    for (before, added, after) in [
        (r#"{"l":[]}"#, vec!["1"], r#"{"l":[1]}"#),
        (r#"{"l":[ 0 ],"m":1}"#, vec!["1", "[2]"], r#"{"l":[ 0,1,[2] ],"m":1}"#),
        (r#"{"l":[ ]}"#, vec!["1", "2"], r#"{"l":[1,2 ]}"#),
        (r#"{"l":[0]}"#, vec![], r#"{"l":[0]}"#),
    ] {
        let whole = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let added: Vec<_> = added.into_iter().map(|text| json(text).to_buf()).collect();
        let new = edit::append_in(&message(&whole(before)), &path, &added).unwrap();
        assert_eq!(new.text(), whole(after));
    }
    let no_list = message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(edit::append_in(&no_list, &path, &[]).unwrap_err(), EditError::NoSuchElement);
}
