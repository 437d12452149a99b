//! Values become JSON here, straight in the bytes of the message that they are part of: as `serde_json` writes them, but text
//! in long runs. Knows no type that it writes.
//!
//! `serde_json` looks at each byte of a text by itself, and nothing from outside can change that: 10 instructions a byte of a
//! file of lines, where 4 are enough. Of what is large that is nearly all that a server does.

use std::fmt::{self, Display, Write};

use serde::ser::{self, Error as _};
use serde::{Serialize, Serializer};
use serde_json::{Error, Result};

use crate::escape;

/// Appends `value` to `out`, on one line.
///
/// Fails where `Serialize` of a part of it does, or where the key of a map is no string; then something of it may have been
/// appended.
pub fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<()> {
    value.serialize(&mut Writer { out, is_raw: false })
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// The next text is JSON, and written as it is.
    is_raw: bool,
}

/// By which `serde_json` lets a serializer know that a struct is a `RawValue`, whose only field is its text; and a
/// deserializer that one is wanted.
pub(crate) const RAW: &str = "$serde_json::private::RawValue";

impl<'a> Writer<'a> {
    #[inline]
    fn open<'w>(&'w mut self, opening: u8, closing: &'static str) -> Result<Members<'w, 'a>> {
        self.out.push(opening);
        Ok(Members {
            writer: self,
            is_first: true,
            closing,
        })
    }

    /// `{"variant":`
    fn variant(&mut self, variant: &str) {
        self.out.push(b'{');
        escape::write_string(self.out, variant);
        self.out.push(b':');
    }

    #[inline]
    fn literal(&mut self, literal: &str) -> Result<()> {
        self.out.extend_from_slice(literal.as_bytes());
        Ok(())
    }
}

/// What few values are, so that it need not be fast.
macro_rules! as_serde_json_does {
    ($($method:ident($value:ty))*) => {
        $(fn $method(self, value: $value) -> Result<()> {
            serde_json::to_writer(&mut *self.out, &value)
        })*
    };
}

impl<'w, 'a> Serializer for &'w mut Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Members<'w, 'a>;
    type SerializeTuple = Members<'w, 'a>;
    type SerializeTupleStruct = Members<'w, 'a>;
    type SerializeTupleVariant = Members<'w, 'a>;
    type SerializeMap = Members<'w, 'a>;
    type SerializeStruct = Members<'w, 'a>;
    type SerializeStructVariant = Members<'w, 'a>;

    as_serde_json_does! {
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
        serialize_f32(f32) serialize_f64(f64) serialize_char(char) serialize_bytes(&[u8])
    }

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.literal(if value { "true" } else { "false" })
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<()> {
        if self.is_raw {
            return self.literal(text);
        }
        escape::write_string(self.out, text);
        Ok(())
    }

    /// Piece by piece, as it comes.
    fn collect_str<T: Display + ?Sized>(self, text: &T) -> Result<()> {
        self.out.push(b'"');
        write!(Pieces(self.out), "{text}").map_err(Error::custom)?;
        self.out.push(b'"');
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        self.literal("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.literal("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.literal("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.variant(variant);
        value.serialize(&mut *self)?;
        self.literal("}")
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'w, 'a>> {
        self.open(b'[', "]")
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'w, 'a>> {
        self.open(b'[', "]")
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'w, 'a>> {
        self.open(b'[', "]")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w, 'a>> {
        self.variant(variant);
        self.open(b'[', "]}")
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Members<'w, 'a>> {
        self.open(b'{', "}")
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Members<'w, 'a>> {
        self.is_raw = name == RAW;
        if !self.is_raw {
            return self.open(b'{', "}");
        }
        Ok(Members {
            writer: self,
            is_first: true,
            closing: "",
        })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w, 'a>> {
        self.variant(variant);
        self.open(b'{', "}}")
    }
}

/// An array or an object that is open.
struct Members<'w, 'a> {
    writer: &'w mut Writer<'a>,
    is_first: bool,
    closing: &'static str,
}

impl Members<'_, '_> {
    #[inline]
    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.writer.out.push(b',');
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.separate();
        value.serialize(&mut *self.writer)
    }

    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        if self.writer.is_raw {
            value.serialize(&mut *self.writer)?;
            self.writer.is_raw = false;
            return Ok(());
        }
        self.separate();
        escape::write_string(self.writer.out, key);
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer)
    }

    #[inline]
    fn close(self) -> Result<()> {
        self.writer.literal(self.closing)
    }
}

impl ser::SerializeMap for Members<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.separate();
        let start = self.writer.out.len();
        key.serialize(&mut *self.writer)?;
        match self.writer.out.get(start) {
            Some(b'"') => Ok(()),
            _ => Err(Error::custom("the key of a map is no string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

/// The kinds that differ in their names alone.
macro_rules! open {
    ($($kind:ident::$method:ident($($key:ident)?),)*) => {
        $(impl ser::$kind for Members<'_, '_> {
            type Ok = ();
            type Error = Error;

            open!(@ $method $($key)?);

            fn end(self) -> Result<()> {
                self.close()
            }
        })*
    };
    (@ $method:ident key) => {
        fn $method<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
            self.field(key, value)
        }
    };
    (@ $method:ident) => {
        fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
            self.element(value)
        }
    };
}

open! {
    SerializeSeq::serialize_element(),
    SerializeTuple::serialize_element(),
    SerializeTupleStruct::serialize_field(),
    SerializeTupleVariant::serialize_field(),
    SerializeStruct::serialize_field(key),
    SerializeStructVariant::serialize_field(key),
}

/// What stands between the quotes of a text, piece by piece.
struct Pieces<'a>(&'a mut Vec<u8>);

impl Write for Pieces<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        escape::write_inner(self.0, piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Serialize)]
    struct All<'a> {
        numbers: (u8, i8, u16, i16, u32, i32, u64, i64, u128, i128),
        fractions: [f64; 4],
        short: f32,
        letter: char,
        nothing: (),
        maybe: [Option<bool>; 3],
        raw: &'a RawValue,
        raws: Vec<&'a RawValue>,
        after: &'a str,
        shown: Shown,
        kinds: Vec<Kind>,
        unit: Unit,
        wrapped: Wrapped,
        pair: Pair,
        map: BTreeMap<String, u8>,
        empty: (Vec<u8>, BTreeMap<String, u8>),
        #[serde(flatten)]
        rest: BTreeMap<&'static str, Kind>,
        #[serde(flatten)]
        one: Kind,
    }

    #[derive(Clone, Serialize)]
    enum Kind {
        Unit,
        Newtype(&'static str),
        Tuple(u8, &'static str),
        Struct { a: u8, b: &'static str },
    }

    #[derive(Serialize)]
    struct Unit;
    #[derive(Serialize)]
    struct Wrapped(&'static str);
    #[derive(Serialize)]
    struct Pair(u8, &'static str);

    struct Shown;

    impl Serialize for Shown {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            serializer.collect_str(&format_args!("one \"{}\"\n{}", 1, "two"))
        }
    }

    fn written<T: Serialize + ?Sized>(value: &T) -> String {
        let mut out = Vec::new();
        write(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_kind_is_written_as_serde_json_does() {
        let raw = RawValue::from_string(r#"{"a": [1,  "\u00e9"]}"#.to_owned()).unwrap();
        let kinds = vec![
            Kind::Unit,
            Kind::Newtype("\"n\""),
            Kind::Tuple(1, "t"),
            Kind::Struct { a: 1, b: "\\" },
        ];
        let all = All {
            numbers: (
                0,
                -128,
                1,
                -1,
                2,
                -2,
                u64::MAX,
                i64::MIN,
                u128::MAX,
                i128::MIN,
            ),
            fractions: [0.1, 1e300, f64::NAN, -0.0],
            short: 0.1,
            letter: '"',
            nothing: (),
            maybe: [None, Some(true), Some(false)],
            raw: &raw,
            raws: vec![&raw, &raw],
            after: "not raw",
            shown: Shown,
            kinds: kinds.clone(),
            unit: Unit,
            wrapped: Wrapped("w"),
            pair: Pair(1, "p"),
            map: [("k\n".to_owned(), 1), ("l".to_owned(), 2)].into(),
            empty: Default::default(),
            rest: ["e", "f", "g", "h"].into_iter().zip(kinds).collect(),
            one: Kind::Newtype("flat"),
        };
        assert_eq!(written(&all), serde_json::to_string(&all).unwrap());
        assert_eq!(written(&*raw), raw.get());
    }

    #[test]
    fn a_key_must_be_a_string() {
        let map: BTreeMap<u8, u8> = [(1, 1)].into();
        assert!(write(&mut Vec::new(), &map).is_err());
    }

    #[test]
    fn what_is_there_stays_there() {
        let mut out = b"before ".to_vec();
        write(&mut out, &[1, 2]).unwrap();
        assert_eq!(out, b"before [1,2]");
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                proptest::collection::hash_map(".*", inner, 0..8)
                    .prop_map(|members| json!(members)),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_written_as_serde_json_does(value in values()) {
            prop_assert_eq!(written(&value), value.to_string());
        }
    }
}
