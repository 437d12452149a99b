//! Converts failures to mistakes for the author of the value: the path, the fault, and the valid
//! values if there are few or one is similar.

use std::collections::HashSet;
use std::ops::ControlFlow;

use plainly_errors::Mistake;
use plainly_errors::mistake::shortened;
use serde_json::{Map, Value};

use super::alternatives::{Nearest, Reason, nearest};
use super::assertion::{Assertion, Bound, Extreme, Quantity, Type};
use super::check::{Failure, FailureKind, Path, Schemas};
use super::keyword::{Contains, Id};
use super::slip::closest;

/// The maximum number of mistakes that are reported at once.
pub(super) const MOST: usize = 16;

/// The maximum length of a sentence in bytes, because it quotes the value, which can be as long as
/// a message.
pub(super) const LONGEST: usize = 512;

/// The maximum number of valid values that are listed.
const MOST_LISTED: usize = 24;

/// The maximum number of names that are compared to find a slip, because a peer chooses their
/// number.
const MOST_SLIPS: usize = 64;

/// The maximum depth of nested alternatives that are explained.
const DEEPEST: usize = 6;

/// The maximum number of alternatives whose mismatch is explained, and the maximum length of an
/// explanation in bytes.
const MOST_REASONS: usize = 3;
const LONGEST_REASON: usize = 96;

/// The mistakes for `failure` of one of the `schemas`. There are several if the value was probably
/// meant for one of the alternatives.
pub(super) fn mistakes(failure: &Failure<'_>, schemas: Schemas<'_>) -> Vec<Mistake> {
    explained(failure, schemas, DEEPEST)
}

fn explained(failure: &Failure<'_>, schemas: Schemas<'_>, depth: usize) -> Vec<Mistake> {
    let (FailureKind::NoneOf(keyword, ids), Some(inside)) = (&failure.what, depth.checked_sub(1))
    else {
        return here(failure, sentence(failure, schemas));
    };
    match nearest(schemas, ids, failure.value) {
        Nearest::One(id) => by(id, failure, schemas, inside),
        Nearest::Alike(Reason::Missing(names)) => missing(&names, failure),
        Nearest::Alike(Reason::Kind(name, values)) => {
            let path = Path::Property(failure.path, &name).to_string();
            vec![Mistake::new(
                path,
                one_of(&failure.value[&name], &values, &[]),
            )]
        }
        Nearest::Alike(Reason::Other(values, types)) => {
            here(failure, one_of(failure.value, &values, &types))
        }
        Nearest::Some(ids) => {
            let ids = ids.iter().take(MOST_REASONS);
            let reasons = ids.filter_map(|id| by(*id, failure, schemas, inside).into_iter().next());
            let reasons: Vec<String> = reasons.map(|it| reason(&it, failure)).collect();
            here(
                failure,
                none_of(failure.value, keyword) + ": " + &reasons.join("; or "),
            )
        }
    }
}

fn here(failure: &Failure<'_>, sentence: String) -> Vec<Mistake> {
    vec![Mistake::new(failure.path.to_string(), sentence)]
}

/// The mistakes of the value under one of the alternatives.
fn by(id: Id, failure: &Failure<'_>, schemas: Schemas<'_>, depth: usize) -> Vec<Mistake> {
    let mut all = Vec::new();
    let mut tell = |failure: &Failure<'_>| {
        all.extend(explained(failure, schemas, depth));
        match all.len() {
            MOST.. => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let _told = schemas.check(id, failure.value, failure.path, &mut tell);
    all
}

/// The reason why the value does not match one alternative.
fn reason(mistake: &Mistake, failure: &Failure<'_>) -> String {
    let sentence = match mistake.path == failure.path.to_string() {
        true => mistake.message.clone(),
        false => mistake.to_string(),
    };
    shortened(&sentence, LONGEST_REASON).into_owned()
}

/// The missing members under several alternatives: those that all of them need, if there are any.
fn missing(names: &[Vec<String>], failure: &Failure<'_>) -> Vec<Mistake> {
    let needed = names.first().into_iter().flatten();
    let needed = needed.filter(|name| names.iter().all(|all| all.contains(name)));
    let needed: Vec<&String> = needed.collect();
    if needed.is_empty() {
        let each: Vec<String> = names.iter().map(|all| all_of(all)).collect();
        let mut slips = names.iter().flatten().map(|name| slip_of(name, failure));
        let slip = slips.find(|slip| !slip.is_empty()).unwrap_or_default();
        let sentence = short(format!("{} is required", each.join(" or ")));
        return here(failure, sentence + &slip);
    }
    let sentences = needed.into_iter().map(|name| is_required(name, failure));
    sentences
        .flat_map(|sentence| here(failure, sentence))
        .collect()
}

fn is_required(name: &str, failure: &Failure<'_>) -> String {
    let sentence = short(format!("{name:?} is a required property"));
    sentence + &slip_of(name, failure)
}

fn all_of(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(" and ")
}

fn none_of(value: &Value, keyword: &str) -> String {
    let value = value.to_string();
    let value = shortened(&value, LONGEST / 4);
    format!("{value} is not valid under any schema of '{keyword}'")
}

/// The sentence about the failure, without its path.
fn sentence(failure: &Failure<'_>, schemas: Schemas<'_>) -> String {
    let value = failure.value;
    match &failure.what {
        FailureKind::Assertion(assertion) => not_so(value, assertion),
        FailureKind::Contains(contains) => short(format!("{value} {}", contained(contains))),
        FailureKind::NoneOf(keyword, _) => none_of(value, keyword),
        FailureKind::SomeOf(ids) => more_than_one_of(ids, failure, schemas),
        FailureKind::Not => short(format!("{value} is valid under the schema of 'not'")),
        FailureKind::Missing(name) => is_required(name, failure),
        FailureKind::Unexpected(names) => unexpected(names, failure),
    }
}

fn not_so(value: &Value, assertion: &Assertion) -> String {
    short(match assertion {
        // These lists are already short, and end with the value that was probably meant.
        Assertion::Enum(options) => return one_of(value, &options.listed, &[]),
        Assertion::Const(only) => return one_of(value, std::slice::from_ref(only), &[]),
        Assertion::Nothing => format!("no value is allowed here, but found {value}"),
        Assertion::Type(types) => format!("{value} is not of {}", of_types(types)),
        Assertion::Bound(bound, limit) => format!("{value} is {} {limit}", beyond(*bound)),
        Assertion::MultipleOf(unit) => format!("{value} is not a multiple of {unit}"),
        Assertion::Count(counted, extreme, limit) => {
            format!("{value} {}", too_many(*counted, *extreme, *limit))
        }
        Assertion::Pattern(pattern) => format!("{value} does not match {:?}", pattern.text()),
        Assertion::UniqueItems => format!("{value} has the same item more than once"),
    })
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
        [first @ .., last] if !first.is_empty() => format!("type {} or {last}", first.join(", ")),
        names => format!("type {}", names.concat()),
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

fn too_many(counted: Quantity, extreme: Extreme, limit: u64) -> String {
    let than = match (counted, extreme) {
        (Quantity::Characters, Extreme::Most) => "is longer than",
        (Quantity::Characters, Extreme::Least) => "is shorter than",
        (Quantity::Items | Quantity::Properties, Extreme::Most) => "has more than",
        (Quantity::Items | Quantity::Properties, Extreme::Least) => "has fewer than",
    };
    let what = match (counted, limit) {
        (Quantity::Characters, 1) => "character",
        (Quantity::Characters, _) => "characters",
        (Quantity::Items, 1) => "item",
        (Quantity::Items, _) => "items",
        (Quantity::Properties, 1) => "property",
        (Quantity::Properties, _) => "properties",
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

/// The sentence that `text` is not one of `words`, with the word that was probably meant.
///
/// ```
/// use plainly_schema::not_one_of;
///
/// let sentence = not_one_of("serach", ["read", "search"].into_iter());
/// assert_eq!(sentence, r#""serach" is not one of "read", "search" (did you mean "search"?)"#);
/// ```
pub fn not_one_of<'a>(text: &str, words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<Value> = words.map(Value::from).collect();
    one_of(&text.into(), &words, &[])
}

/// The sentence that the value is none of these values and has none of these types.
fn one_of(value: &Value, allowed: &[Value], types: &[Type]) -> String {
    let listed: Vec<String> = allowed.iter().map(Value::to_string).collect();
    let value_text = short(value.to_string());
    let words = allowed.iter().filter_map(Value::as_str);
    let close = value.as_str().and_then(|text| closest(text, words));
    let close = close.map_or_else(String::new, |it| format!(" (did you mean {it:?}?)"));
    let listed = match &listed[..] {
        [] => return format!("{value_text} is not of {}", of_types(types)),
        [only] => short(only.clone()),
        all => format!("one of {}", some_of(all)),
    };
    match types {
        [] => format!("{value_text} is not {listed}{close}"),
        types => format!(
            "{value_text} is not {listed} or of {}{close}",
            of_types(types)
        ),
    }
}

/// The sentence that the value matches several alternatives at once, each of which may require
/// properties.
fn more_than_one_of(ids: &[Id], failure: &Failure<'_>, schemas: Schemas<'_>) -> String {
    let value = failure.value;
    let valid = ids.iter().filter(|id| schemas.is_valid(**id, value));
    let required: Vec<&[String]> = valid.map(|id| schemas.required(*id)).collect();
    let mut seen = HashSet::new();
    let differ = required
        .iter()
        .copied()
        .flatten()
        .all(|name| seen.insert(name));
    match differ && required.iter().all(|names| !names.is_empty()) {
        true => {
            let each: Vec<String> = required.into_iter().map(all_of).collect();
            short(format!("only one of {} is allowed", each.join(", ")))
        }
        false => short(format!(
            "{value} is valid under more than one schema of 'oneOf'"
        )),
    }
}

/// Lists as many values as fit in a sentence.
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

/// The sentence about properties that are not allowed, with the missing property that one of them
/// was probably meant for.
fn unexpected(names: &[&str], failure: &Failure<'_>) -> String {
    let known = failure.node.names();
    let missing: Vec<&str> = known
        .filter(|name| failure.value.get(*name).is_none())
        .collect();
    let mut slips = names.iter().take(MOST_SLIPS);
    let close = slips.find_map(|name| closest(name, missing.iter().copied()));
    let close = close.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"));
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let (were, names) = (were(names.len()), names.join(", "));
    short(format!(
        "Additional properties are not allowed ({names} {were} unexpected)"
    )) + &close
}

/// The unknown property that was probably meant for the missing one.
fn slip_of(missing: &str, failure: &Failure<'_>) -> String {
    let given = failure.value.as_object().into_iter().flat_map(Map::keys);
    let unknown = given.filter(|name| failure.node.names().all(|known| known != *name));
    let slip = closest(missing, unknown.map(String::as_str).take(MOST_SLIPS));
    slip.map_or_else(String::new, |slip| {
        format!(" (did you mean it by {slip:?}?)")
    })
}

/// The sentence, with its middle removed if it is too long, because the quoted value precedes the
/// fault.
pub(super) fn short(sentence: String) -> String {
    match sentence.len() {
        0..=LONGEST => sentence,
        _ => shortened(&sentence, LONGEST).into_owned(),
    }
}
