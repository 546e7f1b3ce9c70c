//! Writes Rust values as JSON text, with the same bytes as serde_json. Long strings are escaped
//! block by block; rare types are left to serde_json.
use std::fmt::Write as _;

use serde::{Serialize, ser};
use serde_json::{Error, Result};

use super::quote::push_quoted;

/// Appends a value as JSON text.
pub(super) fn push<T: Serialize + ?Sized>(out: &mut String, value: &T) -> Result<()> {
    value.serialize(Writer(out))
}

struct Writer<'a>(&'a mut String);

/// An array or object that is being written.
struct Parts<'a> {
    out: &'a mut String,
    is_first: bool,
    end: &'static str,
}

impl<'a> Writer<'a> {
    /// Writes the value through serde_json.
    fn plain<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.0.push_str(&serde_json::to_string(value)?);
        Ok(())
    }

    fn parts(self, start: &str, end: &'static str) -> Parts<'a> {
        self.0.push_str(start);
        Parts { out: self.0, is_first: true, end }
    }

    /// Starts an enum variant with data, such as `{"variant":[`.
    fn variant(self, variant: &str, start: &str, end: &'static str) -> Parts<'a> {
        self.0.push('{');
        push_quoted(self.0, variant);
        self.0.push(':');
        self.parts(start, end)
    }
}

impl<'a> Parts<'a> {
    fn next(&mut self) -> Writer<'_> {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(',');
        }
        Writer(self.out)
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        push_quoted(self.next().0, name);
        self.out.push(':');
        value.serialize(Writer(self.out))
    }

    fn finish(self) -> Result<()> {
        self.out.push_str(self.end);
        Ok(())
    }
}

/// Integers of every size are written the same way.
macro_rules! integers {
    ($($method:ident($kind:ty),)*) => {$(
        fn $method(self, value: $kind) -> Result<()> {
            // Writing to a string can't fail.
            let _ = write!(self.0, "{value}");
            Ok(())
        }
    )*};
}

impl<'a> ser::Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.0.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    integers! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128),
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.plain(&value)
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        self.plain(&value)
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        push_quoted(self.0, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.0.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let mut parts = self.parts("{", "}");
        parts.member(variant, value)?;
        parts.finish()
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Parts<'a>> {
        Ok(self.parts("[", "]"))
    }

    fn serialize_tuple(self, _length: usize) -> Result<Parts<'a>> {
        Ok(self.parts("[", "]"))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<Parts<'a>> {
        Ok(self.parts("[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Parts<'a>> {
        Ok(self.variant(variant, "[", "]}"))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Parts<'a>> {
        Ok(self.parts("{", "}"))
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Parts<'a>> {
        Ok(self.parts("{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Parts<'a>> {
        Ok(self.variant(variant, "{", "}}"))
    }
}

/// The four kinds of lists in serde's data model.
macro_rules! list {
    ($($kind:ident, $element:ident;)*) => {$(
        impl ser::$kind for Parts<'_> {
            type Ok = ();
            type Error = Error;

            fn $element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                value.serialize(self.next())
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

list! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

/// The two kinds of objects with static member names.
macro_rules! object {
    ($($kind:ident;)*) => {$(
        impl ser::$kind for Parts<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.member(name, value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

object! {
    SerializeStruct;
    SerializeStructVariant;
}

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let out = self.next().0;
        let start = out.len();
        key.serialize(Writer(out))?;
        match out.as_bytes().get(start) {
            Some(b'"') => {}
            // A number or boolean key becomes a string.
            Some(b'0'..=b'9' | b'-' | b't' | b'f') => {
                out.insert(start, '"');
                out.push('"');
            }
            _ => return Err(ser::Error::custom("key must be a string")),
        }
        out.push(':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(Writer(self.out))
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Serialize)]
    struct Unit;
    #[derive(Serialize)]
    struct Wrapped(f64);
    #[derive(Serialize)]
    struct Pair(u8, char);

    #[derive(Serialize)]
    enum Kind {
        Unit,
        One(i64),
        Two(u64, Option<bool>),
        Named { a: f32, b: &'static str },
    }

    #[derive(Serialize)]
    struct Every {
        kinds: Vec<Kind>,
        unit: Unit,
        wrapped: [Wrapped; 4],
        pair: Pair,
        none: Option<u8>,
        #[serde(skip_serializing_if = "Option::is_none")]
        absent: Option<u8>,
        numbers: BTreeMap<i32, u128>,
        flags: BTreeMap<bool, i128>,
        names: BTreeMap<String, ()>,
        empty: (Vec<u8>, BTreeMap<String, u8>),
        value: serde_json::Value,
        #[serde(flatten)]
        more: BTreeMap<&'static str, &'static [u8]>,
    }

    #[test]
    fn every_shape_is_written_as_serde_json_writes_it() {
        let every = Every {
            kinds: vec![
                Kind::Unit,
                Kind::One(i64::MIN),
                Kind::Two(u64::MAX, Some(false)),
                Kind::Named { a: 0.1, b: "\u{7f}\u{1}\"\\/\u{2028}é😀" },
            ],
            unit: Unit,
            wrapped: [Wrapped(0.1), Wrapped(-0.0), Wrapped(1e300), Wrapped(f64::NAN)],
            pair: Pair(7, '"'),
            none: None,
            absent: None,
            numbers: [(-1, u128::MAX), (2, 0)].into(),
            flags: [(true, i128::MIN)].into(),
            names: [("a\nb".to_owned(), ())].into(),
            empty: Default::default(),
            value: serde_json::json!({"x": [null, 1.5, {"y": "z"}]}),
            more: [("bytes", &b"ab"[..])].into(),
        };
        let mut out = String::new();
        push(&mut out, &every).unwrap();
        assert_eq!(out, serde_json::to_string(&every).unwrap());
    }

    #[test]
    fn a_name_that_is_no_string_is_refused() {
        let map: BTreeMap<Option<u8>, u8> = [(None, 1)].into();
        assert!(push(&mut String::new(), &map).is_err());
        let map: BTreeMap<Vec<u8>, u8> = [(vec![1], 1)].into();
        assert!(push(&mut String::new(), &map).is_err());
    }
}
