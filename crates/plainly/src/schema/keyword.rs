//! What a schema says once it is read: keywords, each with what it needs to be held against a value, alike for all drafts.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use super::order;
use super::pattern::Pattern;

/// A subschema by its number; the root is 0.
pub(super) type Id = usize;

/// A subschema; one without keywords is for any value.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Those first whose failure explains the others'.
    pub(super) keywords: Vec<Keyword>,
}

/// What a value must be.
#[derive(Debug)]
pub(super) enum Keyword {
    /// The schema `false`.
    Nothing,
    Type(Vec<Type>),
    Enum(Options),
    Const(Value),
    Bound(Bound, Number),
    MultipleOf(Number),
    Count(Counted, Extreme, u64),
    Required(Vec<String>),
    DependentRequired(Vec<(String, Vec<String>)>),
    Pattern(Pattern),
    UniqueItems,
    Properties(Properties),
    PropertyNames(Id),
    Items(Items),
    Contains(Contains),
    DependentSchemas(Vec<(String, Id)>),
    /// A reference too: to one.
    AllOf(Vec<Id>),
    AnyOf(Vec<Id>),
    OneOf(Vec<Id>),
    Not(Id),
    If(If),
    UnevaluatedProperties(Id),
    UnevaluatedItems(Id),
}

/// What `type` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Array,
    Boolean,
    Integer,
    /// Draft 4: `1.0` is none.
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
    /// Places in the list, in the order of what is there.
    sorted: Vec<usize>,
}

/// The side on which a number is bounded.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Maximum,
    ExclusiveMaximum,
    Minimum,
    ExclusiveMinimum,
}

/// What there can be too many or too few of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    Characters,
    Items,
    Properties,
}

/// Whether that is the most or the least.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extreme {
    Most,
    Least,
}

/// `properties`, `patternProperties` and `additionalProperties`, for what is additional depends on the others.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) named: BTreeMap<String, Id>,
    pub(super) patterns: Vec<(Pattern, Id)>,
    pub(super) additional: Option<Id>,
}

/// The first items, each by its place, and the rest.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) first: Vec<Id>,
    pub(super) rest: Option<Id>,
}

/// How many items are valid under a schema.
#[derive(Debug)]
pub(super) struct Contains {
    pub(super) id: Id,
    pub(super) least: u64,
    pub(super) most: Option<u64>,
    /// Since 2020-12: such items are evaluated.
    pub(super) evaluates: bool,
}

/// `if`, `then` and `else`.
#[derive(Debug)]
pub(super) struct If {
    pub(super) condition: Id,
    pub(super) then: Option<Id>,
    pub(super) otherwise: Option<Id>,
}

impl Type {
    /// As `type` names them.
    pub(super) const NAMES: [(&str, Self); 7] = [
        ("array", Self::Array),
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("null", Self::Null),
        ("number", Self::Number),
        ("object", Self::Object),
        ("string", Self::String),
    ];

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

    /// There can be thousands, and as many values to look for.
    pub(super) fn has(&self, value: &Value) -> bool {
        let at = |place: &usize| order::compare(&self.listed[*place], value);
        self.sorted.binary_search_by(at).is_ok()
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

impl Counted {
    /// How many there are in `value`, if it has any such.
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

impl Properties {
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.patterns.is_empty() && self.additional.is_none()
    }

    /// What applies to the property `name`.
    pub(super) fn of(&self, name: &str) -> impl Iterator<Item = Id> {
        let named = self.named.get(name).copied().into_iter();
        let matching = self
            .patterns
            .iter()
            .filter(|(pattern, _)| pattern.is_in(name));
        let mut found = named.chain(matching.map(|(_, id)| *id)).peekable();
        let additional = self.additional.filter(|_| found.peek().is_none());
        found.chain(additional)
    }
}

impl Items {
    /// What applies to the item at `place`.
    pub(super) fn of(&self, place: usize) -> Option<Id> {
        self.first.get(place).copied().or(self.rest)
    }
}

impl Node {
    /// The names of properties that it knows.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let of = |keyword| match keyword {
            &Keyword::Properties(ref properties) => Some(properties.named.keys()),
            _ => None,
        };
        self.keywords
            .iter()
            .filter_map(of)
            .flatten()
            .map(String::as_str)
    }
}
