//! An independent judge of JSON text: `serde_json` reads it, and a visitor counts names that stand twice.
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Valid,
    Duplicate,
    NotJson,
    /// `serde_json` refuses numbers beyond `f64`, which are JSON all the same; it has no opinion then.
    Unknown,
}

pub(super) fn judge(bytes: &[u8]) -> Verdict {
    let duplicate = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = Walk(&duplicate).deserialize(&mut reader).and_then(|()| reader.end());
    match read {
        Ok(()) if duplicate.get() => Verdict::Duplicate,
        Ok(()) => Verdict::Valid,
        Err(error) if error.to_string().starts_with("number out of range") => Verdict::Unknown,
        Err(_) => Verdict::NotJson,
    }
}

/// Reads any value and notes when an object has a name twice.
#[derive(Clone, Copy)]
struct Walk<'a>(&'a Cell<bool>);

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !names.insert(name) {
                self.0.set(true);
            }
            map.next_value_seed(self)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[test]
fn the_judge_knows_the_simple_cases() {
    let cases = [
        ("{\"a\":1}", Verdict::Valid),
        ("{\"a\":1,\"a\":2}", Verdict::Duplicate),
        ("[{\"x\":{\"a\":1,\"\\u0061\":2}}]", Verdict::Duplicate),
        ("{\"a\":1,}", Verdict::NotJson),
        ("\"\\ud800\"", Verdict::NotJson),
        ("1e999", Verdict::Unknown),
    ];
    for (text, verdict) in cases {
        assert_eq!(judge(text.as_bytes()), verdict, "{text}");
    }
}
