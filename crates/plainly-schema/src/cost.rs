//! Calculates the cost of validation from the schema alone: the number of subschemas that apply to
//! one value inside a value, and the depth of calls. Composition can double either with each level
//! (SEP-2106, "Composition-Keyword Resource Use").

use super::keyword::{Here, Id, Inside, Keyword, Node, Rest};

/// The maximum cost of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// The number of subschemas that apply to one value.
    pub(super) visits: u64,
    /// The maximum number of nested subschemas during validation.
    pub(super) depth: u64,
}

impl Cost {
    /// Calculates the cost of the schema with these `nodes`, for values at most `depth` deep.
    /// `None` if the cost is unlimited.
    pub(super) fn of(nodes: &[Node], depth: usize) -> Option<Self> {
        let graph: Vec<AppliedSubschemas> = nodes.iter().map(AppliedSubschemas::by).collect();
        let order = inside_out(&graph)?;
        let mut most = Self {
            visits: 1,
            depth: 1,
        };
        // One entry for each subschema, for values of the current depth.
        let mut visits = vec![0_u64; graph.len()];
        let mut depths = visits.clone();
        // Goes from the innermost values outwards, because the cost of a subschema follows from the
        // cost of those it applies to inner values.
        for level in 0..=depth {
            let (visits_inside, depths_inside) = (visits.clone(), depths.clone());
            for &id in &order {
                let Some(applied) = graph.get(id) else {
                    continue;
                };
                let inside = match level {
                    0 => 1,
                    _ => visits_of_one_inside(applied, &visits_inside),
                };
                let here = applied.here.iter().map(|id| at(&visits, *id));
                let all = here.fold(inside, u64::saturating_add);
                let here = applied.here.iter().map(|id| at(&depths, *id)).max();
                let inside = inside_of(applied).map(|id| at(&depths_inside, id)).max();
                let deep = 1 + here.max(inside).unwrap_or(0);
                set(&mut visits, id, all);
                set(&mut depths, id, deep);
            }
            most.visits = most.visits.max(at(&visits, 0));
            most.depth = most.depth.max(at(&depths, 0));
            if visits == visits_inside && depths == depths_inside {
                // All further levels give the same result. Without recursion this happens after
                // some levels.
                break;
            }
        }
        Some(most)
    }
}

/// Orders the subschemas so that each comes after those it applies to the same value. `None` if one
/// applies itself.
fn inside_out(graph: &[AppliedSubschemas]) -> Option<Vec<Id>> {
    let mut waits_for: Vec<usize> = graph.iter().map(|applied| applied.here.len()).collect();
    let mut waited_for_by = vec![Vec::new(); graph.len()];
    for (id, applied) in graph.iter().enumerate() {
        for &inner in &applied.here {
            if let Some(by) = waited_for_by.get_mut(inner) {
                by.push(id);
            }
        }
    }
    let mut order: Vec<Id> = waits_for
        .iter()
        .enumerate()
        .filter_map(|(id, count)| (*count == 0).then_some(id))
        .collect();
    // Kahn's algorithm. Subschemas that still wait at the end are part of a cycle.
    let mut next = 0;
    while let Some(&id) = order.get(next) {
        next += 1;
        for &outer in waited_for_by.get(id).into_iter().flatten() {
            if let Some(count) = waits_for.get_mut(outer) {
                *count -= 1;
                if *count == 0 {
                    order.push(outer);
                }
            }
        }
    }
    (order.len() == graph.len()).then_some(order)
}

/// The number of subschemas that apply to one property or one item: its own, and those for all.
fn visits_of_one_inside(applied: &AppliedSubschemas, visits: &[u64]) -> u64 {
    // Of the schemas for single names or positions one applies to a value; of those for all values,
    // all do.
    let one = |own: &[Id], any: &[Id]| {
        let own = own.iter().map(|id| at(visits, *id)).max().unwrap_or(0);
        any.iter()
            .fold(own, |sum, id| sum.saturating_add(at(visits, *id)))
    };
    let property = one(&applied.properties, &applied.any_property);
    property.max(one(&applied.items, &applied.any_item))
}

fn inside_of(applied: &AppliedSubschemas) -> impl Iterator<Item = Id> {
    let properties = applied.properties.iter().chain(&applied.any_property);
    properties
        .chain(&applied.items)
        .chain(&applied.any_item)
        .copied()
}

fn at(values: &[u64], id: Id) -> u64 {
    values.get(id).copied().unwrap_or(0)
}

fn set(values: &mut [u64], id: Id, value: u64) {
    if let Some(place) = values.get_mut(id) {
        *place = value;
    }
}

/// The subschemas that one subschema applies, by the values they apply to.
#[derive(Debug, Default)]
struct AppliedSubschemas {
    /// Applied to the same value.
    here: Vec<Id>,
    /// Each applied to one property.
    properties: Vec<Id>,
    /// Applied to properties of any name.
    any_property: Vec<Id>,
    /// Each applied to one item.
    items: Vec<Id>,
    /// Applied to items at any position.
    any_item: Vec<Id>,
}

impl AppliedSubschemas {
    /// The subschemas that the keywords of `node` apply.
    fn by(node: &Node) -> Self {
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

    /// Adds the subschemas for unevaluated members. To find those members, all keywords before it
    /// are evaluated again.
    fn add_rest(&mut self, rest: Rest) {
        match rest {
            Rest::Properties(id) => self.any_property.push(id),
            Rest::Items(id) => self.any_item.push(id),
        }
        self.here.extend_from_within(..);
    }
}
