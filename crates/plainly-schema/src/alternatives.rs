//! Explains why a value is valid under none of several schemas: by the schema that was probably
//! meant, or otherwise by the requirements of all. The texts are built elsewhere.

use std::ops::ControlFlow;

use serde_json::Value;

use super::assertion::{Assertion, Type};
use super::check::{Failure, FailureKind, Path, Schemas};
use super::keyword::Id;

/// The schemas that a value is closest to.
#[derive(Debug)]
pub(super) enum Nearest {
    /// A single schema, which was probably meant.
    One(Id),
    /// Several schemas, which all fail for this reason.
    Alike(Reason),
    /// Several schemas, which fail for different reasons.
    Some(Vec<Id>),
}

/// The reason why a value fails schemas, if it fits in one sentence.
#[derive(Debug)]
pub(super) enum Reason {
    /// Missing properties: a list for each schema.
    Missing(Vec<Vec<String>>),
    /// The property with this name, which marks the kind of object, has none of these values.
    Kind(String, Vec<Value>),
    /// The value is none of these values and has none of these types.
    Other(Vec<Value>, Vec<Type>),
}

/// The faults of a value under one schema.
#[derive(Debug, Default)]
struct Miss {
    distance: Distance,
    /// The missing properties.
    missing: Vec<String>,
    /// The reason for the distance.
    reason: Option<Reason>,
}

/// The distance of a value from a valid one, by its largest fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    /// Only a value inside is invalid.
    #[default]
    Inside,
    /// Properties are missing.
    Missing,
    /// Some properties are not allowed.
    Unexpected,
    /// The value is another kind of object.
    Kind,
    /// The value has the right type but breaks another rule, for example on its length.
    Like,
    /// The value has another type or is another constant.
    Other,
}

/// The maximum depth to which nested alternatives are examined.
const DEEPEST: usize = 8;

/// The schemas among `ids` that the value is closest to, if it is valid under none of them.
pub(super) fn nearest(schemas: Schemas<'_>, ids: &[Id], value: &Value) -> Nearest {
    let nearest = misses(schemas, ids, value, DEEPEST);
    if let [(only, _)] = &nearest[..] {
        return Nearest::One(*only);
    }
    let (ids, misses): (_, Vec<Miss>) = nearest.into_iter().unzip();
    alike(misses).map_or(Nearest::Some(ids), Nearest::Alike)
}

/// The faults of the value under each of the schemas in `ids` that it is closest to.
fn misses(schemas: Schemas<'_>, ids: &[Id], value: &Value, depth: usize) -> Vec<(Id, Miss)> {
    let each = ids.iter().map(|id| (*id, miss(schemas, *id, value, depth)));
    let mut all: Vec<(Id, Miss)> = each.collect();
    // An alternative for `null` is ignored if there are others, because authors usually mean the
    // others.
    if !all.iter().all(|(_, miss)| miss.is_of_null()) {
        all.retain(|(_, miss)| !miss.is_of_null());
    }
    let least = all.iter().map(|(_, miss)| miss.distance).min();
    all.retain(|(_, miss)| Some(miss.distance) == least);
    all
}

fn miss(schemas: Schemas<'_>, id: Id, value: &Value, depth: usize) -> Miss {
    let mut miss = Miss::default();
    let mut tell = |failure: &Failure<'_>| {
        miss.add(failure, schemas, depth);
        ControlFlow::Continue(())
    };
    let _told = schemas.check(id, value, &Path::Root, &mut tell);
    miss
}

/// The reason that all misses have in common, if there is one.
fn alike(misses: Vec<Miss>) -> Option<Reason> {
    let reasons = misses.into_iter().map(Miss::into_reason);
    let mut reasons = reasons.collect::<Option<Vec<_>>>()?.into_iter();
    let first = reasons.next()?;
    reasons.try_fold(first, Reason::or)
}

impl Miss {
    /// Adds a failure to the faults of the value.
    fn add(&mut self, failure: &Failure<'_>, schemas: Schemas<'_>, depth: usize) {
        match (failure.path, &failure.what) {
            (Path::Root, FailureKind::Assertion(Assertion::Nothing)) => {
                self.further(Distance::Other, None);
            }
            (Path::Root, FailureKind::Assertion(assertion)) => match Reason::of(assertion) {
                Some(reason) => self.further(Distance::Other, Some(reason)),
                None => self.further(Distance::Like, None),
            },
            (Path::Root, FailureKind::Missing(name)) => {
                self.missing.push((*name).to_owned());
                self.further(Distance::Missing, None);
            }
            (Path::Root, FailureKind::Unexpected(_)) => self.further(Distance::Unexpected, None),
            (Path::Root, FailureKind::NoneOf(_, ids)) => {
                let inside = depth.checked_sub(1);
                let inside = inside.map(|depth| misses(schemas, ids, failure.value, depth));
                let inside = inside.unwrap_or_default();
                let distance = inside.first().map(|(_, miss)| miss.distance);
                let reason = alike(inside.into_iter().map(|(_, miss)| miss).collect());
                self.further(distance.unwrap_or_default(), reason);
            }
            (Path::Root, FailureKind::Contains(_) | FailureKind::SomeOf(_) | FailureKind::Not) => {
                self.further(Distance::Like, None);
            }
            (Path::Property(Path::Root, name), FailureKind::Assertion(assertion)) => {
                match Reason::of(assertion) {
                    // A list of several values does not identify the object; a single value says
                    // which kind it is.
                    Some(Reason::Other(values, _)) if values.len() == 1 => {
                        let kind = Reason::Kind((*name).to_owned(), values);
                        self.further(Distance::Kind, Some(kind));
                    }
                    _ => {}
                }
            }
            (Path::Property(..) | Path::Item(..), _) => {}
        }
    }

    fn further(&mut self, distance: Distance, reason: Option<Reason>) {
        // A list of values is more specific than their type.
        let says_more = matches!(&self.reason, Some(Reason::Other(values, _)) if values.is_empty());
        if distance > self.distance || distance == self.distance && says_more {
            (self.distance, self.reason) = (distance, reason);
        }
    }

    fn is_of_null(&self) -> bool {
        matches!(&self.reason, Some(Reason::Other(values, types)) if values.is_empty() && types[..] == [Type::Null])
    }

    /// The reason, if it shows a reader how to correct the value.
    fn into_reason(self) -> Option<Reason> {
        let by_names = [Distance::Missing, Distance::Unexpected].contains(&self.distance);
        match by_names && !self.missing.is_empty() {
            true => Some(Reason::Missing(vec![self.missing])),
            false => self.reason,
        }
    }
}

impl Reason {
    /// The reason for a value that fails this assertion, if it has one.
    fn of(assertion: &Assertion) -> Option<Self> {
        match assertion {
            Assertion::Enum(options) => Some(Self::Other(options.listed.clone(), Vec::new())),
            Assertion::Const(only) => Some(Self::Other(vec![only.clone()], Vec::new())),
            Assertion::Type(types) => Some(Self::Other(Vec::new(), types.clone())),
            Assertion::Nothing
            | Assertion::Bound(..)
            | Assertion::MultipleOf(_)
            | Assertion::Count(..)
            | Assertion::Pattern(_)
            | Assertion::UniqueItems => None,
        }
    }

    /// Combines the reasons of two schemas, if possible.
    fn or(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Missing(mine), Self::Missing(theirs)) => {
                Some(Self::Missing([mine, theirs].concat()))
            }
            (Self::Kind(name, mine), Self::Kind(other, theirs)) if name == other => {
                Some(Self::Kind(name, [mine, theirs].concat()))
            }
            (Self::Other(values, mut types), Self::Other(others, more)) => {
                let new: Vec<Type> = more.into_iter().filter(|it| !types.contains(it)).collect();
                types.extend(new);
                Some(Self::Other([values, others].concat(), types))
            }
            (_, _) => None,
        }
    }
}
