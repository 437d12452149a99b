//! Which subschema is applied to what: to the value that the schema itself is for, or to the values inside of it.

use super::keyword::{Id, Keyword, Node};

/// What a subschema applies.
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
            applied.add(keyword);
        }
        applied
    }

    fn add(&mut self, keyword: &Keyword) {
        match keyword {
            Keyword::AllOf(ids) | Keyword::AnyOf(ids) | Keyword::OneOf(ids) => {
                self.here.extend(ids);
            }
            Keyword::Not(id) => self.here.push(*id),
            Keyword::If(it) => {
                self.here.push(it.condition);
                self.here.extend(it.then.into_iter().chain(it.otherwise));
            }
            Keyword::DependentSchemas(schemas) => self.here.extend(schemas.iter().map(|it| it.1)),
            Keyword::Properties(properties) => {
                self.properties.extend(properties.named.values());
                self.any_property
                    .extend(properties.patterns.iter().map(|it| it.1));
                self.any_property.extend(properties.additional);
            }
            Keyword::PropertyNames(id) => self.any_property.push(*id),
            Keyword::Items(items) => {
                self.items.extend(&items.first);
                self.any_item.extend(items.rest);
            }
            Keyword::Contains(contains) => self.any_item.push(contains.id),
            // What is not evaluated yet is found by evaluating the others once more; these come last.
            Keyword::UnevaluatedProperties(id) => {
                self.any_property.push(*id);
                self.here.extend_from_within(..);
            }
            Keyword::UnevaluatedItems(id) => {
                self.any_item.push(*id);
                self.here.extend_from_within(..);
            }
            Keyword::Nothing
            | Keyword::Type(_)
            | Keyword::Enum(_)
            | Keyword::Const(_)
            | Keyword::Bound(..)
            | Keyword::MultipleOf(_)
            | Keyword::Count(..)
            | Keyword::Required(_)
            | Keyword::DependentRequired(_)
            | Keyword::Pattern(_)
            | Keyword::UniqueItems => {}
        }
    }
}
