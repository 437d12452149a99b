//! A parsed schema: keywords with the data for validation, the same for all drafts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::assertion::Assertion;
use super::pattern::Pattern;

/// The number of a subschema; the root is 0.
pub(super) type Id = usize;

/// A subschema. Without keywords it allows any value.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The keywords. Those whose failure explains the failure of others come first.
    pub(super) keywords: Vec<Keyword>,
}

/// A keyword, by the values that it checks.
#[derive(Debug)]
pub(super) enum Keyword {
    /// A check of the value on its own.
    Assertion(Assertion),
    /// Properties that are all required.
    Required(Vec<String>),
    /// Properties that are required if the first one is present.
    DependentRequired(Vec<(String, Vec<String>)>),
    /// Schemas for the values inside the value.
    Inside(Inside),
    /// Other schemas for the same value.
    Here(Here),
    /// A schema for the values inside the value that no other keyword has evaluated.
    Rest(Rest),
}

/// Schemas for the values inside a value.
#[derive(Debug)]
pub(super) enum Inside {
    Properties(Properties),
    PropertyNames(Id),
    Items(Items),
    Contains(Contains),
}

/// Schemas for the same value.
#[derive(Debug)]
pub(super) enum Here {
    /// All of these schemas. A reference counts as a single one.
    AllOf(Vec<Id>),
    AnyOf(Vec<Id>),
    OneOf(Vec<Id>),
    Not(Id),
    If {
        condition: Id,
        then: Option<Id>,
        otherwise: Option<Id>,
    },
    /// A schema for each property, which applies if the property is present.
    Dependent(Vec<(String, Id)>),
}

/// The schema for the unevaluated members.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rest {
    Properties(Id),
    Items(Id),
}

/// `properties`, `patternProperties` and `additionalProperties`, together because the last depends
/// on the other two.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) named: BTreeMap<String, Id>,
    pub(super) patterns: Vec<(Pattern, Id)>,
    pub(super) additional: Option<Id>,
    /// Properties that count as absent if they are `null`.
    pub(super) absent_by_null: Vec<String>,
}

/// Schemas for the first items, each by its position, and for the rest.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) first: Vec<Id>,
    pub(super) rest: Option<Id>,
}

/// The number of items that must be valid under a schema.
#[derive(Debug)]
pub(super) struct Contains {
    pub(super) id: Id,
    pub(super) least: u64,
    pub(super) most: Option<u64>,
    /// Whether items matched by `contains` count as evaluated, as they do since 2020-12.
    pub(super) evaluates: bool,
}

impl Properties {
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.patterns.is_empty() && self.additional.is_none()
    }

    /// Whether a property with this name and value counts as absent.
    pub(super) fn is_absent(&self, name: &str, value: &Value) -> bool {
        value.is_null() && self.absent_by_null.iter().any(|it| it == name)
    }

    /// The subschemas for the property `name`.
    pub(super) fn of(&self, name: &str) -> impl Iterator<Item = Id> {
        let named = self.named.get(name).copied().into_iter();
        let matching = self
            .patterns
            .iter()
            .filter(|(pattern, _)| pattern.is_in(name));
        let mut found = named.chain(matching.map(|(_, id)| *id)).peekable();
        // A property is additional if neither of the other two keywords has a schema for it.
        let additional = self.additional.filter(|_| found.peek().is_none());
        found.chain(additional)
    }
}

impl Contains {
    pub(super) fn allows(&self, count: u64) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

impl Items {
    /// The subschema for the item at position `place`.
    pub(super) fn of(&self, place: usize) -> Option<Id> {
        self.first.get(place).copied().or(self.rest)
    }
}

impl Node {
    /// The names of the properties that the schema defines.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.keywords.iter();
        let properties = all.filter_map(Keyword::properties);
        properties.flat_map(|properties| properties.named.keys().map(String::as_str))
    }
}

impl From<Assertion> for Keyword {
    fn from(assertion: Assertion) -> Self {
        Self::Assertion(assertion)
    }
}

impl From<Inside> for Keyword {
    fn from(inside: Inside) -> Self {
        Self::Inside(inside)
    }
}

impl From<Here> for Keyword {
    fn from(here: Here) -> Self {
        Self::Here(here)
    }
}

impl From<Rest> for Keyword {
    fn from(rest: Rest) -> Self {
        Self::Rest(rest)
    }
}

impl Keyword {
    pub(super) fn required(&self) -> Option<&[String]> {
        if let Self::Required(names) = self {
            return Some(names);
        }
        None
    }

    fn properties(&self) -> Option<&Properties> {
        match self {
            Self::Inside(Inside::Properties(properties)) => Some(properties),
            Self::Inside(Inside::PropertyNames(_) | Inside::Items(_) | Inside::Contains(_))
            | Self::Assertion(_)
            | Self::Required(_)
            | Self::DependentRequired(_)
            | Self::Here(_)
            | Self::Rest(_) => None,
        }
    }
}
