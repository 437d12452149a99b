//! Values become JSON here, straight in the bytes of the message that they are part of: as `serde_json` writes them, but text
//! in long runs. Knows no type that it writes.
//!
//! `serde_json` looks at each byte of a text by itself, and nothing from outside can change that: 10 instructions a byte of a
//! file of lines, where 4 are enough. Of what is large that is nearly all that a server does.

mod object;
#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Write};

use serde::ser::{self, Error as _};
use serde::{Serialize, Serializer};
use serde_json::{Error, Result};

pub use self::object::{ArrayWriter, ObjectWriter};
use crate::escape;

/// The name of a newtype struct whose content is a text of JSON, alone or as the only field of a struct: it is written as it
/// is. To any other serializer such a struct is its content.
pub(crate) const RAW_JSON: &str = "plainly::RawJson";
/// The name of a newtype struct whose content is a text in which nothing has to be escaped.
pub(crate) const PLAIN_TEXT: &str = "plainly::PlainText";

/// Appends `value` to `out`, on one line.
///
/// Fails where `Serialize` of a part of it does, or where the key of a map is not a string; then something of it may have been
/// appended.
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
    /// A text of JSON.
    RawJson,
    /// A text in which nothing has to be escaped.
    PlainText,
    /// A map, whose members belong to an object that is open.
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

    /// `null`, or no members where only those are wanted.
    fn nothing(&mut self) -> Result<()> {
        if let Next::Members { .. } = self.next {
            self.next = Next::Value;
            return Ok(());
        }
        self.literal("null")
    }

    /// Fails where only the members of an object are wanted.
    #[inline]
    fn check_whole(&self) -> Result<()> {
        match self.next {
            Next::Members { .. } => Err(Error::custom("no object, and so no members")),
            Next::Value | Next::RawJson | Next::PlainText => Ok(()),
        }
    }

    /// The members of an object that is open, and stays so.
    #[inline]
    fn members<'w>(&'w mut self, is_first: bool) -> Members<'w, 'a> {
        Members {
            writer: self,
            is_first,
            closing: "",
        }
    }

    /// `{"variant":`
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

/// Writes the kinds of value that are rare, so that they need not be fast.
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

    /// Piece by piece, as it comes.
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
        // By its name, since serde has no other way to tell a serializer that a text is JSON already.
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

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        // A struct that is nothing but the text in it, as `RawValue` is.
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
        // Nothing for an object that was open before, and two braces where a variant stands around it.
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
        // Only what was written shows it: anything that serializes as a string can be a key.
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

/// Writes the inside of a JSON string piece by piece, with escapes.
struct Pieces<'a>(&'a mut Vec<u8>);

impl Write for Pieces<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        escape::write_inner(self.0, piece);
        Ok(())
    }
}

/// A writer of a text in which nothing has to be escaped.
struct PlainPieces<'a>(&'a mut Vec<u8>);

impl Write for PlainPieces<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0.extend_from_slice(piece.as_bytes());
        Ok(())
    }
}
