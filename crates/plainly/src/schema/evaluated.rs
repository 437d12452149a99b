//! Which properties and items of a value some keyword has looked at, for `unevaluatedProperties` and `unevaluatedItems`: of
//! those subschemas only that the value is valid under.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::check::Schemas;
use super::keyword::{Id, Keyword, Node};

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
            if !is_late(keyword) {
                evaluated.see(schemas, keyword, value);
                // What is wrong there is told there.
                let _is_valid = evaluated.apply(schemas, keyword, value);
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
                Keyword::UnevaluatedProperties(id) => {
                    let is_valid = |name| schemas.is_valid(*id, &value[name]);
                    evaluated.other_names(value).all(is_valid).then_some(())?;
                    evaluated.all |= value.is_object();
                }
                Keyword::UnevaluatedItems(id) => {
                    let is_valid = |(_, item)| schemas.is_valid(*id, item);
                    evaluated.other_items(value).all(is_valid).then_some(())?;
                    evaluated.all |= value.is_array();
                }
                _ => {
                    let is_applied = evaluated.apply(schemas, keyword, value)?;
                    if !is_applied && !schemas.is_valid_by(keyword, node, value) {
                        return None;
                    }
                    evaluated.see(schemas, keyword, value);
                }
            }
        }
        Some(evaluated)
    }

    /// What `keyword` itself looks at.
    fn see(&mut self, schemas: Schemas<'_>, keyword: &Keyword, value: &'v Value) {
        match keyword {
            Keyword::Properties(properties) => {
                let names = value.as_object().into_iter().flat_map(Map::keys);
                let seen = names.filter(|name| properties.of(name).next().is_some());
                self.names.extend(seen.map(String::as_str));
            }
            Keyword::Items(items) => {
                self.before = self.before.max(items.first.len());
                self.all |= items.rest.is_some() && value.is_array();
            }
            Keyword::Contains(contains) if contains.evaluates => {
                let items = value.as_array().into_iter().flatten().enumerate();
                let seen = items.filter(|(_, item)| schemas.is_valid(contains.id, item));
                self.items.extend(seen.map(|(at, _)| at));
            }
            _ => {}
        }
    }

    /// What the subschemas look at that `keyword` applies to the same value, and whether it is such a keyword; nothing if
    /// that fails.
    fn apply(&mut self, schemas: Schemas<'_>, keyword: &Keyword, value: &'v Value) -> Option<bool> {
        match keyword {
            Keyword::AllOf(ids) => {
                for id in ids {
                    self.add(Self::by(schemas, *id, value)?);
                }
            }
            Keyword::AnyOf(ids) | Keyword::OneOf(ids) => {
                let valid = ids.iter().filter_map(|id| Self::by(schemas, *id, value));
                let valid: Vec<Self> = valid.collect();
                if valid.is_empty() || matches!(keyword, Keyword::OneOf(_)) && valid.len() > 1 {
                    return None;
                }
                valid.into_iter().for_each(|more| self.add(more));
            }
            Keyword::DependentSchemas(dependent) => {
                for (_, id) in dependent
                    .iter()
                    .filter(|(name, _)| value.get(name).is_some())
                {
                    self.add(Self::by(schemas, *id, value)?);
                }
            }
            Keyword::If(it) => {
                let condition = Self::by(schemas, it.condition, value);
                let branch = match condition {
                    Some(_) => it.then,
                    None => it.otherwise,
                };
                condition.into_iter().for_each(|more| self.add(more));
                if let Some(id) = branch {
                    self.add(Self::by(schemas, id, value)?);
                }
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn add(&mut self, more: Self) {
        self.all |= more.all;
        self.names.extend(more.names);
        self.before = self.before.max(more.before);
        self.items.extend(more.items);
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

fn is_late(keyword: &Keyword) -> bool {
    matches!(
        keyword,
        Keyword::UnevaluatedProperties(_) | Keyword::UnevaluatedItems(_)
    )
}
