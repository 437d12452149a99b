//! Keywords that check a value on its own, and those that check nothing.

use serde_json::Value;

use super::SchemaReader;
use crate::assertion::{Assertion, Bound, Extreme, Options, Quantity, Type};
use crate::draft::Draft;
use crate::keyword::Keyword;
use crate::member::{Member, Owner};
use crate::order;
use crate::pattern::Pattern;
use crate::sentence::short;

impl<'a> SchemaReader<'a> {
    /// Definitions, and keywords that describe the schema and check nothing.
    pub(super) fn annotations(&mut self, owner: &Owner<'a>) -> Result<(), String> {
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
            self.schema(content)?;
        }
        let definitions = ["$defs", "definitions"].into_iter();
        for member in definitions.filter_map(|name| owner.get(name)) {
            self.named(member)?;
        }
        Ok(())
    }

    /// `type`, `enum`, `const`.
    pub(super) fn kinds(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        if let Some(member) = owner.get("type") {
            self.add(Assertion::Type(types(member, owner.draft)?));
        }
        if let Some(member) = owner.get("enum") {
            let listed = match owner.draft <= Draft::Draft6 {
                true => member.filled_list()?,
                false => member.list()?,
            };
            self.add(Assertion::Enum(Options::new(listed.clone())));
        }
        if let Some(member) = owner.since(Draft::Draft6, "const") {
            self.add(Assertion::Const(member.value.clone()));
        }
        Ok(())
    }

    /// Keywords that check numbers.
    pub(super) fn numbers(&mut self, owner: &Owner<'a>) -> Result<(), String> {
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
                self.keywords
                    .extend(limit.map(|limit| Assertion::Bound(bound, limit).into()));
            } else {
                let beyond = exclusive.map(Member::number).transpose()?.cloned();
                self.keywords
                    .extend(limit.map(|limit| Assertion::Bound(bound, limit).into()));
                self.keywords
                    .extend(beyond.map(|limit| Assertion::Bound(exclusive_bound, limit).into()));
            }
        }
        if let Some(member) = owner.get("multipleOf") {
            let unit = member.number()?;
            if order::compare_numbers(unit, &0.into()).is_le() {
                return member.is_not("more than 0");
            }
            self.add(Assertion::MultipleOf(unit.clone()));
        }
        Ok(())
    }

    /// The limits on counts.
    pub(super) fn counts(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        for (name, counted, extreme) in [
            ("maxLength", Quantity::Characters, Extreme::Most),
            ("minLength", Quantity::Characters, Extreme::Least),
            ("maxItems", Quantity::Items, Extreme::Most),
            ("minItems", Quantity::Items, Extreme::Least),
            ("maxProperties", Quantity::Properties, Extreme::Most),
            ("minProperties", Quantity::Properties, Extreme::Least),
        ] {
            if let Some(member) = owner.get(name) {
                self.add(Assertion::Count(counted, extreme, member.count()?));
            }
        }
        Ok(())
    }

    /// `required`.
    pub(super) fn names(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        // In draft 4 an empty list of names is invalid.
        if let Some(member) = owner.get("required") {
            self.keywords.push(Keyword::Required(member.names()?));
        }
        Ok(())
    }

    /// Keywords that check strings, and `uniqueItems`.
    pub(super) fn texts(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        if let Some(member) = owner.get("pattern") {
            self.add(Assertion::Pattern(pattern(member.text()?, &member.path())?));
        }
        if let Some(member) = owner.get("uniqueItems")
            && member.flag()?
        {
            self.add(Assertion::UniqueItems);
        }
        Ok(())
    }
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

pub(super) fn pattern(text: &str, path: &str) -> Result<Pattern, String> {
    Pattern::parse(text).map_err(|why| format!("{path}: {}", short(why)))
}
