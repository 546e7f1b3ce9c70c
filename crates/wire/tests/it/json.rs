//! Read access to checked text: members, elements, scalars.
use overt_wire::json::{Json, JsonBuf, Member};

fn json(text: &str) -> Json<'_> {
    Json::parse(text).unwrap()
}

#[test]
fn absent_null_and_value_are_three_cases() {
    let object = json(r#"{"n":null,"v":0,"o":{"n":null}}"#);
    assert_eq!(object.get("x"), Member::Absent);
    assert_eq!(object.get("n"), Member::Null);
    assert_eq!(object.get("v"), Member::Value(json("0")));
    assert_eq!(object.at(&["o", "n"]), Member::Null);
    assert_eq!(object.at(&["o", "x"]), Member::Absent);
    assert_eq!(object.at(&["n", "x"]), Member::Absent, "null has no members");
    assert_eq!(object.at(&["v", "x"]), Member::Absent, "a number has no members");
    assert!(object.get("x").is_absent() && !object.get("n").is_absent());
}

#[test]
fn members_come_in_the_order_of_the_text_and_without_white_space() {
    let object = json("\n{ \"b\" :\t[ 1 ] ,\r\n\"a\":\"x,}\\\"\" , \"\":{ } }\t");
    let members: Vec<_> =
        object.members().map(|(key, value)| (key.name().into_owned(), value.as_str())).collect();
    let expected = [("b", "[ 1 ]"), ("a", "\"x,}\\\"\""), ("", "{ }")];
    assert_eq!(members, expected.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(object.as_str().chars().next(), Some('{'));
}

#[test]
fn elements_come_in_order() {
    let texts = |array| json(array).elements().map(Json::as_str).collect::<Vec<_>>();
    assert_eq!(texts(" [ 1 , [2,3] ,{\"a\":[]}, \"]\" ] "), ["1", "[2,3]", "{\"a\":[]}", "\"]\""]);
    assert_eq!(texts("[]"), [""; 0]);
    assert_eq!(texts("{\"a\":1}"), [""; 0], "an object has no elements");
    assert_eq!(json("[1]").members().count(), 0, "an array has no members");
    assert_eq!(json("3").members().count() + json("3").elements().count(), 0);
}

#[test]
fn names_are_compared_by_meaning() {
    let object = json(r#"{"\u006eam\u0065":1,"a\/b":2,"q\"":3}"#);
    assert_eq!(object.get("name"), Member::Value(json("1")));
    assert_eq!(object.get("a/b"), Member::Value(json("2")));
    assert_eq!(object.get("q\""), Member::Value(json("3")));
    assert_eq!(object.get(r"\u006eame"), Member::Absent);
}

#[test]
fn strings_mean_what_their_escapes_say() {
    assert_eq!(
        json(r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#).string().unwrap(),
        "a\"\\/\u{8}\u{c}\n\r\té😀"
    );
    assert_eq!(json("\"plain é\"").string().unwrap(), "plain é");
    assert_eq!(json("1").string(), None);
    assert_eq!(json("null").string(), None);
}

#[test]
fn rpc_07_integers_are_what_the_token_spells() {
    let cases = [
        ("0", Some(0)),
        ("-0", Some(0)),
        ("-7", Some(-7)),
        ("9007199254740993", Some(9_007_199_254_740_993)),
        ("9223372036854775807", Some(i64::MAX)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("1234567890123456789012345", None),
        ("1.0", None),
        ("1e2", None),
        ("\"1\"", None),
        ("true", None),
    ];
    for (token, integer) in cases {
        assert_eq!(json(token).integer(), integer, "{token}");
    }
    assert_eq!(json("1e2").number(), Some(100.0));
    assert_eq!(json("\"1\"").number(), None);
}

#[test]
fn booleans_are_two_words() {
    assert_eq!(json("true").bool(), Some(true));
    assert_eq!(json("false").bool(), Some(false));
    assert_eq!(json("\"true\"").bool(), None);
    assert_eq!(json("1").bool(), None);
}

#[test]
fn kinds_of_values() {
    for (text, object, array, string, number, null) in [
        ("{}", true, false, false, false, false),
        ("[]", false, true, false, false, false),
        ("\"\"", false, false, true, false, false),
        ("-1", false, false, false, true, false),
        ("null", false, false, false, false, true),
        ("true", false, false, false, false, false),
    ] {
        let value = json(text);
        let kinds =
            (value.is_object(), value.is_array(), value.is_string(), value.is_number(), value.is_null());
        assert_eq!(kinds, (object, array, string, number, null), "{text}");
    }
}

#[test]
fn values_are_read_into_types() {
    let pair: (i32, String) = json(r#" [1, "x"] "#).read().unwrap();
    assert_eq!(pair, (1, "x".to_owned()));
    assert!(json("[1]").read::<Vec<String>>().is_err());
}

#[test]
fn the_deepest_text_can_be_walked_and_read_in_parts() {
    let text = format!("{{\"params\":{}1{}}}", "[".repeat(127), "]".repeat(127));
    let mut here = json(&text).get("params").value().unwrap();
    assert!(here.read::<serde_json::Value>().is_ok());
    while let Some(inner) = here.elements().next() {
        here = inner;
    }
    assert_eq!(here.as_str(), "1");
}

#[test]
fn owned_text_is_the_text() {
    let buf = JsonBuf::parse(" {\"a\" : 1.0}\n").unwrap();
    assert_eq!(buf.as_str(), "{\"a\" : 1.0}");
    assert_eq!(
        format!("{buf:?} {:?} {}", buf.as_json(), buf.as_json()),
        "{\"a\" : 1.0} {\"a\" : 1.0} {\"a\" : 1.0}"
    );
    assert_eq!(JsonBuf::of(&[1, 2]).unwrap().into_string(), "[1,2]");
    assert_eq!(JsonBuf::from(&serde_json::json!({"b": 1, "a": null})).as_str(), r#"{"b":1,"a":null}"#);
    assert!(JsonBuf::parse(r#"{"a":1,"a":2}"#).is_err());
}
