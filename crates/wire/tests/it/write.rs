//! Building new JSON text.
use overt_wire::json::{Array, Json, JsonBuf, Object, quote};

#[test]
fn objects_keep_the_order_in_which_they_are_written() {
    let inner = Json::parse(r#"{"k" :1.0,"\u0061":[ ]}"#).unwrap();
    let text = Object::new()
        .string("s", "a\"\\\n\u{1}é")
        .json("j", inner)
        .raw("r", "-0")
        .value("v", &["x"])
        .maybe("none", None::<u8>)
        .maybe("some", Some(7))
        .members_of(inner)
        .finish();
    let expected =
        r#"{"s":"a\"\\\n\u0001é","j":{"k" :1.0,"\u0061":[ ]},"r":-0,"v":["x"],"some":7,"k":1.0,"a":[ ]}"#;
    assert_eq!(text.as_str(), expected);
}

#[test]
fn empty_objects_and_arrays() {
    assert_eq!(Object::new().finish().as_str(), "{}");
    assert_eq!(Object::default().finish(), JsonBuf::empty_object());
    assert_eq!(Array::new().finish().as_str(), "[]");
    let one = Json::parse("1").unwrap();
    assert_eq!(Array::default().json(one).json(one).finish().as_str(), "[1,1]");
}

#[test]
fn names_are_quoted_too() {
    assert_eq!(Object::with_capacity(9).raw("a\"b\n", "1").finish().as_str(), r#"{"a\"b\n":1}"#);
}

#[test]
fn quoted_text_is_read_back() {
    for text in ["", "plain", "\"", "\\", "\u{0}\u{1f}\u{7f}", "line\r\nbreak", "é😀\u{2028}", r"\u0041"] {
        let quoted = quote(text);
        assert_eq!(Json::parse(&quoted).unwrap().string().unwrap(), text);
    }
}

#[test]
fn deep_parts_can_be_put_together() {
    // Each part may reach the depth limit, so the text that contains it may exceed the limit.
    let deep = "[".repeat(128) + &"]".repeat(128);
    let text = Object::new().json("deep", Json::parse(&deep).unwrap()).finish();
    assert_eq!(text.as_json().get("deep").value().unwrap().as_str(), deep);
}
