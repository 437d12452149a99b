//! Writes values as JSON directly into the bytes of the message that contains them. The output is
//! the same as that of `serde_json`, but text is written in long runs.
//!
//! `serde_json` looks at each byte of a text separately, and callers can't change that: it takes 10
//! instructions per byte of a file of lines, where 4 are enough. For large content that is nearly
//! all of a server's work.

mod object;
#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Write};

use serde::ser::{self, Error as _};
use serde::{Serialize, Serializer};
use serde_json::{Error, Result};

pub use self::object::{ArrayWriter, ObjectWriter};
use crate::escape;

/// The name of a newtype struct whose content is JSON text, alone or as the only field of a struct.
/// This writer writes the text as it is; other serializers write the struct as its content.
pub(crate) const RAW_JSON: &str = "plainly::RawJson";
/// The name of a newtype struct whose content is a text without characters to escape.
pub(crate) const PLAIN_TEXT: &str = "plainly::PlainText";

/// Appends `value` to `out`, on one line.
///
/// Fails if `Serialize` of a part fails, or if the key of a map is not a string. A part of the
/// value may then have been appended.
pub fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<()> {
    let next = Next::Value;
    value.serialize(&mut Writer { out, next })
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    next: Next,
}

/// The form of the next value.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Value,
    /// JSON text.
    RawJson,
    /// A text without characters to escape.
    PlainText,
    /// A map whose members are added to an open object.
    Members {
        is_first: bool,
    },
}

impl<'a> Writer<'a> {
    #[inline]
    fn open<'w>(&'w mut self, opening: u8, closing: &'static str) -> Result<Members<'w, 'a>> {
        self.check_whole()?;
        self.out.push(opening);
        Ok(Members {
            writer: self,
            is_first: true,
            closing,
        })
    }

    /// Writes `null`, or nothing if only members are expected.
    fn nothing(&mut self) -> Result<()> {
        if let Next::Members { .. } = self.next {
            self.next = Next::Value;
            return Ok(());
        }
        self.literal("null")
    }

    /// Fails if only the members of an object are expected.
    #[inline]
    fn check_whole(&self) -> Result<()> {
        match self.next {
            Next::Members { .. } => Err(Error::custom("no object, and so no members")),
            Next::Value | Next::RawJson | Next::PlainText => Ok(()),
        }
    }

    /// Writes the members of an open object, which stays open.
    #[inline]
    fn members<'w>(&'w mut self, is_first: bool) -> Members<'w, 'a> {
        Members {
            writer: self,
            is_first,
            closing: "",
        }
    }

    /// Writes `{"variant":`.
    fn variant(&mut self, variant: &str) -> Result<()> {
        self.check_whole()?;
        self.out.push(b'{');
        escape::write_string(self.out, variant);
        self.out.push(b':');
        Ok(())
    }

    #[inline]
    fn literal(&mut self, literal: &str) -> Result<()> {
        self.out.extend_from_slice(literal.as_bytes());
        Ok(())
    }
}

/// Implements the rare types of value, which need not be fast.
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
        if self.next == Next::RawJson {
            return self.literal(text);
        }
        escape::write_string(self.out, text);
        Ok(())
    }

    /// Writes each piece as it is formatted.
    fn collect_str<T: Display + ?Sized>(self, text: &T) -> Result<()> {
        self.out.push(b'"');
        let written = match self.next {
            Next::PlainText => write!(PlainPieces(self.out), "{text}"),
            Next::Value | Next::RawJson | Next::Members { .. } => {
                write!(Pieces(self.out), "{text}")
            }
        };
        written.map_err(Error::custom)?;
        self.out.push(b'"');
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        self.nothing()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.nothing()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.nothing()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        // Recognized by its name, because serde has no other way to mark a text as JSON.
        let next = match name {
            RAW_JSON => Next::RawJson,
            PLAIN_TEXT => Next::PlainText,
            _ => return value.serialize(self),
        };
        if self.next != Next::Value {
            return Err(Error::custom("text has no members"));
        }
        self.next = next;
        value.serialize(&mut *self)?;
        self.next = Next::Value;
        Ok(())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.variant(variant)?;
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
        self.variant(variant)?;
        self.open(b'[', "]}")
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Members<'w, 'a>> {
        let Next::Members { is_first } = self.next else {
            return self.open(b'{', "}");
        };
        self.next = Next::Value;
        Ok(self.members(is_first))
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'w, 'a>> {
        match self.next {
            Next::Value | Next::PlainText => self.open(b'{', "}"),
            Next::RawJson => Ok(self.members(true)),
            Next::Members { is_first } => {
                self.next = Next::Value;
                Ok(self.members(is_first))
            }
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'w, 'a>> {
        self.variant(variant)?;
        self.open(b'{', "}}")
    }
}

/// An open array or object.
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

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        // A struct that only wraps a text, as `RawValue` does.
        if matches!(self.writer.next, Next::RawJson) {
            return value.serialize(&mut *self.writer);
        }
        self.separate();
        escape::write_string(self.writer.out, key);
        self.writer.out.push(b':');
        value.serialize(&mut *self.writer)
    }

    #[inline]
    fn close(self) -> Result<()> {
        // Nothing for an object that was already open, and two braces if a variant encloses the
        // value.
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
        // Checked in the output, because any type that serializes as a string can be a key.
        match self.writer.out.get(start) {
            Some(b'"') => Ok(()),
            _ => Err(Error::custom("the key of a map is not a string")),
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

/// Implements the serializer traits that differ only in their names.
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

/// Writes the content of a JSON string piece by piece, with escapes.
struct Pieces<'a>(&'a mut Vec<u8>);

impl Write for Pieces<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        escape::write_inner(self.0, piece);
        Ok(())
    }
}

/// Writes a text without characters to escape.
struct PlainPieces<'a>(&'a mut Vec<u8>);

impl Write for PlainPieces<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0.extend_from_slice(piece.as_bytes());
        Ok(())
    }
}
