//! From a schema to its keywords, in one order, whatever the draft. Knows where schemas stand in schemas, and what no schema
//! may say; never what is valid.

use std::collections::HashMap;

use serde_json::Value;

use super::draft::Draft;
use super::keyword::{
    Bound, Contains, Counted, Extreme, Id, If, Items, Keyword, Node, Options, Properties, Type,
};
use super::member::{Member, Owner};
use super::order;
use super::pattern::Pattern;
use super::reference::References;
use super::sentence::short;

/// The subschemas of `root`, the root first, if they are at most `most`, and refer to nothing beyond it.
pub(super) fn read(root: &Value, most: usize) -> Result<Vec<Node>, String> {
    let draft = Draft::of(root)?;
    let mut reading = Reading {
        root,
        draft,
        references: References::of(root, draft),
        ids: HashMap::new(),
        nodes: Vec::new(),
        waiting: Vec::new(),
    };
    reading.id(root, String::new())?;
    while let Some((id, schema, path)) = reading.waiting.pop() {
        let keywords = reading.keywords(schema, path)?;
        if let Some(node) = reading.nodes.get_mut(id) {
            node.keywords = keywords;
        }
        if reading.nodes.len() > most {
            return Err(format!("it has more than {most} subschemas"));
        }
    }
    Ok(reading.nodes)
}

struct Reading<'a> {
    root: &'a Value,
    draft: Draft,
    references: References<'a>,
    /// By where the schema is in memory.
    ids: HashMap<usize, Id>,
    nodes: Vec<Node>,
    /// To be read yet, with the paths to them.
    waiting: Vec<(Id, &'a Value, String)>,
}

/// Reads some of the keywords that belong together.
type Reader = for<'a> fn(&mut Reading<'a>, &Owner<'a>, &mut Vec<Keyword>) -> Result<(), String>;

/// In the order in which they are held against a value; what is not evaluated yet is known last.
const READERS: [Reader; 12] = [
    annotations,
    kinds,
    numbers,
    counts,
    names,
    texts,
    properties,
    items,
    dependencies,
    compositions,
    references,
    unevaluated,
];

impl<'a> Reading<'a> {
    /// The subschema `schema`, which is at `path`.
    fn id(&mut self, schema: &'a Value, path: String) -> Result<Id, String> {
        let is_boolean = schema.is_boolean() && self.draft > Draft::Draft4;
        if !schema.is_object() && !is_boolean {
            let sentence = short(format!("{schema} is not a schema"));
            return Err(match path.as_str() {
                "" => sentence,
                path => format!("{path}: {sentence}"),
            });
        }
        Ok(self.id_of(schema, path))
    }

    fn id_of(&mut self, schema: &'a Value, path: String) -> Id {
        let next = self.nodes.len();
        let address = std::ptr::from_ref(schema).addr();
        let id = *self.ids.entry(address).or_insert(next);
        if id == next {
            self.nodes.push(Node::default());
            self.waiting.push((id, schema, path));
        }
        id
    }

    fn keywords(&mut self, schema: &'a Value, path: String) -> Result<Vec<Keyword>, String> {
        let Value::Object(members) = schema else {
            let nothing = (*schema == false).then_some(Keyword::Nothing);
            return Ok(nothing.into_iter().collect());
        };
        let owner = Owner {
            members,
            draft: self.draft,
            path,
        };
        if !std::ptr::eq(schema, self.root) {
            check_base(&owner)?;
        }
        let mut keywords = Vec::new();
        for read in READERS {
            read(self, &owner, &mut keywords)?;
        }
        if self.draft.has_lone_references() && owner.get("$ref").is_some() {
            keywords.clear();
            references(self, &owner, &mut keywords)?;
        }
        Ok(keywords)
    }

    fn schema(&mut self, member: Member<'_, 'a>) -> Result<Id, String> {
        self.id(member.value, member.path())
    }

    /// One that draft 4 takes to be true or false too.
    fn schema_or_flag(&mut self, member: Member<'_, 'a>) -> Result<Id, String> {
        match member.value {
            Value::Bool(_) => Ok(self.id_of(member.value, member.path())),
            _ => self.schema(member),
        }
    }

    fn listed(&mut self, member: Member<'_, 'a>) -> Result<Vec<Id>, String> {
        let schemas = member.filled_list()?.iter().enumerate();
        schemas
            .map(|(place, schema)| self.id(schema, format!("{}/{place}", member.path())))
            .collect()
    }

    fn named(&mut self, member: Member<'_, 'a>) -> Result<Vec<(String, Id)>, String> {
        let schemas = member.each()?;
        schemas
            .map(|(name, schema)| {
                let id = self.id(schema, format!("{}/{name}", member.path()))?;
                Ok((name.clone(), id))
            })
            .collect()
    }
}

/// References inside of a schema with a base of its own would mean something else.
fn check_base(owner: &Owner<'_>) -> Result<(), String> {
    let Some(id) = owner.get(owner.draft.id()) else {
        return Ok(());
    };
    let is_anchor = owner.draft <= Draft::Draft7 && id.text()?.starts_with('#');
    if is_anchor {
        return Ok(());
    }
    let keyword = owner.draft.id();
    Err(format!("it has {keyword} below its root, {}", id.value))
}

/// What only says something of the schema, and definitions.
fn annotations<'a>(
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
fn kinds<'a>(
    _reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    if let Some(member) = owner.get("type") {
        keywords.push(Keyword::Type(types(member, owner.draft)?));
    }
    if let Some(member) = owner.get("enum") {
        let listed = match owner.draft {
            Draft::Draft4 | Draft::Draft6 => member.filled_list()?,
            _ => member.list()?,
        };
        keywords.push(Keyword::Enum(Options::new(listed.clone())));
    }
    if let Some(member) = owner.since(Draft::Draft6, "const") {
        keywords.push(Keyword::Const(member.value.clone()));
    }
    Ok(())
}

fn types(member: Member<'_, '_>, draft: Draft) -> Result<Vec<Type>, String> {
    let named = |name: &str| {
        let found = Type::NAMES.iter().find(|(it, _)| *it == name);
        found.map(|(_, it)| match it {
            Type::Integer if draft == Draft::Draft4 => Type::IntegerAsWritten,
            it => *it,
        })
    };
    let types: Option<Vec<Type>> = match member.value {
        Value::String(name) => named(name).map(|it| vec![it]),
        Value::Array(names) => names.iter().map(|name| named(name.as_str()?)).collect(),
        _ => None,
    };
    let is_each_once =
        |types: &Vec<Type>| (1..types.len()).all(|it| !types[..it].contains(&types[it]));
    let types = types.filter(|types| !types.is_empty() && is_each_once(types));
    let names = Type::NAMES.map(|(name, _)| name).join(", ");
    types.map_or_else(|| member.is_not(&format!("one or some of {names}")), Ok)
}

/// What is for numbers.
fn numbers<'a>(
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
                return exclusive.is_not("beside what it is of");
            }
            let bound = if is_exclusive == Some(true) {
                exclusive_bound
            } else {
                bound
            };
            keywords.extend(limit.map(|limit| Keyword::Bound(bound, limit)));
        } else {
            let beyond = exclusive.map(Member::number).transpose()?.cloned();
            keywords.extend(limit.map(|limit| Keyword::Bound(bound, limit)));
            keywords.extend(beyond.map(|limit| Keyword::Bound(exclusive_bound, limit)));
        }
    }
    if let Some(member) = owner.get("multipleOf") {
        let unit = member.number()?;
        if order::compare_numbers(unit, &0.into()).is_le() {
            return member.is_not("more than 0");
        }
        keywords.push(Keyword::MultipleOf(unit.clone()));
    }
    Ok(())
}

/// How much there may be of something.
fn counts<'a>(
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
            keywords.push(Keyword::Count(counted, extreme, member.count()?));
        }
    }
    Ok(())
}

/// Which properties there must be.
fn names<'a>(
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

/// What is for texts, and `uniqueItems`.
fn texts<'a>(
    _reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    if let Some(member) = owner.get("pattern") {
        keywords.push(Keyword::Pattern(pattern(member.text()?, &member.path())?));
    }
    if let Some(member) = owner.get("uniqueItems")
        && member.flag()?
    {
        keywords.push(Keyword::UniqueItems);
    }
    Ok(())
}

fn pattern(text: &str, path: &str) -> Result<Pattern, String> {
    Pattern::parse(text).map_err(|why| format!("{path}: {}", short(why)))
}

fn properties<'a>(
    reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    let mut properties = Properties::default();
    if let Some(member) = owner.get("properties") {
        properties.named = reading.named(member)?.into_iter().collect();
    }
    if let Some(member) = owner.get("patternProperties") {
        for (text, id) in reading.named(member)? {
            properties
                .patterns
                .push((pattern(&text, &member.path())?, id));
        }
    }
    if let Some(member) = owner.get("additionalProperties") {
        properties.additional = Some(reading.schema_or_flag(member)?);
    }
    if !properties.is_empty() {
        keywords.push(Keyword::Properties(properties));
    }
    if let Some(member) = owner.since(Draft::Draft6, "propertyNames") {
        keywords.push(Keyword::PropertyNames(reading.schema(member)?));
    }
    Ok(())
}

fn items<'a>(
    reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    let (all, first, rest) = (owner.get("items"), "prefixItems", "additionalItems");
    let by_place = all.filter(|all| all.value.is_array() && owner.draft < Draft::Draft202012);
    let mut items = Items::default();
    if let Some(first) = by_place.or_else(|| owner.since(Draft::Draft202012, first)) {
        items.first = match first.list()? {
            none if none.is_empty() && by_place.is_some() => Vec::new(),
            _ => reading.listed(first)?,
        };
    }
    if by_place.is_some() {
        let rest = owner.get(rest);
        items.rest = rest.map(|it| reading.schema_or_flag(it)).transpose()?;
    } else if let Some(all) = all {
        items.rest = Some(reading.schema(all)?);
    }
    if items.rest.is_some() || !items.first.is_empty() {
        keywords.push(Keyword::Items(items));
    }
    if let Some(member) = owner.since(Draft::Draft6, "contains") {
        let count = |name| owner.since(Draft::Draft201909, name).map(Member::count);
        keywords.push(Keyword::Contains(Contains {
            id: reading.schema(member)?,
            least: count("minContains").transpose()?.unwrap_or(1),
            most: count("maxContains").transpose()?,
            evaluates: owner.draft >= Draft::Draft202012,
        }));
    }
    Ok(())
}

/// What a property brings with it.
fn dependencies<'a>(
    reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    let (mut required, mut schemas) = (Vec::new(), Vec::new());
    let of_names = owner.since(Draft::Draft201909, "dependentRequired");
    for member in of_names.into_iter().chain(owner.get("dependencies")) {
        let is_old = owner
            .get("dependencies")
            .is_some_and(|it| std::ptr::eq(it.value, member.value));
        let inner = Owner {
            members: member.object()?,
            draft: owner.draft,
            path: member.path(),
        };
        for (name, value) in member.each()? {
            let Some(names) = inner.get(name) else {
                continue;
            };
            if is_old && !value.is_array() {
                schemas.push((name.clone(), reading.schema(names)?));
            } else {
                required.push((name.clone(), names.names()?));
            }
        }
    }
    if let Some(member) = owner.since(Draft::Draft201909, "dependentSchemas") {
        schemas.extend(reading.named(member)?);
    }
    if !required.is_empty() {
        keywords.push(Keyword::DependentRequired(required));
    }
    if !schemas.is_empty() {
        keywords.push(Keyword::DependentSchemas(schemas));
    }
    Ok(())
}

/// Schemas of which the same value is one.
fn compositions<'a>(
    reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    for (name, keyword) in [
        ("allOf", Keyword::AllOf as fn(Vec<Id>) -> Keyword),
        ("anyOf", Keyword::AnyOf),
        ("oneOf", Keyword::OneOf),
    ] {
        if let Some(member) = owner.get(name) {
            keywords.push(keyword(reading.listed(member)?));
        }
    }
    if let Some(member) = owner.get("not") {
        keywords.push(Keyword::Not(reading.schema(member)?));
    }
    let mut schema = |name| {
        let member = owner.since(Draft::Draft7, name);
        member.map(|member| reading.schema(member)).transpose()
    };
    let (condition, then, otherwise) = (schema("if")?, schema("then")?, schema("else")?);
    keywords.extend(condition.map(|condition| {
        Keyword::If(If {
            condition,
            then,
            otherwise,
        })
    }));
    Ok(())
}

/// As no schema below the root has a base of its own, the dynamic ones mean what the others mean.
fn references<'a>(
    reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    let recursive = owner.get("$recursiveRef");
    let members = [
        owner.get("$ref"),
        owner.since(Draft::Draft202012, "$dynamicRef"),
        recursive.filter(|_| owner.draft == Draft::Draft201909),
    ];
    for member in members.into_iter().flatten() {
        let text = member.text()?;
        let target = reading.references.target(text)?;
        keywords.push(Keyword::AllOf(vec![reading.id(target, text.to_owned())?]));
    }
    Ok(())
}

fn unevaluated<'a>(
    reading: &mut Reading<'a>,
    owner: &Owner<'a>,
    keywords: &mut Vec<Keyword>,
) -> Result<(), String> {
    for (name, keyword) in [
        (
            "unevaluatedProperties",
            Keyword::UnevaluatedProperties as fn(Id) -> Keyword,
        ),
        ("unevaluatedItems", Keyword::UnevaluatedItems),
    ] {
        if let Some(member) = owner.since(Draft::Draft201909, name) {
            keywords.push(keyword(reading.schema(member)?));
        }
    }
    Ok(())
}
