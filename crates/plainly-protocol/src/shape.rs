//! THE table of what results and listings hold in some revisions only, and what becomes of it in the others. The typed
//! results know nothing of this: a server adds and takes away at the boundary, just before it writes.
//!
//! Only what would be invalid by a revision's schema, or useless to its clients, is left out or said differently. What a
//! revision merely doesn't know is sent: its clients ignore it, and those that speak newer revisions too may use it.

mod content;
mod sampling;
mod schema;
mod tools;

use plainly_errors::Revision;
use serde_json::{Map, Value, json};

use crate::meta::SERVER_INFO;
use crate::types::{
    CacheHint, Implementation, JsonObject, ResultType, ServerCapabilities, TASKS_EXTENSION,
};

/// What not every revision has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a new field must be a compile error wherever fields lead somewhere"
)]
pub enum Field {
    /// `resultType` of results.
    ResultType,
    /// `ttlMs` of cacheable results.
    TtlMs,
    /// `cacheScope` of cacheable results.
    CacheScope,
    /// `_meta["io.modelcontextprotocol/serverInfo"]` of results.
    ServerInfo,
    /// Content that is sound.
    Audio,
    /// Content that links to a resource.
    ResourceLink,
    /// `structuredContent` of the results of tools.
    StructuredContent,
    /// `structuredContent` that is not an object.
    StructuredValue,
    /// `outputSchema` of tools.
    OutputSchema,
    /// `outputSchema` of anything but objects.
    OutputValueSchema,
    /// `true` or `false` as the schema of an argument.
    BooleanSchema,
    /// The capability `completions`. The method is older, and can be called undeclared before.
    Completions,
    /// The capability `extensions`.
    Extensions,
    /// The capability `tasks`.
    Tasks,
    /// `annotations` of tools.
    ToolAnnotations,
    /// `message` of progress.
    ProgressMessage,
    /// `title` of whatever has a name.
    Title,
    /// `_meta` of whatever is listed, and of content.
    Meta,
    /// `lastModified` of annotations.
    LastModified,
    /// `icons` of whatever is listed, and of implementations.
    Icons,
    /// `description` and `websiteUrl` of implementations.
    About,
}

/// What is known of one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The field.
    pub field: Field,
    /// What it is, for people.
    pub name: &'static str,
    /// The first revision that has it.
    pub first: Option<Revision>,
    /// The last revision that has it.
    pub last: Option<Revision>,
    /// What becomes of it in the others.
    pub elsewhere: Elsewhere,
}

/// What becomes of a field in a revision that doesn't have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is nothing else to do")]
pub enum Elsewhere {
    /// It is not sent.
    LeftOut,
    /// What it says is said in a form that the revision has.
    Rewritten,
    /// It is sent, since what is unknown is ignored.
    Sent,
}

const AUDIO: Option<Revision> = Some(Revision::V2025_03_26);
const STRUCTURED: Option<Revision> = Some(Revision::V2025_06_18);
const ICONS: Option<Revision> = Some(Revision::V2025_11_25);
const MODERN: Option<Revision> = Some(Revision::V2026_07_28);

const LEFT_OUT: Row = Row {
    field: Field::ResultType,
    name: "",
    first: MODERN,
    last: None,
    elsewhere: Elsewhere::LeftOut,
};
const REWRITTEN: Row = Row {
    elsewhere: Elsewhere::Rewritten,
    ..LEFT_OUT
};
const SENT: Row = Row {
    elsewhere: Elsewhere::Sent,
    ..LEFT_OUT
};

/// In the order of [`Field`], so that a field finds its row by position.
#[rustfmt::skip]
static FIELDS: [Row; 21] = [
    Row { field: Field::ResultType, name: "`resultType` of results", ..LEFT_OUT },
    Row { field: Field::TtlMs, name: "`ttlMs` of cacheable results", ..LEFT_OUT },
    Row { field: Field::CacheScope, name: "`cacheScope` of cacheable results", ..LEFT_OUT },
    Row { field: Field::ServerInfo, name: "`serverInfo` in the `_meta` of results", ..LEFT_OUT },
    Row { field: Field::Audio, name: "content of type `audio`", first: AUDIO, ..REWRITTEN },
    Row { field: Field::ResourceLink, name: "content of type `resource_link`", first: STRUCTURED, ..REWRITTEN },
    Row { field: Field::StructuredContent, name: "`structuredContent` that is an object", first: STRUCTURED, ..REWRITTEN },
    Row { field: Field::StructuredValue, name: "`structuredContent` that is anything else", ..REWRITTEN },
    Row { field: Field::OutputSchema, name: "`outputSchema` of objects", first: STRUCTURED, ..LEFT_OUT },
    Row { field: Field::OutputValueSchema, name: "`outputSchema` of anything else", ..LEFT_OUT },
    Row { field: Field::BooleanSchema, name: "`true` and `false` as the schema of an argument", ..REWRITTEN },
    Row { field: Field::Completions, name: "the capability `completions`", first: AUDIO, ..LEFT_OUT },
    Row { field: Field::Extensions, name: "the capability `extensions`", ..REWRITTEN },
    Row { field: Field::Tasks, name: "the capability `tasks`", first: ICONS, last: ICONS, ..LEFT_OUT },
    Row { field: Field::ToolAnnotations, name: "`annotations` of tools", first: AUDIO, ..SENT },
    Row { field: Field::ProgressMessage, name: "`message` of progress", first: AUDIO, ..SENT },
    Row { field: Field::Title, name: "`title` of what has a name", first: STRUCTURED, ..SENT },
    Row { field: Field::Meta, name: "`_meta` of what is listed and of content", first: STRUCTURED, ..SENT },
    Row { field: Field::LastModified, name: "`lastModified` of annotations", first: STRUCTURED, ..SENT },
    Row { field: Field::Icons, name: "`icons`", first: ICONS, ..SENT },
    Row { field: Field::About, name: "`description` and `websiteUrl` of client and server", first: ICONS, ..SENT },
];

/// Every row.
pub fn fields() -> &'static [Row] {
    &FIELDS
}

impl Field {
    /// What is known of it.
    pub fn row(self) -> &'static Row {
        &FIELDS[self as usize]
    }

    /// Whether `revision` has it.
    pub fn is_in(self, revision: Revision) -> bool {
        let row = self.row();
        revision.within(row.first, row.last)
    }
}

/// What can be brought into the shape that a revision has for it, losing nothing that can be said there.
pub trait Shape {
    /// Leaves out or rewrites what `revision` does not have. Free for the newest.
    fn shape(&mut self, revision: Revision);
}

impl Shape for ServerCapabilities {
    /// Extensions become unstandardised capabilities; one that is declared as such already stays as it is.
    fn shape(&mut self, revision: Revision) {
        if !Field::Completions.is_in(revision) {
            self.completions = None;
        }
        if !Field::Tasks.is_in(revision) {
            self.tasks = None;
        }
        if !Field::Extensions.is_in(revision)
            && let Some(mut extensions) = self.extensions.take()
        {
            // Its methods do not exist there.
            extensions.remove(TASKS_EXTENSION);
            let experimental = self.experimental.get_or_insert_with(JsonObject::new);
            for (name, settings) in Map::from(extensions) {
                experimental.entry(name).or_insert(settings);
            }
        }
    }
}

/// What a result has besides its body.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Surroundings {
    /// Members of the result.
    pub members: Map<String, Value>,
    /// Members of its `_meta`.
    pub meta: Map<String, Value>,
}

/// What a result of this type has besides its body in `revision`; `cache` where it is a cacheable one.
pub fn surroundings(
    revision: Revision,
    result_type: &ResultType,
    cache: Option<CacheHint>,
    server: &Implementation,
) -> Surroundings {
    let mut around = Surroundings::default();
    let mut add = |field: Field, name: &str, value: Value| {
        if field.is_in(revision) {
            around.members.insert(name.to_owned(), value);
        }
    };
    add(Field::ResultType, "resultType", json!(result_type.as_str()));
    if let Some(hint) = cache {
        let millis = u64::try_from(hint.ttl.as_millis()).unwrap_or(u64::MAX);
        add(Field::TtlMs, "ttlMs", json!(millis));
        add(Field::CacheScope, "cacheScope", json!(hint.scope));
    }
    if Field::ServerInfo.is_in(revision) {
        around.meta.insert(SERVER_INFO.to_owned(), json!(server));
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_finds_its_own_row() {
        for (position, row) in fields().iter().enumerate() {
            assert_eq!(row.field as usize, position, "{}", row.name);
            assert_eq!(row.field.row(), row);
        }
    }

    #[test]
    fn capabilities_are_declared_where_there_are_such_capabilities() {
        let named = |name: &str, value| JsonObject::from_iter([(name, json!({ "is": value }))]);
        let mut all = ServerCapabilities::new()
            .completions(JsonObject::new())
            .tasks(JsonObject::new())
            .extensions(named("a", 1));
        all.extensions
            .as_mut()
            .unwrap()
            .insert("b".to_owned(), json!({}));
        let all = all.experimental(named("a", 0));
        for revision in Revision::ALL {
            let mut declared = all.clone();
            declared.shape(revision);
            let has = |field: Field| field.is_in(revision);
            assert_eq!(declared.completions.is_some(), has(Field::Completions));
            assert_eq!(declared.tasks.is_some(), has(Field::Tasks));
            assert_eq!(declared.extensions.is_some(), has(Field::Extensions));
            let experimental = match has(Field::Extensions) {
                true => json!({"a": {"is": 0}}),
                false => json!({"a": {"is": 0}, "b": {}}),
            };
            assert_eq!(json!(declared.experimental), experimental);
        }
    }

    #[test]
    fn older_revisions_get_the_bare_result() {
        let server = Implementation::new("s", "1");
        for revision in Revision::ALL {
            let around = surroundings(
                revision,
                &ResultType::Complete,
                Some(CacheHint::default()),
                &server,
            );
            assert_eq!(
                around == Surroundings::default(),
                revision != Revision::V2026_07_28
            );
        }
    }

    #[test]
    fn the_newest_revision_has_all_fields_and_hints_only_where_cacheable() {
        let server = Implementation::new("s", "1");
        let around = surroundings(
            Revision::V2026_07_28,
            &ResultType::Complete,
            Some(CacheHint::default()),
            &server,
        );
        let members = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
        assert_eq!(Value::Object(around.members), members);
        let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}});
        assert_eq!(Value::Object(around.meta), meta);
        let plain = surroundings(Revision::V2026_07_28, &ResultType::Complete, None, &server);
        assert_eq!(
            Value::Object(plain.members),
            json!({"resultType": "complete"})
        );
    }
}
