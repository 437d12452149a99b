//! Which properties and items of a value some keyword has looked at, for `unevaluatedProperties` and `unevaluatedItems`: of
//! those subschemas only that the value is valid under.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::check::Schemas;
use super::keyword::{Here, Id, Inside, Keyword, Node, Rest};

/// What has been looked at.
#[derive(Debug, Default)]
pub(super) struct Evaluated<'v> {
    all: bool,
    names: HashSet<&'v str>,
    /// All items before this place.
    before: usize,
    items: HashSet<usize>,
}

impl<'v> Evaluated<'v> {
    /// By the other keywords of `node`.
    pub(super) fn beside(schemas: Schemas<'_>, node: &Node, value: &'v Value) -> Self {
        let mut evaluated = Self::default();
        for keyword in &node.keywords {
            match keyword {
                Keyword::Inside(inside) => evaluated.see(schemas, inside, value),
                // What is wrong there is told there.
                Keyword::Here(here) => drop(evaluated.apply(schemas, here, value)),
                Keyword::Assertion(_)
                | Keyword::Required(_)
                | Keyword::DependentRequired(_)
                | Keyword::Rest(_) => {}
            }
        }
        evaluated
    }

    /// By the subschema `id`; nothing if `value` is not valid under it.
    fn by(schemas: Schemas<'_>, id: Id, value: &'v Value) -> Option<Self> {
        let mut evaluated = Self::default();
        let node = schemas.0.get(id)?;
        for keyword in &node.keywords {
            match keyword {
                Keyword::Here(here) => evaluated.apply(schemas, here, value)?,
                Keyword::Rest(rest) => evaluated.see_rest(schemas, *rest, value)?,
                Keyword::Inside(inside) => {
                    schemas.is_valid_by(keyword, node, value).then_some(())?;
                    evaluated.see(schemas, inside, value);
                }
                Keyword::Assertion(_) | Keyword::Required(_) | Keyword::DependentRequired(_) => {
                    schemas.is_valid_by(keyword, node, value).then_some(())?;
                }
            }
        }
        Some(evaluated)
    }

    /// What `inside` itself looks at.
    fn see(&mut self, schemas: Schemas<'_>, inside: &Inside, value: &'v Value) {
        match inside {
            Inside::Properties(properties) => {
                let names = value.as_object().into_iter().flat_map(Map::keys);
                let seen = names.filter(|name| properties.of(name).next().is_some());
                self.names.extend(seen.map(String::as_str));
            }
            Inside::Items(items) => {
                self.before = self.before.max(items.first.len());
                self.all |= items.rest.is_some() && value.is_array();
            }
            Inside::Contains(contains) if contains.evaluates => {
                let items = value.as_array().into_iter().flatten().enumerate();
                let seen = items.filter(|(_, item)| schemas.is_valid(contains.id, item));
                self.items.extend(seen.map(|(at, _)| at));
            }
            Inside::Contains(_) | Inside::PropertyNames(_) => {}
        }
    }

    /// What is left, which is all that there is; nothing if that fails.
    fn see_rest(&mut self, schemas: Schemas<'_>, rest: Rest, value: &'v Value) -> Option<()> {
        let (is_valid, is_of) = match rest {
            Rest::Properties(id) => {
                let is_valid = |name| schemas.is_valid(id, &value[name]);
                (self.other_names(value).all(is_valid), value.is_object())
            }
            Rest::Items(id) => {
                let is_valid = |(_, item)| schemas.is_valid(id, item);
                (self.other_items(value).all(is_valid), value.is_array())
            }
        };
        self.all |= is_of;
        is_valid.then_some(())
    }

    /// What the schemas of `here` look at; nothing if that fails.
    fn apply(&mut self, schemas: Schemas<'_>, here: &Here, value: &'v Value) -> Option<()> {
        let by = |id: &Id| Self::by(schemas, *id, value);
        match here {
            Here::AllOf(ids) => ids.iter().try_for_each(|id| self.add(by(id))),
            Here::AnyOf(ids) => {
                let valid = ids.iter().filter(|id| self.add(by(id)).is_some());
                (valid.count() > 0).then_some(())
            }
            Here::OneOf(ids) => {
                let mut valid = ids.iter().filter_map(by);
                self.add(valid.next())?;
                valid.next().is_none().then_some(())
            }
            Here::Not(id) => (!schemas.is_valid(*id, value)).then_some(()),
            Here::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = by(condition);
                let branch = if condition.is_some() { then } else { otherwise };
                // One that fails has evaluated nothing.
                let _is_so = self.add(condition);
                branch.iter().try_for_each(|id| self.add(by(id)))
            }
            Here::Dependent(dependent) => {
                let mut brought = dependent
                    .iter()
                    .filter(|(name, _)| value.get(name).is_some());
                brought.try_for_each(|(_, id)| self.add(by(id)))
            }
        }
    }

    fn add(&mut self, more: Option<Self>) -> Option<()> {
        let more = more?;
        self.all |= more.all;
        self.names.extend(more.names);
        self.before = self.before.max(more.before);
        self.items.extend(more.items);
        Some(())
    }

    /// The names of the other properties.
    pub(super) fn other_names(&self, value: &'v Value) -> impl Iterator<Item = &'v str> {
        let members = value.as_object().filter(|_| !self.all);
        let names = members.into_iter().flat_map(Map::keys).map(String::as_str);
        names.filter(|name| !self.names.contains(name))
    }

    /// The other items, with their places.
    pub(super) fn other_items(&self, value: &'v Value) -> impl Iterator<Item = (usize, &'v Value)> {
        let items = value.as_array().filter(|_| !self.all);
        let items = items.into_iter().flatten().enumerate();
        items.filter(|(at, _)| *at >= self.before && !self.items.contains(at))
    }
}
