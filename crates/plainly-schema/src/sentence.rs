//! Failures as mistakes for whoever must mend them: where, what is wrong, and what would be right, if that is a short list
//! or there is something close.

use std::ops::ControlFlow;

use plainly_errors::Mistake;
use plainly_errors::mistake::shortened;
use serde_json::{Map, Value};

use super::assertion::{Assertion, Bound, Counted, Extreme, Type};
use super::check::{Failure, Path, Schemas, What};
use super::keyword::Contains;
use super::slip::closest;

/// The longest sentence, in bytes: it quotes the value, which can be as long as a message.
pub(super) const LONGEST: usize = 512;

/// The most values that are listed as the valid ones.
const MOST_LISTED: usize = 24;

/// The most names that are looked at for a slip: a peer chooses how many there are.
const MOST_SLIPS: usize = 64;

/// The mistake that `failure` is, which is of one of the `schemas`.
pub(super) fn mistake(failure: &Failure<'_>, schemas: Schemas<'_>) -> Mistake {
    let what = match allowed(failure, schemas) {
        Some(allowed) => one_of(failure.value, &allowed),
        None => format!("{}{}", short(plain(failure)), known(failure)),
    };
    Mistake::new(failure.path.to_string(), what)
}

/// Says what is wrong, without where, and without what would be right.
fn plain(failure: &Failure<'_>) -> String {
    let value = failure.value;
    match &failure.what {
        What::Assertion(assertion) => not_so(value, assertion),
        What::Contains(contains) => format!("{value} {}", contained(contains)),
        What::NoneOf(keyword, _) => format!("{value} is not valid under any schema of '{keyword}'"),
        What::SomeOf => format!("{value} is valid under more than one schema of 'oneOf'"),
        What::Not => format!("{value} is valid under the schema of 'not'"),
        What::Missing(name) => format!("{name:?} is a required property"),
        What::Unexpected(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            let (were, names) = (were(names.len()), names.join(", "));
            format!("Additional properties are not allowed ({names} {were} unexpected)")
        }
    }
}

fn not_so(value: &Value, assertion: &Assertion) -> String {
    match assertion {
        Assertion::Nothing => format!("no value is allowed here, but found {value}"),
        Assertion::Type(types) => format!("{value} is not of {}", of_types(types)),
        Assertion::Bound(bound, limit) => format!("{value} is {} {limit}", beyond(*bound)),
        Assertion::MultipleOf(unit) => format!("{value} is not a multiple of {unit}"),
        Assertion::Count(counted, extreme, limit) => {
            format!("{value} {}", too_many(*counted, *extreme, *limit))
        }
        Assertion::Pattern(pattern) => format!("{value} does not match {:?}", pattern.text()),
        Assertion::UniqueItems => format!("{value} has the same item more than once"),
        Assertion::Enum(options) => one_of(value, &options.listed),
        Assertion::Const(only) => one_of(value, std::slice::from_ref(only)),
    }
}

fn were(count: usize) -> &'static str {
    match count {
        1 => "was",
        _ => "were",
    }
}

fn of_types(types: &[Type]) -> String {
    let names: Vec<String> = types.iter().map(|it| format!("{:?}", it.name())).collect();
    match &names[..] {
        [only] => format!("type {only}"),
        names => format!("types {}", names.join(", ")),
    }
}

fn beyond(bound: Bound) -> &'static str {
    match bound {
        Bound::Maximum => "greater than the maximum of",
        Bound::ExclusiveMaximum => "not less than",
        Bound::Minimum => "less than the minimum of",
        Bound::ExclusiveMinimum => "not greater than",
    }
}

fn too_many(counted: Counted, extreme: Extreme, limit: u64) -> String {
    let than = match (counted, extreme) {
        (Counted::Characters, Extreme::Most) => "is longer than",
        (Counted::Characters, Extreme::Least) => "is shorter than",
        (Counted::Items | Counted::Properties, Extreme::Most) => "has more than",
        (Counted::Items | Counted::Properties, Extreme::Least) => "has fewer than",
    };
    let what = match (counted, limit) {
        (Counted::Characters, 1) => "character",
        (Counted::Characters, _) => "characters",
        (Counted::Items, 1) => "item",
        (Counted::Items, _) => "items",
        (Counted::Properties, 1) => "property",
        (Counted::Properties, _) => "properties",
    };
    format!("{than} {limit} {what}")
}

fn contained(contains: &Contains) -> String {
    let Contains { least, most, .. } = contains;
    let many = match most {
        Some(most) => format!("{least} to {most}"),
        None => format!("at least {least}"),
    };
    format!("does not have {many} items that are valid under the schema of 'contains'")
}

/// The valid values, if they are few: those of an enum, of a constant, or of alternatives that are such.
fn allowed(failure: &Failure<'_>, schemas: Schemas<'_>) -> Option<Vec<Value>> {
    let ids = match &failure.what {
        What::Assertion(Assertion::Enum(options)) => return Some(options.listed.clone()),
        What::Assertion(Assertion::Const(only)) => return Some(vec![Value::clone(only)]),
        What::NoneOf(_, ids) => *ids,
        What::Assertion(_)
        | What::Contains(_)
        | What::SomeOf
        | What::Not
        | What::Missing(_)
        | What::Unexpected(_) => return None,
    };
    let mut all = Vec::new();
    for id in ids {
        let mut found = None;
        let mut tell = |failure: &Failure<'_>| {
            let is_first = found.is_none();
            found = Some(match failure.path.is_root() && is_first {
                // What may be null is of some other use than to be null.
                true if is_only_null(failure) => Some(Vec::new()),
                true => allowed(failure, schemas),
                false => None,
            });
            ControlFlow::Continue(())
        };
        let _told = schemas.check(*id, failure.value, &Path::Root, &mut tell);
        // If one alternative is no short list, a list of the others would leave out what is valid.
        all.extend(found??);
    }
    (!all.is_empty()).then_some(all)
}

fn is_only_null(failure: &Failure<'_>) -> bool {
    matches!(&failure.what, What::Assertion(Assertion::Type(types)) if types[..] == [Type::Null])
}

fn one_of(value: &Value, allowed: &[Value]) -> String {
    let listed: Vec<String> = allowed.iter().map(Value::to_string).collect();
    let value_text = short(value.to_string());
    let words = allowed.iter().filter_map(Value::as_str);
    let close = value.as_str().and_then(|text| closest(text, words));
    let close = close.map_or_else(String::new, |it| format!(" (did you mean {it:?}?)"));
    match &listed[..] {
        [only] => format!("{value_text} is not {}{close}", short(only.clone())),
        all => format!("{value_text} is not one of {}{close}", some_of(all)),
    }
}

/// Lists as many as fit into a sentence.
fn some_of(listed: &[String]) -> String {
    let mut bytes = 0;
    let shown: Vec<&str> = listed
        .iter()
        .take(MOST_LISTED)
        .take_while(|text| {
            bytes += text.len() + 2;
            bytes <= LONGEST
        })
        .map(String::as_str)
        .collect();
    match listed.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// For a name that no property has, one that it may be a slip of; for a property that is missing, its slip.
fn known(failure: &Failure<'_>) -> String {
    match &failure.what {
        What::Unexpected(unexpected) => {
            let missing: Vec<&str> = failure
                .node
                .names()
                .filter(|name| failure.value.get(*name).is_none())
                .collect();
            let mut slips = unexpected.iter().take(MOST_SLIPS);
            let close = slips.find_map(|name| closest(name, missing.iter().copied()));
            close.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
        }
        What::Missing(missing) => {
            let given = failure.value.as_object().into_iter().flat_map(Map::keys);
            let unknown = given.filter(|name| failure.node.names().all(|known| known != *name));
            let slip = closest(missing, unknown.map(String::as_str).take(MOST_SLIPS));
            slip.map_or_else(String::new, |slip| {
                format!(" (did you mean it by {slip:?}?)")
            })
        }
        What::Assertion(_) | What::Contains(_) | What::NoneOf(..) | What::SomeOf | What::Not => {
            String::new()
        }
    }
}

/// The sentence, without its middle if that is too long: what is quoted comes before what is wrong with it.
pub(super) fn short(sentence: String) -> String {
    match sentence.len() {
        0..=LONGEST => sentence,
        _ => shortened(&sentence, LONGEST).into_owned(),
    }
}
