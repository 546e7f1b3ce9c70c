//! The strict check agrees with the oracle, and views of text agree with `serde_json`'s tree.
use overt_wire::json::{FaultKind, Json, Limits, check};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use super::generate::{any_object, config, space, value};
use super::oracle::{Verdict, judge};

/// A small random corruption of a text.
#[derive(Debug, Clone)]
enum Mishap {
    Delete(Index),
    Insert(Index, u8),
    Replace(Index, u8),
    Truncate(Index),
    Repeat(Index, Index),
}

fn mishap() -> impl Strategy<Value = Mishap> {
    let byte = select(b"{}[]\",:\\/ud8cefbnrt0019+-.eE \n\t\x01\x7f\x80\xc3\xed\xff".to_vec());
    prop_oneof![
        any::<Index>().prop_map(Mishap::Delete),
        (any::<Index>(), byte.clone()).prop_map(|(at, byte)| Mishap::Insert(at, byte)),
        (any::<Index>(), byte).prop_map(|(at, byte)| Mishap::Replace(at, byte)),
        any::<Index>().prop_map(Mishap::Truncate),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Mishap::Repeat(from, to)),
    ]
}

impl Mishap {
    fn happen(&self, text: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        match self {
            Self::Delete(at) => {
                text.remove(at.index(text.len()));
            }
            Self::Insert(at, byte) => text.insert(at.index(text.len()), *byte),
            Self::Replace(at, byte) => {
                let at = at.index(text.len());
                text[at] = *byte;
            }
            Self::Truncate(at) => text.truncate(at.index(text.len())),
            Self::Repeat(from, to) => {
                let (from, to) = (from.index(text.len()), to.index(text.len()));
                let part = text[from.min(to)..from.max(to)].to_vec();
                text.splice(from.max(to)..from.max(to), part);
            }
        }
    }
}

fn verdict(bytes: &[u8]) -> Verdict {
    judge(serde_json::Deserializer::from_slice(bytes)).0
}

#[track_caller]
fn agrees(bytes: &[u8]) {
    let ours = check(bytes, &Limits::default());
    let text = String::from_utf8_lossy(bytes);
    match verdict(bytes) {
        Verdict::Valid => assert_eq!(ours, Ok(()), "{text}"),
        Verdict::Duplicate => {
            assert_eq!(ours.map_err(|fault| fault.kind), Err(FaultKind::DuplicateMember), "{text}");
        }
        Verdict::NotJson => assert!(ours.is_err(), "{text}"),
        Verdict::Unknown => {}
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn rpc_05_accepts_what_the_judge_accepts(before in space(), text in value(), after in space()) {
        agrees(format!("{before}{text}{after}").as_bytes());
        prop_assert_eq!(check(text.as_bytes(), &Limits::default()), Ok(()));
    }

    #[test]
    fn rpc_05_refuses_what_the_judge_refuses(text in value(), mishaps in vec(mishap(), 1..4)) {
        let mut text = text.into_bytes();
        for mishap in mishaps {
            mishap.happen(&mut text);
            agrees(&text);
        }
    }

    #[test]
    fn rpc_05_names_twice_are_found(text in any_object(), again in any::<Index>()) {
        let tree: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
        prop_assume!(!tree.is_empty());
        let name = tree.keys().nth(again.index(tree.len())).unwrap();
        let twice = text.replacen('{', &format!("{{{}:0,", serde_json::to_string(name).unwrap()), 1);
        prop_assert_eq!(verdict(twice.as_bytes()), Verdict::Duplicate);
        agrees(twice.as_bytes());
    }

    #[test]
    fn rpc_02_random_bytes_are_judged_alike(bytes in vec(any::<u8>(), 0..40)) {
        agrees(&bytes);
        agrees(&[b"\"", bytes.as_slice(), b"\""].concat());
    }

    #[test]
    fn members_are_those_of_serde_json(before in space(), text in any_object(), after in space()) {
        let whole = format!("{before}{text}{after}");
        let json = Json::parse(&whole).unwrap();
        prop_assert_eq!(json.as_str(), text.as_str());
        let tree: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
        let ours: Vec<(String, Value)> =
            json.members().map(|(key, value)| (key.name().into_owned(), value.read().unwrap())).collect();
        prop_assert_eq!(&ours, &tree.clone().into_iter().collect::<Vec<_>>());
        for (name, value) in &tree {
            let found = json.get(name).value().map_or(Value::Null, |found| found.read().unwrap());
            prop_assert_eq!(&found, value);
        }
    }

    #[test]
    fn values_are_those_of_serde_json(text in value()) {
        let json = Json::parse(&text).unwrap();
        let tree: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(json.string().map(String::from), tree.as_str().map(str::to_owned));
        prop_assert_eq!(json.bool(), tree.as_bool());
        let kinds = (json.is_object(), json.is_array(), json.is_number(), json.is_null());
        prop_assert_eq!(kinds, (tree.is_object(), tree.is_array(), tree.is_number(), tree.is_null()));
        let elements: Vec<Value> = json.elements().map(|element| element.read().unwrap()).collect();
        prop_assert_eq!(elements.as_slice(), tree.as_array().map_or(&[][..], Vec::as_slice));
    }
}
