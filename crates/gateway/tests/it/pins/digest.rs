//! All spellings of a JSON value have the same digest, and different values have different ones.
use overt_gateway::pins::Digest;
use overt_wire::json::{Json, quote};
use proptest::collection::vec;
use proptest::prelude::*;

/// A JSON value that can be written in several styles.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Word(&'static str),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// How a text is written: with or without unnecessary spaces, escapes and digits, and with its
/// members forwards or backwards.
#[derive(Debug, Clone, Copy)]
struct Style {
    space: bool,
    escapes: bool,
    backwards: bool,
}

const PLAIN: Style = Style { space: false, escapes: false, backwards: false };

impl Value {
    fn write(&self, style: Style) -> String {
        let space = if style.space { "\n \t" } else { "" };
        let joined = |parts: Vec<String>| parts.join(&format!("{space},{space}"));
        match self {
            Self::Word(word) => (*word).to_owned(),
            Self::Number(number) if style.escapes => format!("{number:E}"),
            Self::Number(number) => format!("{number:?}"),
            Self::Text(text) => string(text, style),
            Self::List(values) => {
                let values = values.iter().map(|value| value.write(style)).collect();
                format!("[{space}{}{space}]", joined(values))
            }
            Self::Object(members) => {
                let member = |(name, value): &(String, Value)| {
                    format!("{}{space}:{space}{}", string(name, style), value.write(style))
                };
                let mut members: Vec<String> = members.iter().map(member).collect();
                if style.backwards {
                    members.reverse();
                }
                format!("{{{space}{}{space}}}", joined(members))
            }
        }
    }
}

fn string(text: &str, style: Style) -> String {
    if !style.escapes {
        return quote(text);
    }
    let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    format!("\"{escaped}\"")
}

fn digest(text: &str) -> Digest {
    Digest::of(Json::parse(text).unwrap())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        prop_oneof![Just("true"), Just("false"), Just("null")].prop_map(Value::Word),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::Number),
        any::<i32>().prop_map(|number| Value::Number(f64::from(number))),
        any::<String>().prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::List),
            proptest::collection::btree_map(any::<String>(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn style() -> impl Strategy<Value = Style> {
    any::<[bool; 3]>().prop_map(|[space, escapes, backwards]| Style { space, escapes, backwards })
}

/// Whether two values are equal, with `-0` equal to `0` at any depth.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1))
        }
        _ => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn card_01_spelling_does_not_matter(value in value(), style in style()) {
        prop_assert_eq!(digest(&value.write(PLAIN)), digest(&value.write(style)));
    }

    #[test]
    fn card_01_every_other_value_has_another_digest(a in value(), b in value()) {
        let equal = digest(&a.write(PLAIN)) == digest(&b.write(PLAIN));
        prop_assert_eq!(equal, same(&a, &b));
    }

    #[test]
    fn numbers_keep_their_value(number in any::<f64>().prop_filter("finite", |n| n.is_finite()), zeros in 0_usize..4) {
        let padded = match format!("{number:?}") {
            text if text.contains('.') && !text.contains('e') => format!("{text}{}", "0".repeat(zeros)),
            text => text,
        };
        prop_assert_eq!(digest(&padded), digest(&format!("{number:e}")));
        let next = f64::from_bits(number.to_bits() ^ 1);
        prop_assume!(next.is_finite() && next != number);
        prop_assert_ne!(digest(&padded), digest(&format!("{next:?}")));
    }
}

#[test]
fn card_01_every_member_counts() {
    let tool = r#"{"name":"a","title":"A","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"icons":[],"_meta":{"x":1},"unknown":{"deep":[1,{"y":null}]}}"#;
    let mut digests = vec![digest(tool)];
    for (from, to) in [
        (r#""title":"A""#, r#""title":"B""#),
        (r#""description":"d""#, r#""description":"d ""#),
        (r#""inputSchema":{"type":"object"}"#, r#""inputSchema":{"type":"object","x":1}"#),
        (r#""outputSchema":{"type":"object"}"#, r#""outputSchema":{}"#),
        ("true", "false"),
        (r#""icons":[]"#, r#""icons":[{}]"#),
        (r#"{"x":1}"#, r#"{"x":1.0000000000000000000001}"#),
        (r#"{"y":null}"#, "{}"),
        (r#","_meta":{"x":1}"#, ""),
    ] {
        let changed = tool.replacen(from, to, 1);
        assert_ne!(changed, tool);
        digests.push(digest(&changed));
    }
    let count = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), count);
}
