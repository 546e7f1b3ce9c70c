//! An independent judgement of JSON text: `serde_json` reads it, and a visitor finds duplicate
//! names. The fuzz targets use this file too.
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::de::SliceRead;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Valid,
    Duplicate,
    NotJson,
    /// The number is beyond `f64`. It is valid JSON, but `serde_json` refuses it, so there is no
    /// verdict.
    Unknown,
}

/// Facts about the text that was judged.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) nodes: Cell<usize>,
    pub(super) deepest: Cell<usize>,
    duplicate: Cell<bool>,
}

pub(super) fn judge(mut reader: Deserializer<SliceRead<'_>>) -> (Verdict, Seen) {
    let seen = Seen::default();
    let read = Walk { seen: &seen, depth: 0 }.deserialize(&mut reader).and_then(|()| reader.end());
    let verdict = match read {
        Ok(()) if seen.duplicate.get() => Verdict::Duplicate,
        Ok(()) => Verdict::Valid,
        Err(error) if error.to_string().starts_with("number out of range") => Verdict::Unknown,
        Err(_) => Verdict::NotJson,
    };
    (verdict, seen)
}

/// Reads any value and notes when an object has a duplicate name.
#[derive(Clone, Copy)]
struct Walk<'a> {
    seen: &'a Seen,
    depth: usize,
}

impl Walk<'_> {
    fn inside(self) -> Self {
        let depth = self.depth + 1;
        self.seen.deepest.set(self.seen.deepest.get().max(depth));
        Self { depth, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        self.seen.nodes.set(self.seen.nodes.get() + 1);
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let inside = self.inside();
        let mut names = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !names.insert(name) {
                self.seen.duplicate.set(true);
            }
            map.next_value_seed(inside)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let inside = self.inside();
        while elements.next_element_seed(inside)?.is_some() {}
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
        assert_eq!(judge(Deserializer::from_slice(text.as_bytes())).0, verdict, "{text}");
    }
    let (_, seen) = judge(Deserializer::from_slice(br#"{"a":[1,[]],"b":null}"#));
    assert_eq!((seen.nodes.get(), seen.deepest.get()), (5, 3));
}
