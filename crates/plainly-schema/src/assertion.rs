//! Checks of one value on its own, without applying other schemas to its contents.

use serde_json::{Number, Value};

use super::draft::Draft;
use super::order;
use super::pattern::Pattern;

/// A check of one value that uses no subschema.
#[derive(Debug)]
pub(super) enum Assertion {
    /// The schema `false`, which allows no value.
    Nothing,
    Type(Vec<Type>),
    Enum(Options),
    Const(Value),
    Bound(Bound, Number),
    MultipleOf(Number),
    Count(Quantity, Extreme, u64),
    Pattern(Pattern),
    UniqueItems,
}

impl Assertion {
    pub(super) fn holds(&self, value: &Value) -> bool {
        let is_number = |is: &dyn Fn(&Number) -> bool| value.as_number().is_none_or(is);
        match self {
            Self::Nothing => false,
            Self::Type(types) => types.iter().any(|it| it.is_of(value)),
            Self::Enum(options) => options.has(value),
            Self::Const(only) => order::compare(only, value).is_eq(),
            Self::Bound(bound, limit) => is_number(&|number| bound.allows(number, limit)),
            Self::MultipleOf(unit) => is_number(&|number| order::is_multiple(number, unit)),
            Self::Count(counted, extreme, limit) => {
                let count = counted.of(value);
                count.is_none_or(|count| extreme.allows(count, *limit))
            }
            Self::Pattern(pattern) => value.as_str().is_none_or(|text| pattern.is_in(text)),
            Self::UniqueItems => value
                .as_array()
                .is_none_or(|items| order::are_unique(items)),
        }
    }
}

/// A type of JSON, as `type` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Array,
    Boolean,
    Integer,
    /// The integer type of draft 4, for which `1.0` is not an integer.
    IntegerAsWritten,
    Null,
    Number,
    Object,
    String,
}

/// The values of `enum`.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) listed: Vec<Value>,
    /// Indexes into `listed`, in the sort order of the values.
    sorted: Vec<usize>,
}

/// The kind of bound on a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Maximum,
    ExclusiveMaximum,
    Minimum,
    ExclusiveMinimum,
}

/// The items that a keyword counts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Quantity {
    Characters,
    Items,
    Properties,
}

/// The kind of limit on a count.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extreme {
    Most,
    Least,
}

impl Type {
    /// The types by their names in `type`.
    pub(super) const NAMES: [(&str, Self); 7] = [
        ("array", Self::Array),
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("null", Self::Null),
        ("number", Self::Number),
        ("object", Self::Object),
        ("string", Self::String),
    ];

    /// The type that this name has in `draft`.
    pub(super) fn of(self, draft: Draft) -> Self {
        let is_strict = self == Self::Integer && draft == Draft::Draft4;
        if is_strict {
            Self::IntegerAsWritten
        } else {
            self
        }
    }

    pub(super) fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(_, it)| *it == self);
        named.map_or("integer", |(name, _)| name)
    }

    pub(super) fn is_of(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Integer, Value::Number(number)) => order::is_integer(number),
            (Self::IntegerAsWritten, Value::Number(number)) => !number.is_f64(),
            (Self::Array, Value::Array(_))
            | (Self::Boolean, Value::Bool(_))
            | (Self::Null, Value::Null)
            | (Self::Number, Value::Number(_))
            | (Self::Object, Value::Object(_))
            | (Self::String, Value::String(_)) => true,
            _ => false,
        }
    }
}

impl Options {
    pub(super) fn new(listed: Vec<Value>) -> Self {
        let mut sorted: Vec<usize> = (0..listed.len()).collect();
        sorted.sort_by(|one, other| order::compare(&listed[*one], &listed[*other]));
        Self { listed, sorted }
    }

    /// A binary search, because there can be thousands of options and as many values to check.
    pub(super) fn has(&self, value: &Value) -> bool {
        self.sorted
            .binary_search_by(|place| order::compare(&self.listed[*place], value))
            .is_ok()
    }
}

impl Bound {
    pub(super) fn allows(self, number: &Number, limit: &Number) -> bool {
        let order = order::compare_numbers(number, limit);
        match self {
            Self::Maximum => order.is_le(),
            Self::ExclusiveMaximum => order.is_lt(),
            Self::Minimum => order.is_ge(),
            Self::ExclusiveMinimum => order.is_gt(),
        }
    }
}

impl Quantity {
    /// The count for `value`, if it has the counted type.
    pub(super) fn of(self, value: &Value) -> Option<u64> {
        let count = match (self, value) {
            (Self::Characters, Value::String(text)) => text.chars().count(),
            (Self::Items, Value::Array(items)) => items.len(),
            (Self::Properties, Value::Object(members)) => members.len(),
            _ => return None,
        };
        u64::try_from(count).ok()
    }
}

impl Extreme {
    pub(super) fn allows(self, count: u64, limit: u64) -> bool {
        match self {
            Self::Most => count <= limit,
            Self::Least => count >= limit,
        }
    }
}
