//! A value held against a schema: from the two to what fails. What that can cost was known before (`cost`).

use std::fmt;
use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::evaluated::Evaluated;
use super::keyword::{Contains, Id, If, Items, Keyword, Node, Properties};
use super::order;

/// Where in the value, as a JSON Pointer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'a> {
    Root,
    Property(&'a Self, &'a str),
    Item(&'a Self, usize),
}

/// Something that fails.
#[derive(Debug)]
pub(super) struct Failure<'a> {
    pub(super) path: &'a Path<'a>,
    pub(super) value: &'a Value,
    /// The subschema that says so.
    pub(super) node: &'a Node,
    pub(super) what: What<'a>,
}

/// What is wrong with a value.
#[derive(Debug)]
pub(super) enum What<'a> {
    /// It is not what the keyword says.
    Keyword(&'a Keyword),
    /// It has no such property.
    Missing(&'a str),
    /// It has properties that nothing allows.
    Unexpected(Vec<&'a str>),
    /// More than one of the schemas of `oneOf` is right.
    Ambiguous,
}

/// Told of what fails, and whether to go on.
pub(super) type Tell<'t> = dyn FnMut(&Failure<'_>) -> ControlFlow<()> + 't;

/// The subschemas of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schemas<'a>(pub(super) &'a [Node]);

/// Where something is held against what.
#[derive(Clone, Copy)]
struct Place<'a> {
    path: &'a Path<'a>,
    value: &'a Value,
    node: &'a Node,
}

impl<'a> Schemas<'a> {
    pub(super) fn is_valid(self, id: Id, value: &Value) -> bool {
        self.check(id, value, &Path::Root, &mut |_| ControlFlow::Break(()))
            .is_continue()
    }

    /// Tells all in which `value` fails the subschema `id`.
    pub(super) fn check(
        self,
        id: Id,
        value: &Value,
        path: &Path<'_>,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<()> {
        let Some(node) = self.0.get(id) else {
            return ControlFlow::Continue(());
        };
        let place = Place { path, value, node };
        for keyword in &node.keywords {
            self.check_keyword(keyword, place, tell)?;
        }
        ControlFlow::Continue(())
    }

    fn check_keyword(
        self,
        keyword: &Keyword,
        place: Place<'_>,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<()> {
        let (value, path) = (place.value, place.path);
        let fails = |tell: &mut Tell<'_>| place.tell(What::Keyword(keyword), tell);
        match keyword {
            Keyword::Required(names) => place.require(names, tell),
            Keyword::DependentRequired(names) => {
                let mut brought = names.iter().filter(|(name, _)| value.get(name).is_some());
                brought.try_for_each(|(_, names)| place.require(names, tell))
            }
            Keyword::Properties(properties) => match value {
                Value::Object(members) => self.check_properties(properties, members, place, tell),
                _ => ControlFlow::Continue(()),
            },
            Keyword::PropertyNames(id) => {
                let mut names = value.as_object().into_iter().flat_map(Map::keys);
                names.try_for_each(|name| self.check(*id, &name.as_str().into(), path, tell))
            }
            Keyword::Items(items) => self.check_items(items, place, tell),
            Keyword::DependentSchemas(schemas) => {
                let mut brought = schemas.iter().filter(|(name, _)| value.get(name).is_some());
                brought.try_for_each(|(_, id)| self.check(*id, value, path, tell))
            }
            Keyword::AllOf(ids) => {
                let mut ids = ids.iter();
                ids.try_for_each(|id| self.check(*id, value, path, tell))
            }
            Keyword::OneOf(ids) => {
                let valid = ids.iter().filter(|id| self.is_valid(**id, value));
                match valid.take(2).count() {
                    0 => fails(tell),
                    1 => ControlFlow::Continue(()),
                    _ => place.tell(What::Ambiguous, tell),
                }
            }
            Keyword::If(it) => match self.branch(it, value) {
                Some(id) => self.check(id, value, path, tell),
                None => ControlFlow::Continue(()),
            },
            Keyword::UnevaluatedProperties(id) => {
                let evaluated = Evaluated::beside(self, place.node, value);
                let names = evaluated.other_names(value);
                let unexpected = names.filter(|name| !self.is_valid(*id, &value[*name]));
                place.tell_unexpected(unexpected.collect(), tell)
            }
            Keyword::UnevaluatedItems(id) => {
                let evaluated = Evaluated::beside(self, place.node, value);
                let mut items = evaluated.other_items(value);
                items.try_for_each(|(at, item)| self.check(*id, item, &Path::Item(path, at), tell))
            }
            _ if self.holds(keyword, value) => ControlFlow::Continue(()),
            _ => fails(tell),
        }
    }

    /// Whether `value` is what `keyword` of `node` says.
    pub(super) fn is_valid_by(self, keyword: &Keyword, node: &Node, value: &Value) -> bool {
        let path = &Path::Root;
        let place = Place { path, value, node };
        let stop = &mut |_: &Failure<'_>| ControlFlow::Break(());
        self.check_keyword(keyword, place, stop).is_continue()
    }

    /// Whether `value` is what `keyword` says, of those that fail as a whole or not at all.
    fn holds(self, keyword: &Keyword, value: &Value) -> bool {
        match keyword {
            Keyword::Nothing => false,
            Keyword::Type(types) => types.iter().any(|it| it.is_of(value)),
            Keyword::Enum(options) => options.has(value),
            Keyword::Const(only) => order::compare(only, value).is_eq(),
            Keyword::Bound(bound, limit) => value
                .as_number()
                .is_none_or(|number| bound.allows(number, limit)),
            Keyword::MultipleOf(unit) => value
                .as_number()
                .is_none_or(|number| order::is_multiple(number, unit)),
            Keyword::Count(counted, extreme, limit) => counted
                .of(value)
                .is_none_or(|count| extreme.allows(count, *limit)),
            Keyword::Pattern(pattern) => value.as_str().is_none_or(|text| pattern.is_in(text)),
            Keyword::UniqueItems => value.as_array().is_none_or(|items| are_unique(items)),
            Keyword::Contains(contains) => value
                .as_array()
                .is_none_or(|it| self.are_contained(contains, it)),
            Keyword::AnyOf(ids) => ids.iter().any(|id| self.is_valid(*id, value)),
            Keyword::Not(id) => !self.is_valid(*id, value),
            _ => true,
        }
    }

    /// The subschema that is for `value`, by whether it is valid under the condition.
    pub(super) fn branch(self, it: &If, value: &Value) -> Option<Id> {
        match self.is_valid(it.condition, value) {
            true => it.then,
            false => it.otherwise,
        }
    }

    fn are_contained(self, contains: &Contains, items: &[Value]) -> bool {
        let valid = items.iter().filter(|item| self.is_valid(contains.id, item));
        let count = valid.count() as u64;
        count >= contains.least && contains.most.is_none_or(|most| count <= most)
    }

    fn check_properties(
        self,
        properties: &Properties,
        members: &Map<String, Value>,
        place: Place<'_>,
        tell: &mut Tell<'_>,
    ) -> ControlFlow<()> {
        let mut unexpected = Vec::new();
        let additional = properties.additional.filter(|id| self.is_nothing(*id));
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
        matches!(keywords, Some([Keyword::Nothing]))
    }

    fn check_items(self, items: &Items, place: Place<'_>, tell: &mut Tell<'_>) -> ControlFlow<()> {
        let all = place.value.as_array().into_iter().flatten().enumerate();
        for (at, item) in all {
            let Some(id) = items.of(at) else { break };
            self.check(id, item, &Path::Item(place.path, at), tell)?;
        }
        ControlFlow::Continue(())
    }
}

impl Place<'_> {
    fn tell(self, what: What<'_>, tell: &mut Tell<'_>) -> ControlFlow<()> {
        let Self { path, value, node } = self;
        tell(&Failure {
            path,
            value,
            node,
            what,
        })
    }

    fn tell_unexpected(self, names: Vec<&str>, tell: &mut Tell<'_>) -> ControlFlow<()> {
        match names.is_empty() {
            true => ControlFlow::Continue(()),
            false => self.tell(What::Unexpected(names), tell),
        }
    }

    fn require(self, names: &[String], tell: &mut Tell<'_>) -> ControlFlow<()> {
        let Value::Object(members) = self.value else {
            return ControlFlow::Continue(());
        };
        let mut missing = names.iter().filter(|name| !members.contains_key(*name));
        missing.try_for_each(|name| self.tell(What::Missing(name), tell))
    }
}

/// There can be hundreds of thousands.
fn are_unique(items: &[Value]) -> bool {
    let mut sorted: Vec<&Value> = items.iter().collect();
    sorted.sort_unstable_by(|one, other| order::compare(one, other));
    let mut pairs = sorted.windows(2);
    pairs.all(|pair| matches!(pair, [one, other] if order::compare(one, other).is_ne()))
}

impl Path<'_> {
    pub(super) fn is_root(&self) -> bool {
        matches!(self, Self::Root)
    }

    /// The first step from the root.
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
