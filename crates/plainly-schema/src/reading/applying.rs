//! Keywords that apply schemas: to the same value, or to its contents.

use super::asserting::pattern;
use super::{Absence, SchemaReader};
use crate::draft::Draft;
use crate::keyword::{Contains, Here, Id, Inside, Items, Keyword, Properties, Rest};
use crate::member::{Member, Owner};

impl<'a> SchemaReader<'a> {
    pub(super) fn properties(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        let mut properties = Properties::default();
        if let Some(member) = owner.get("properties") {
            properties.named = self.named(member)?.into_iter().collect();
        }
        if self.absence == Absence::ByNull {
            let required = owner.get("required").map(Member::names).transpose()?;
            let required = required.unwrap_or_default();
            let optional = properties.named.keys();
            let optional = optional.filter(|name| !required.contains(name)).cloned();
            properties.absent_by_null = optional.collect();
        }
        if let Some(member) = owner.get("patternProperties") {
            for (text, id) in self.named(member)? {
                properties
                    .patterns
                    .push((pattern(&text, &member.path())?, id));
            }
        }
        if let Some(member) = owner.get("additionalProperties") {
            properties.additional = Some(self.schema_or_flag(member)?);
        }
        if !properties.is_empty() {
            self.add(Inside::Properties(properties));
        }
        if let Some(member) = owner.since(Draft::Draft6, "propertyNames") {
            let names = Inside::PropertyNames(self.schema(member)?);
            self.add(names);
        }
        Ok(())
    }

    pub(super) fn items(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        let (all, first, rest) = (owner.get("items"), "prefixItems", "additionalItems");
        let by_place = all.filter(|all| all.value.is_array() && owner.draft < Draft::Draft202012);
        let mut items = Items::default();
        if let Some(first) = by_place.or_else(|| owner.since(Draft::Draft202012, first)) {
            items.first = match first.list()? {
                none if none.is_empty() && by_place.is_some() => Vec::new(),
                _ => self.listed(first)?,
            };
        }
        if by_place.is_some() {
            let rest = owner.get(rest);
            items.rest = rest.map(|it| self.schema_or_flag(it)).transpose()?;
        } else if let Some(all) = all {
            items.rest = Some(self.schema(all)?);
        }
        if items.rest.is_some() || !items.first.is_empty() {
            self.add(Inside::Items(items));
        }
        if let Some(member) = owner.since(Draft::Draft6, "contains") {
            let count = |name| owner.since(Draft::Draft201909, name).map(Member::count);
            let contains = Contains {
                id: self.schema(member)?,
                least: count("minContains").transpose()?.unwrap_or(1),
                most: count("maxContains").transpose()?,
                evaluates: owner.draft >= Draft::Draft202012,
            };
            self.add(Inside::Contains(contains));
        }
        Ok(())
    }

    /// Keywords by which one property requires others.
    pub(super) fn dependencies(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        let (mut required, mut schemas) = (Vec::new(), Vec::new());
        if let Some(member) = owner.since(Draft::Draft201909, "dependentRequired") {
            for (name, names) in member.object()?.each() {
                required.push((name.clone(), names.names()?));
            }
        }
        if let Some(member) = owner.get("dependencies") {
            for (name, brought) in member.object()?.each() {
                if brought.value.is_array() {
                    required.push((name.clone(), brought.names()?));
                } else {
                    schemas.push((name.clone(), self.schema(brought)?));
                }
            }
        }
        if let Some(member) = owner.since(Draft::Draft201909, "dependentSchemas") {
            schemas.extend(self.named(member)?);
        }
        if !required.is_empty() {
            self.keywords.push(Keyword::DependentRequired(required));
        }
        if !schemas.is_empty() {
            self.add(Here::Dependent(schemas));
        }
        Ok(())
    }

    /// Keywords that combine several schemas for the same value.
    pub(super) fn compositions(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        for (name, keyword) in [
            ("allOf", Here::AllOf as fn(Vec<Id>) -> Here),
            ("anyOf", Here::AnyOf),
            ("oneOf", Here::OneOf),
        ] {
            if let Some(member) = owner.get(name) {
                let schemas = self.listed(member)?;
                self.add(keyword(schemas));
            }
        }
        if let Some(member) = owner.get("not") {
            let schema = self.schema(member)?;
            self.add(Here::Not(schema));
        }
        let mut schema = |name| {
            let member = owner.since(Draft::Draft7, name);
            member.map(|member| self.schema(member)).transpose()
        };
        let (condition, then, otherwise) = (schema("if")?, schema("then")?, schema("else")?);
        self.keywords.extend(condition.map(|condition| {
            let branches = Here::If {
                condition,
                then,
                otherwise,
            };
            branches.into()
        }));
        Ok(())
    }

    /// Dynamic references mean the same as others, because no schema below the root has its own
    /// base.
    pub(super) fn references(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        let recursive = owner.get("$recursiveRef");
        let members = [
            owner.get("$ref"),
            owner.since(Draft::Draft202012, "$dynamicRef"),
            recursive.filter(|_| owner.draft == Draft::Draft201909),
        ];
        for member in members.into_iter().flatten() {
            let text = member.text()?;
            let target = self.references.target(text)?;
            let target = self.id(target, text.to_owned())?;
            self.add(Here::AllOf(vec![target]));
        }
        Ok(())
    }

    pub(super) fn unevaluated(&mut self, owner: &Owner<'a>) -> Result<(), String> {
        for (name, keyword) in [
            ("unevaluatedProperties", Rest::Properties as fn(Id) -> Rest),
            ("unevaluatedItems", Rest::Items),
        ] {
            if let Some(member) = owner.since(Draft::Draft201909, name) {
                let schema = self.schema(member)?;
                self.add(keyword(schema));
            }
        }
        Ok(())
    }
}
