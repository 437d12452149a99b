//! Validates a value against a schema and reports the failures. The cost is bounded beforehand
//! (`cost`).

use std::fmt;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::assertion::Assertion;
use super::evaluated::{EvaluatedParts, Judge};
use super::keyword::{Contains, Here, Id, Inside, Items, Keyword, Node, Properties, Rest};

/// A position within the value, displayed as a JSON Pointer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'a> {
    Root,
    Property(&'a Self, &'a str),
    Item(&'a Self, usize),
}

/// A failure of a value.
#[derive(Debug)]
pub(super) struct Failure<'a> {
    pub(super) path: &'a Path<'a>,
    pub(super) value: &'a Value,
    /// The subschema that failed.
    pub(super) node: &'a Node,
    pub(super) what: FailureKind<'a>,
}

/// The ways in which a value can fail.
#[derive(Debug)]
pub(super) enum FailureKind<'a> {
    /// The value fails an assertion.
    Assertion(&'a Assertion),
    /// Too many or too few items are valid under the schema of `contains`.
    Contains(&'a Contains),
    /// The value is valid under none of these schemas, which belong to the keyword with this name.
    NoneOf(&'static str, &'a [Id]),
    /// The value is valid under more than one of these schemas, which belong to `oneOf`.
    SomeOf(&'a [Id]),
    /// The value is valid under the schema of `not`.
    Not,
    /// A required property is missing.
    Missing(&'a str),
    /// The value has properties that are not allowed.
    Unexpected(Vec<&'a str>),
}

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

/// Receives each failure, and decides whether to continue.
pub(super) type Tell<'t> = dyn FnMut(&Failure<'_>) -> ControlFlow<()> + 't;

/// The subschemas of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schemas<'a>(pub(super) &'a [Node]);

/// A value, its position, and the subschema that applies to it.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a Path<'a>,
    value: &'a Value,
    node: &'a Node,
}

impl<'a> Schemas<'a> {
    pub(super) fn is_valid(self, id: Id, value: &Value) -> bool {
        // Stops at the first failure, which is enough to reject the value.
        self.check(id, value, &Path::Root, &mut |_| ControlFlow::Break(()))
            .is_continue()
    }

    /// The properties that the subschema `id` itself requires.
    pub(super) fn required(self, id: Id) -> &'a [String] {
        let keywords = self.0.get(id).map(|node| node.keywords.iter());
        let required = keywords.into_iter().flatten().find_map(Keyword::required);
        required.unwrap_or_default()
    }

    /// Reports all failures of `value` under the subschema `id`.
    pub(super) fn check(
        self,
        id: Id,
        value: &Value,
        path: &Path<'_>,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<()> {
        let Some(node) = self.0.get(id) else {
            return GO_ON;
        };
        let place = Place { path, value, node };
        for keyword in &node.keywords {
            self.check_keyword(keyword, place, tell)?;
        }
        GO_ON
    }

    fn check_keyword(
        self,
        keyword: &Keyword,
        place: Place<'_>,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<()> {
        match keyword {
            Keyword::Assertion(assertion) if assertion.holds(place.value) => GO_ON,
            Keyword::Assertion(assertion) => place.tell(FailureKind::Assertion(assertion), tell),
            Keyword::Required(names) => place.require(names, tell),
            Keyword::DependentRequired(dependent) => {
                let mut brought = dependent.iter().filter(|(name, _)| place.has(name));
                brought.try_for_each(|(_, names)| place.require(names, tell))
            }
            Keyword::Inside(inside) => self.check_inside(inside, place, tell),
            Keyword::Here(here) => self.check_here(here, place, tell),
            Keyword::Rest(rest) => self.check_rest(*rest, place, tell),
        }
    }

    /// Whether `value` is valid under `keyword` of `node`.
    fn is_valid_by(self, keyword: &Keyword, node: &Node, value: &Value) -> bool {
        let path = &Path::Root;
        let place = Place { path, value, node };
        let stop = &mut |_: &Failure<'_>| ControlFlow::Break(());
        self.check_keyword(keyword, place, stop).is_continue()
    }

    fn check_here(self, here: &Here, place: Place<'_>, tell: &mut Tell<'_>) -> ControlFlow<()> {
        let Place { path, value, .. } = place;
        match here {
            Here::AllOf(ids) => {
                let mut ids = ids.iter();
                ids.try_for_each(|id| self.check(*id, value, path, tell))
            }
            Here::AnyOf(ids) if ids.iter().any(|id| self.is_valid(*id, value)) => GO_ON,
            Here::AnyOf(ids) => place.tell(FailureKind::NoneOf("anyOf", ids), tell),
            Here::OneOf(ids) => {
                // Two are enough to know that not exactly one is valid.
                let valid = ids.iter().filter(|id| self.is_valid(**id, value));
                match valid.take(2).count() {
                    0 => place.tell(FailureKind::NoneOf("oneOf", ids), tell),
                    1 => GO_ON,
                    _ => place.tell(FailureKind::SomeOf(ids), tell),
                }
            }
            Here::Not(id) if !self.is_valid(*id, value) => GO_ON,
            Here::Not(_) => place.tell(FailureKind::Not, tell),
            Here::If {
                condition,
                then,
                otherwise,
            } => {
                let is_so = self.is_valid(*condition, value);
                let branch = if is_so { then } else { otherwise };
                let mut branch = branch.iter();
                branch.try_for_each(|id| self.check(*id, value, path, tell))
            }
            Here::Dependent(schemas) => {
                let mut brought = schemas.iter().filter(|(name, _)| place.has(name));
                brought.try_for_each(|(_, id)| self.check(*id, value, path, tell))
            }
        }
    }

    fn check_inside(
        self,
        inside: &Inside,
        place: Place<'_>,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<()> {
        match inside {
            Inside::Properties(properties) => self.check_properties(properties, place, tell),
            Inside::PropertyNames(id) => {
                let mut names = place.value.as_object().into_iter().flat_map(Map::keys);
                names.try_for_each(|name| self.check(*id, &name.as_str().into(), place.path, tell))
            }
            Inside::Items(items) => self.check_items(items, place, tell),
            Inside::Contains(contains) => {
                let Some(items) = place.value.as_array() else {
                    return GO_ON;
                };
                let valid = items.iter().filter(|item| self.is_valid(contains.id, item));
                match contains.allows(valid.count() as u64) {
                    true => GO_ON,
                    false => place.tell(FailureKind::Contains(contains), tell),
                }
            }
        }
    }

    fn check_rest(self, rest: Rest, place: Place<'_>, tell: &mut Tell<'_>) -> ControlFlow<()> {
        let Place { path, value, node } = place;
        let judge = Judge {
            nodes: self.0,
            holds: |nodes, keyword, node, value| Schemas(nodes).is_valid_by(keyword, node, value),
        };
        let evaluated = EvaluatedParts::beside(judge, node, value);
        match rest {
            Rest::Properties(id) => {
                let names = evaluated.other_names(value);
                let unexpected = names.filter(|name| !self.is_valid(id, &value[*name]));
                place.tell_unexpected(unexpected.collect(), tell)
            }
            Rest::Items(id) => {
                let mut items = evaluated.other_items(value);
                items.try_for_each(|(at, item)| self.check(id, item, &Path::Item(path, at), tell))
            }
        }
    }

    fn check_properties(
        self,
        properties: &Properties,
        place: Place<'_>,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<()> {
        let mut unexpected = Vec::new();
        // Names rejected by `false` are reported together, which is shorter than a failure for
        // each.
        let additional = properties.additional.filter(|id| self.is_nothing(*id));
        let members = place.value.as_object().into_iter().flatten();
        let members = members.filter(|(name, value)| !properties.is_absent(name, value));
        for (name, value) in members {
            for id in properties.of(name) {
                if additional == Some(id) {
                    unexpected.push(name.as_str());
                } else {
                    self.check(id, value, &Path::Property(place.path, name), tell)?;
                }
            }
        }
        place.tell_unexpected(unexpected, tell)
    }

    fn is_nothing(self, id: Id) -> bool {
        let keywords = self.0.get(id).map(|node| &node.keywords[..]);
        matches!(keywords, Some([Keyword::Assertion(Assertion::Nothing)]))
    }

    fn check_items(self, items: &Items, place: Place<'_>, tell: &mut Tell<'_>) -> ControlFlow<()> {
        let all = place.value.as_array().into_iter().flatten().enumerate();
        for (at, item) in all {
            let Some(id) = items.of(at) else { break };
            self.check(id, item, &Path::Item(place.path, at), tell)?;
        }
        GO_ON
    }
}

impl Place<'_> {
    fn tell(self, what: FailureKind<'_>, tell: &mut Tell<'_>) -> ControlFlow<()> {
        let Self { path, value, node } = self;
        tell(&Failure {
            path,
            value,
            node,
            what,
        })
    }

    fn has(self, name: &str) -> bool {
        self.value.get(name).is_some()
    }

    fn tell_unexpected(self, names: Vec<&str>, tell: &mut Tell<'_>) -> ControlFlow<()> {
        match names.is_empty() {
            true => GO_ON,
            false => self.tell(FailureKind::Unexpected(names), tell),
        }
    }

    fn require(self, names: &[String], tell: &mut Tell<'_>) -> ControlFlow<()> {
        let Value::Object(members) = self.value else {
            return GO_ON;
        };
        let mut missing = names.iter().filter(|name| !members.contains_key(*name));
        missing.try_for_each(|name| self.tell(FailureKind::Missing(name), tell))
    }
}

impl Path<'_> {
    /// The name of the first property on the path from the root.
    pub(super) fn first_name(&self) -> Option<&str> {
        match self {
            Self::Property(Path::Root, name) => Some(name),
            Self::Property(outer, _) | Self::Item(outer, _) => outer.first_name(),
            Self::Root => None,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Property(outer, name) => {
                let name = name.replace('~', "~0").replace('/', "~1");
                write!(f, "{outer}/{name}")
            }
            Self::Item(outer, at) => write!(f, "{outer}/{at}"),
        }
    }
}
