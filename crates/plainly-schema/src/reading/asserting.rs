//! Keywords that say something of a value by themselves, and those that say nothing of it.

use serde_json::Value;

use super::Reading;
use crate::assertion::{Assertion, Bound, Counted, Extreme, Options, Type};
use crate::draft::Draft;
use crate::keyword::Keyword;
use crate::member::{Member, Owner};
use crate::order;
use crate::pattern::Pattern;
use crate::sentence::short;

/// Keywords that describe the schema and check nothing, and definitions.
pub(super) fn annotations<'a>(
    reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    _keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    let texts = ["title", "description", "format", owner.draft.id()].into_iter();
    for member in texts.filter_map(|name| owner.get(name)) {
        member.text()?;
    }
    let texts = ["$comment", "contentEncoding", "contentMediaType"].into_iter();
    for member in texts.filter_map(|name| owner.since(Draft::Draft7, name)) {
        member.text()?;
    }
    let texts = ["$anchor", "$dynamicAnchor"].into_iter();
    for member in texts.filter_map(|name| owner.since(Draft::Draft201909, name)) {
        member.text()?;
    }
    let flags = ["readOnly", "writeOnly"].into_iter();
    for member in flags.filter_map(|name| owner.since(Draft::Draft7, name)) {
        member.flag()?;
    }
    if let Some(flag) = owner.since(Draft::Draft201909, "deprecated") {
        flag.flag()?;
    }
    if let Some(examples) = owner.since(Draft::Draft6, "examples") {
        examples.list()?;
    }
    if let Some(content) = owner.since(Draft::Draft201909, "contentSchema") {
        reading.schema(content)?;
    }
    let definitions = ["$defs", "definitions"].into_iter();
    for member in definitions.filter_map(|name| owner.get(name)) {
        reading.named(member)?;
    }
    Ok(())
}

/// `type`, `enum`, `const`.
pub(super) fn kinds<'a>(
    _reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    if let Some(member) = owner.get("type") {
        keywords.push(Assertion::Type(types(member, owner.draft)?).into());
    }
    if let Some(member) = owner.get("enum") {
        let listed = match owner.draft <= Draft::Draft6 {
            true => member.filled_list()?,
            false => member.list()?,
        };
        keywords.push(Assertion::Enum(Options::new(listed.clone())).into());
    }
    if let Some(member) = owner.since(Draft::Draft6, "const") {
        keywords.push(Assertion::Const(member.value.clone()).into());
    }
    Ok(())
}

fn types(member: Member<'_, '_>, draft: Draft) -> Result<Vec<Type>, String> {
    let named = |name: &Value| {
        let found = Type::NAMES.iter().find(|(it, _)| name == it);
        found.map(|(_, it)| it.of(draft))
    };
    let types: Option<Vec<Type>> = match member.value.as_array() {
        Some(names) => names.iter().map(named).collect(),
        None => named(member.value).map(|it| vec![it]),
    };
    let is_each_once =
        |types: &Vec<Type>| (1..types.len()).all(|it| !types[..it].contains(&types[it]));
    let types = types.filter(|types| !types.is_empty() && is_each_once(types));
    let names = Type::NAMES.map(|(name, _)| name).join(", ");
    types.map_or_else(|| member.is_not(&format!("one or more of {names}")), Ok)
}

/// Keywords that check numbers.
pub(super) fn numbers<'a>(
    _reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    for (inclusive, exclusive, bound, exclusive_bound) in [
        (
            "maximum",
            "exclusiveMaximum",
            Bound::Maximum,
            Bound::ExclusiveMaximum,
        ),
        (
            "minimum",
            "exclusiveMinimum",
            Bound::Minimum,
            Bound::ExclusiveMinimum,
        ),
    ] {
        let (inclusive, exclusive) = (owner.get(inclusive), owner.get(exclusive));
        let limit = inclusive.map(Member::number).transpose()?.cloned();
        if owner.draft == Draft::Draft4 {
            let is_exclusive = exclusive.map(Member::flag).transpose()?;
            let is_alone = limit.is_none() && is_exclusive.is_some();
            if let Some(exclusive) = exclusive.filter(|_| is_alone) {
                return exclusive.is_not("beside the limit it applies to");
            }
            let bound = if is_exclusive == Some(true) {
                exclusive_bound
            } else {
                bound
            };
            keywords.extend(limit.map(|limit| Assertion::Bound(bound, limit).into()));
        } else {
            let beyond = exclusive.map(Member::number).transpose()?.cloned();
            keywords.extend(limit.map(|limit| Assertion::Bound(bound, limit).into()));
            keywords.extend(beyond.map(|limit| Assertion::Bound(exclusive_bound, limit).into()));
        }
    }
    if let Some(member) = owner.get("multipleOf") {
        let unit = member.number()?;
        if order::compare_numbers(unit, &0.into()).is_le() {
            return member.is_not("more than 0");
        }
        keywords.push(Assertion::MultipleOf(unit.clone()).into());
    }
    Ok(())
}

/// How much there may be of something.
pub(super) fn counts<'a>(
    _reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    for (name, counted, extreme) in [
        ("maxLength", Counted::Characters, Extreme::Most),
        ("minLength", Counted::Characters, Extreme::Least),
        ("maxItems", Counted::Items, Extreme::Most),
        ("minItems", Counted::Items, Extreme::Least),
        ("maxProperties", Counted::Properties, Extreme::Most),
        ("minProperties", Counted::Properties, Extreme::Least),
    ] {
        if let Some(member) = owner.get(name) {
            keywords.push(Assertion::Count(counted, extreme, member.count()?).into());
        }
    }
    Ok(())
}

/// Which properties there must be.
pub(super) fn names<'a>(
    _reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    // In draft 4 a list of no names is none.
    if let Some(member) = owner.get("required") {
        keywords.push(Keyword::Required(member.names()?));
    }
    Ok(())
}

/// Keywords that check strings, and `uniqueItems`.
pub(super) fn texts<'a>(
    _reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    if let Some(member) = owner.get("pattern") {
        keywords.push(Assertion::Pattern(pattern(member.text()?, &member.path())?).into());
    }
    if let Some(member) = owner.get("uniqueItems")
        && member.flag()?
    {
        keywords.push(Assertion::UniqueItems.into());
    }
    Ok(())
}

pub(super) fn pattern(text: &str, path: &str) -> Result<Pattern, String> {
    Pattern::parse(text).map_err(|why| format!("{path}: {}", short(why)))
}
