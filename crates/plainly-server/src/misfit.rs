//! The reason why an author's type rejects its input: the path, and a text of the type's own or of
//! this crate, but never of the deserialization library.

use std::error::Error;
use std::fmt;

use plainly_errors::Mistake;
use plainly_errors::mistake::{in_quotes, printable};
use plainly_schema::not_one_of;
use serde::de::{self, Expected, Unexpected};

use plainly_schema::unread::own_words;

/// The reason that a type gives for rejecting its input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit(pub(super) Mistake);

impl Misfit {
    fn new(why: impl Into<String>) -> Self {
        Self(Mistake::new("", why))
    }

    /// Returns this misfit for an outer value, which contains this value as a member or, by its index,
    /// as an item.
    pub(super) fn under(self, name: &str) -> Self {
        Self(self.0.under(name))
    }
}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(why: T) -> Self {
        match own_words(&why.to_string()) {
            Some(why) => Self::new(printable(why)),
            None => Self::new("it is not valid here"),
        }
    }

    fn invalid_type(found: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::new(format!("{} is not valid here", FoundValue(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(count: usize, _: &dyn Expected) -> Self {
        Self::new(format!(
            "it has {count} items, and another number is needed"
        ))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(not_one_of(variant, expected.iter().copied()))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        let field = printable(field);
        Self::new(format!(
            "Additional properties are not allowed ('{field}' was unexpected)"
        ))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("{field:?} is a required property"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("{field:?} is given twice"))
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Misfit {}

/// The value that was found, in JSON terms.
struct FoundValue<'a>(Unexpected<'a>);

impl fmt::Display for FoundValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unexpected::Bool(truth) => truth.fmt(f),
            Unexpected::Unsigned(number) => number.fmt(f),
            Unexpected::Signed(number) => number.fmt(f),
            Unexpected::Float(number) => number.fmt(f),
            Unexpected::Str(text) => f.write_str(&in_quotes(text)),
            Unexpected::Unit | Unexpected::Option => f.write_str("null"),
            Unexpected::Seq => f.write_str("an array"),
            Unexpected::Map => f.write_str("an object"),
            // JSON has none of these, but a type may report that it found one.
            Unexpected::Char(_)
            | Unexpected::Bytes(_)
            | Unexpected::NewtypeStruct
            | Unexpected::Enum
            | Unexpected::UnitVariant
            | Unexpected::NewtypeVariant
            | Unexpected::TupleVariant
            | Unexpected::StructVariant
            | Unexpected::Other(_) => f.write_str("it"),
        }
    }
}
