//! Finds the properties and items that other keywords have evaluated, for `unevaluatedProperties`
//! and `unevaluatedItems`. Only subschemas that the value is valid under count.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::keyword::{Here, Id, Inside, Keyword, Node, Rest};

/// Decides whether a value is valid. It contains the validation as a function, because validation
/// in turn asks this file for the unevaluated members, and so neither file depends on the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judge<'a> {
    pub(super) nodes: &'a [Node],
    /// Returns whether a value is valid under a keyword of one of the nodes.
    pub(super) holds: fn(&'a [Node], &Keyword, &Node, &Value) -> bool,
}

impl Judge<'_> {
    fn holds(self, keyword: &Keyword, node: &Node, value: &Value) -> bool {
        (self.holds)(self.nodes, keyword, node, value)
    }

    fn is_valid(self, id: Id, value: &Value) -> bool {
        self.nodes.get(id).is_none_or(|node| {
            let mut keywords = node.keywords.iter();
            keywords.all(|keyword| self.holds(keyword, node, value))
        })
    }
}

/// The properties and items that have been evaluated.
#[derive(Debug, Default)]
pub(super) struct EvaluatedParts<'v> {
    all: bool,
    names: HashSet<&'v str>,
    /// The number of leading items that have been evaluated.
    before: usize,
    items: HashSet<usize>,
}

impl<'v> EvaluatedParts<'v> {
    /// The parts that the other keywords of `node` evaluate.
    pub(super) fn beside(judge: Judge<'_>, node: &Node, value: &'v Value) -> Self {
        let mut evaluated = Self::default();
        for keyword in &node.keywords {
            match keyword {
                Keyword::Inside(inside) => evaluated.see(judge, inside, value),
                // Failures of these keywords are reported by the keywords themselves.
                Keyword::Here(here) => drop(evaluated.apply(judge, here, value)),
                Keyword::Assertion(_)
                | Keyword::Required(_)
                | Keyword::DependentRequired(_)
                | Keyword::Rest(_) => {}
            }
        }
        evaluated
    }

    /// The parts that the subschema `id` evaluates; `None` if `value` is not valid under it.
    fn by(judge: Judge<'_>, id: Id, value: &'v Value) -> Option<Self> {
        let mut evaluated = Self::default();
        let node = judge.nodes.get(id)?;
        for keyword in &node.keywords {
            match keyword {
                Keyword::Here(here) => evaluated.apply(judge, here, value)?,
                Keyword::Rest(rest) => evaluated.see_rest(judge, *rest, value)?,
                Keyword::Inside(inside) => {
                    judge.holds(keyword, node, value).then_some(())?;
                    evaluated.see(judge, inside, value);
                }
                Keyword::Assertion(_) | Keyword::Required(_) | Keyword::DependentRequired(_) => {
                    judge.holds(keyword, node, value).then_some(())?;
                }
            }
        }
        Some(evaluated)
    }

    /// Adds the properties and items that `inside` evaluates.
    fn see(&mut self, judge: Judge<'_>, inside: &Inside, value: &'v Value) {
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
                let seen = items.filter(|(_, item)| judge.is_valid(contains.id, item));
                self.items.extend(seen.map(|(at, _)| at));
            }
            Inside::Contains(_) | Inside::PropertyNames(_) => {}
        }
    }

    /// Adds all remaining members; `None` if any of them is not valid.
    fn see_rest(&mut self, judge: Judge<'_>, rest: Rest, value: &'v Value) -> Option<()> {
        let (is_valid, is_of) = match rest {
            Rest::Properties(id) => {
                let mut names = self.other_names(value);
                let is_valid = names.all(|name| judge.is_valid(id, &value[name]));
                (is_valid, value.is_object())
            }
            Rest::Items(id) => {
                let mut items = self.other_items(value);
                let is_valid = items.all(|(_, item)| judge.is_valid(id, item));
                (is_valid, value.is_array())
            }
        };
        self.all |= is_of;
        is_valid.then_some(())
    }

    /// Adds the parts that the schemas of `here` evaluate; `None` if the value is not valid under
    /// them.
    fn apply(&mut self, judge: Judge<'_>, here: &Here, value: &'v Value) -> Option<()> {
        let by = |id: &Id| Self::by(judge, *id, value);
        match here {
            Here::AllOf(ids) => ids.iter().try_for_each(|id| self.add(by(id))),
            Here::AnyOf(ids) => {
                let valid = ids.iter().filter(|id| self.add(by(id)).is_some());
                (valid.count() > 0).then_some(())
            }
            Here::OneOf(ids) => {
                // Evaluated lazily, because a second valid schema is enough to give up.
                let mut valid = ids.iter().filter_map(by);
                self.add(valid.next())?;
                valid.next().is_none().then_some(())
            }
            Here::Not(id) => (!judge.is_valid(*id, value)).then_some(()),
            Here::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = by(condition);
                let branch = if condition.is_some() { then } else { otherwise };
                // A condition that fails has evaluated nothing.
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

    /// The names of the unevaluated properties.
    pub(super) fn other_names(&self, value: &'v Value) -> impl Iterator<Item = &'v str> {
        let members = value.as_object().filter(|_| !self.all);
        let names = members.into_iter().flat_map(Map::keys).map(String::as_str);
        names.filter(|name| !self.names.contains(name))
    }

    /// The unevaluated items, with their positions.
    pub(super) fn other_items(&self, value: &'v Value) -> impl Iterator<Item = (usize, &'v Value)> {
        let items = value.as_array().filter(|_| !self.all);
        let items = items.into_iter().flatten().enumerate();
        items.filter(|(at, _)| *at >= self.before && !self.items.contains(at))
    }
}
