//! Parse then write is the identity, and every part of a message is found.
use overt_wire::json::{Json, Limits, Member};
use overt_wire::{Id, Kind, Message};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::generate::{any_object, config, members, object, space, string, value};

/// A message and the parts from which it was built.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) text: String,
    kind: Kind,
    id: Option<String>,
    method: Option<String>,
    body: Option<String>,
}

/// Any valid message: any kind, any order of members, unknown members, some escaped names.
pub(super) fn message() -> impl Strategy<Value = Sample> {
    let id = prop_oneof![any::<i64>().prop_map(|id| id.to_string()), Just("-0".to_owned()), string()];
    let method =
        select(vec![r#""ping""#, r#""tools\/call""#, r#""tools/call""#, r#""x\u0079""#, r#""日本""#])
            .prop_map(String::from);
    let params = option::of(prop_oneof![5 => any_object(), 1 => Just("null".to_owned())]);
    let error = prop_oneof![any_object(), Just(r#"{"code":-1,"message":"m"}"#.to_owned())];
    let none = || Just(None::<String>);
    let parts = prop_oneof![
        (Just(Kind::Request), id.clone().prop_map(Some), method.clone().prop_map(Some), params.clone()),
        (Just(Kind::Notification), none(), method.prop_map(Some), params),
        (Just(Kind::Result), id.clone().prop_map(Some), none(), value().prop_map(Some)),
        (Just(Kind::Error), option::of(id), none(), error.prop_map(Some)),
    ];
    let unknown = string().prop_map(|token| format!("\"x-{}", &token[1..]));
    let others = members(unknown, value());
    (parts, others, any::<bool>()).prop_flat_map(|((kind, id, method, body), others, escaped)| {
        let body_name = match kind {
            Kind::Request | Kind::Notification => r#""params""#,
            Kind::Result => r#""result""#,
            Kind::Error => r#""error""#,
        };
        let named = |name: &str, value: &Option<String>| value.clone().map(|value| (name.to_owned(), value));
        let version = if escaped { r#""json\u0072pc""# } else { r#""jsonrpc""# };
        let mut all = vec![(version.to_owned(), r#""2.0""#.to_owned())];
        all.extend(named(r#""id""#, &id));
        all.extend(named(r#""method""#, &method));
        all.extend(named(body_name, &body));
        all.extend(others);
        let text = Just(all).prop_shuffle().prop_flat_map(object);
        (space(), text, space()).prop_map(move |(before, text, after)| Sample {
            text: format!("{before}{text}{after}"),
            kind,
            id: id.clone(),
            method: method.clone(),
            body: body.clone(),
        })
    })
}

pub(super) fn parse(text: &str) -> Message {
    Message::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap()
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn rpc_07_parse_then_write_is_the_identity(sample in message()) {
        let message = parse(&sample.text);
        prop_assert_eq!(message.text(), &sample.text);
        prop_assert_eq!(message.kind(), sample.kind);
        prop_assert_eq!(message.id().map(Id::token), sample.id.as_deref());
        let method = sample.method.map(|token| serde_json::from_str::<String>(&token).unwrap());
        prop_assert_eq!(message.method().map(|method| method.name().to_owned()), method);
        let body = match sample.kind {
            Kind::Request | Kind::Notification => message.params(),
            Kind::Result => message.result_body(),
            Kind::Error => message.as_json().get("error"),
        };
        match sample.body.as_deref() {
            None => prop_assert_eq!(body, Member::Absent),
            Some("null") => prop_assert_eq!(body, Member::Null),
            Some(text) => prop_assert_eq!(body.value().map(Json::as_str), Some(text)),
        }
        prop_assert_eq!(&*message.into_text(), &sample.text);
    }

    #[test]
    fn rpc_01_no_text_makes_the_parser_panic(text in "\\PC*", cut in any::<Index>(), sample in message()) {
        let at = cut.index(sample.text.len());
        for bytes in [text.as_bytes(), &sample.text.as_bytes()[..at], &sample.text.as_bytes()[at..]] {
            if let Err(reject) = Message::parse(bytes.to_vec(), &Limits::default())
                && let Some(answer) = reject.answer()
            {
                prop_assert_eq!(parse(answer.text()), answer);
            }
        }
    }
}
