//! Which subschema is applied to what: to the value that the schema itself is for, or to the values inside of it.

use super::keyword::{Here, Id, Inside, Keyword, Node, Rest};

/// The subschemas that one subschema applies, by where.
#[derive(Debug, Default)]
pub(super) struct Applied {
    /// To the same value.
    pub(super) here: Vec<Id>,
    /// Each to one property.
    pub(super) properties: Vec<Id>,
    /// To properties of any name.
    pub(super) any_property: Vec<Id>,
    /// Each to one item.
    pub(super) items: Vec<Id>,
    /// To items at any place.
    pub(super) any_item: Vec<Id>,
}

impl Applied {
    /// By the keywords of `node`.
    pub(super) fn by(node: &Node) -> Self {
        let mut applied = Self::default();
        for keyword in &node.keywords {
            match keyword {
                Keyword::Inside(inside) => applied.add_inside(inside),
                Keyword::Here(here) => applied.add_here(here),
                Keyword::Rest(rest) => applied.add_rest(*rest),
                Keyword::Assertion(_) | Keyword::Required(_) | Keyword::DependentRequired(_) => {}
            }
        }
        applied
    }

    fn add_inside(&mut self, inside: &Inside) {
        match inside {
            Inside::Properties(properties) => {
                self.properties.extend(properties.named.values());
                let patterns = properties.patterns.iter().map(|(_, id)| *id);
                self.any_property.extend(patterns);
                self.any_property.extend(properties.additional);
            }
            Inside::PropertyNames(id) => self.any_property.push(*id),
            Inside::Items(items) => {
                self.items.extend(&items.first);
                self.any_item.extend(items.rest);
            }
            Inside::Contains(contains) => self.any_item.push(contains.id),
        }
    }

    fn add_here(&mut self, here: &Here) {
        match here {
            Here::AllOf(ids) | Here::AnyOf(ids) | Here::OneOf(ids) => self.here.extend(ids),
            Here::Not(id) => self.here.push(*id),
            Here::If {
                condition,
                then,
                otherwise,
            } => {
                self.here.push(*condition);
                self.here.extend(then.iter().chain(otherwise));
            }
            Here::Dependent(schemas) => self.here.extend(schemas.iter().map(|(_, id)| *id)),
        }
    }

    /// What is not evaluated yet is found by evaluating the others once more, which stand before it.
    fn add_rest(&mut self, rest: Rest) {
        match rest {
            Rest::Properties(id) => self.any_property.push(id),
            Rest::Items(id) => self.any_item.push(id),
        }
        self.here.extend_from_within(..);
    }
}
