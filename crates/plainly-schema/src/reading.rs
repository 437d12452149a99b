//! Parses a schema into its keywords, in the same order for all drafts. It knows where a schema
//! contains schemas, and which schemas are invalid; it does not validate values.

mod applying;
mod asserting;

use std::collections::HashMap;

use serde_json::Value;

use super::assertion::Assertion;
use super::draft::Draft;
use super::keyword::{Id, Keyword, Node};
use super::member::{Member, Owner};
use super::reference::References;
use super::sentence::short;

/// The subschemas of `root`, the root first. Fails if there are more than `most`, or if one refers
/// outside the schema.
pub(super) fn read(root: &Value, most: usize, absence: Absence) -> Result<Vec<Node>, String> {
    let draft = Draft::of(root)?;
    let mut reading = SchemaReader {
        root,
        draft,
        absence,
        references: References::of(root, draft),
        ids: HashMap::new(),
        nodes: Vec::new(),
        waiting: Vec::new(),
        keywords: Vec::new(),
    };
    reading.id(root, String::new())?;
    // A list of remaining work instead of recursion, because references may form cycles.
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

/// The ways in which a property can be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absence {
    /// A property is absent only if it is missing.
    Strict,
    /// A property is also absent if it is `null`, unless it is required.
    ByNull,
}

struct SchemaReader<'a> {
    root: &'a Value,
    draft: Draft,
    absence: Absence,
    references: References<'a>,
    /// The numbers of schemas, by their address in memory.
    ids: HashMap<usize, Id>,
    nodes: Vec<Node>,
    /// The schemas to parse, with their paths.
    waiting: Vec<(Id, &'a Value, String)>,
    /// The keywords found so far in the subschema that is being read.
    keywords: Vec<Keyword>,
}

impl<'a> SchemaReader<'a> {
    /// The number of the subschema `schema` at `path`.
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
        // By the address in memory, so that a schema is parsed once, however many references lead
        // to it.
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
            let nothing = (*schema == false).then_some(Keyword::Assertion(Assertion::Nothing));
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
        // In the order of validation: failures that explain others come first, and unevaluated
        // members are known last.
        self.annotations(&owner)?;
        self.kinds(&owner)?;
        self.numbers(&owner)?;
        self.counts(&owner)?;
        self.names(&owner)?;
        self.texts(&owner)?;
        self.properties(&owner)?;
        self.items(&owner)?;
        self.dependencies(&owner)?;
        self.compositions(&owner)?;
        self.references(&owner)?;
        self.unevaluated(&owner)?;
        if self.draft.has_lone_references() && owner.get("$ref").is_some() {
            // The other keywords are parsed nevertheless, because an invalid schema is rejected
            // wherever it is.
            self.keywords.clear();
            self.references(&owner)?;
        }
        Ok(std::mem::take(&mut self.keywords))
    }

    fn add(&mut self, keyword: impl Into<Keyword>) {
        self.keywords.push(keyword.into());
    }

    fn schema(&mut self, member: Member<'_, 'a>) -> Result<Id, String> {
        self.id(member.value, member.path())
    }

    /// A schema that in draft 4 may also be true or false.
    fn schema_or_flag(&mut self, member: Member<'_, 'a>) -> Result<Id, String> {
        match member.value.is_boolean() {
            true => Ok(self.id_of(member.value, member.path())),
            false => self.schema(member),
        }
    }

    fn listed(&mut self, member: Member<'_, 'a>) -> Result<Vec<Id>, String> {
        let schemas = member.filled_list()?.iter().enumerate();
        schemas
            .map(|(place, schema)| self.id(schema, format!("{}/{place}", member.path())))
            .collect()
    }

    fn named(&mut self, member: Member<'_, 'a>) -> Result<Vec<(String, Id)>, String> {
        let object = member.object()?;
        let schemas = object.each();
        schemas
            .map(|(name, schema)| Ok((name.clone(), self.schema(schema)?)))
            .collect()
    }
}

/// Rejects a schema with its own base, because references inside it would have another meaning.
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
