//! The table of features of results and listings that only some revisions have, and how each is
//! handled in the others. The typed results know nothing of it: a server adds and removes features
//! just before it writes.
//!
//! A feature is left out or rewritten only if it would be invalid by a revision's schema or useless
//! to its clients. A feature that a revision merely doesn't know is sent: its clients ignore it,
//! and clients that also speak newer revisions may use it.

mod content;
mod resource;
mod tools;

use plainly_errors::Revision;
use plainly_errors::revision::Revisions;
use serde_json::{Map, Value, json};

pub use self::resource::Restore;
use crate::meta::SERVER_INFO;
use crate::types::{
    CacheHint, ClientCapabilities, Implementation, JsonObject, ResultType, ServerCapabilities,
    TASKS_EXTENSION,
};

/// The facts about one feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeatureRow {
    /// The feature.
    pub feature: Feature,
    /// The display name of the feature.
    pub name: &'static str,
    /// The revisions that have the feature.
    pub revisions: Revisions,
    /// The handling of the feature in the other revisions.
    pub elsewhere: Elsewhere,
}

/// The handling of a feature in a revision that does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there is nothing else to do")]
pub enum Elsewhere {
    /// The feature is not sent.
    LeftOut,
    /// The feature is rewritten in a form that the revision has.
    Rewritten,
    /// The feature is sent, because receivers ignore unknown members.
    Sent,
}

// The revisions that have each feature, oldest first.
const AUDIO: Revisions = Revisions([false, true, true, true, true]);
const STRUCTURED: Revisions = Revisions([false, false, true, true, true]);
const ICONS: Revisions = Revisions([false, false, false, true, true]);
/// The next revision has tasks as an extension.
const TASKS: Revisions = Revisions([false, false, false, true, false]);

const LEFT_OUT: FeatureRow = FeatureRow {
    feature: Feature::ResultType,
    name: "",
    revisions: Revisions::MODERN,
    elsewhere: Elsewhere::LeftOut,
};
const REWRITTEN: FeatureRow = FeatureRow {
    elsewhere: Elsewhere::Rewritten,
    ..LEFT_OUT
};
const SENT: FeatureRow = FeatureRow {
    elsewhere: Elsewhere::Sent,
    ..LEFT_OUT
};

/// Declares the enum and its table from the same rows, so that neither can have a row that the
/// other lacks.
macro_rules! features {
    ($(#[doc = $what:literal] $feature:ident = $name:literal { $($facts:tt)* })+) => {
        /// A field or kind of content that not every revision has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(
            clippy::exhaustive_enums,
            reason = "a new feature must be a compile error wherever features lead somewhere"
        )]
        pub enum Feature {
            $(#[doc = $what] $feature,)+
        }

        /// In the order of [`Feature`], so that a feature can find its row by index.
        static FEATURES: &[FeatureRow] = &[
            $(FeatureRow { feature: Feature::$feature, name: $name, $($facts)* },)+
        ];
    };
}

features! {
    /// `resultType` of results.
    ResultType = "`resultType` of results" { ..LEFT_OUT }
    /// `ttlMs` of cacheable results.
    TtlMs = "`ttlMs` of cacheable results" { ..LEFT_OUT }
    /// `cacheScope` of cacheable results.
    CacheScope = "`cacheScope` of cacheable results" { ..LEFT_OUT }
    /// `_meta["io.modelcontextprotocol/serverInfo"]` of results.
    ServerInfo = "`serverInfo` in the `_meta` of results" { ..LEFT_OUT }
    /// Content of type `audio`.
    Audio = "content of type `audio`" { revisions: AUDIO, ..REWRITTEN }
    /// Content of type `resource_link`.
    ResourceLink = "content of type `resource_link`" { revisions: STRUCTURED, ..REWRITTEN }
    /// `structuredContent` of tool results.
    StructuredContent = "`structuredContent` that is an object" { revisions: STRUCTURED, ..REWRITTEN }
    /// `structuredContent` that is not an object.
    StructuredValue = "`structuredContent` that is anything else" { ..REWRITTEN }
    /// `outputSchema` of tools.
    OutputSchema = "`outputSchema` of objects" { revisions: STRUCTURED, ..LEFT_OUT }
    /// `outputSchema` of other values than objects.
    OutputValueSchema = "`outputSchema` of anything else" { ..LEFT_OUT }
    /// `true` or `false` as the schema of an argument.
    BooleanSchema = "`true` and `false` as the schema of an argument" { ..REWRITTEN }
    /// The capability `completions`. The method is older, so clients may call it undeclared.
    Completions = "the capability `completions`" { revisions: AUDIO, ..LEFT_OUT }
    /// The capability `extensions`.
    Extensions = "the capability `extensions`" { ..REWRITTEN }
    /// The capability `tasks`.
    Tasks = "the capability `tasks`" { revisions: TASKS, ..LEFT_OUT }
    /// `annotations` of tools.
    ToolAnnotations = "`annotations` of tools" { revisions: AUDIO, ..SENT }
    /// `message` of progress.
    ProgressMessage = "`message` of progress" { revisions: AUDIO, ..SENT }
    /// `title` of all types with a name.
    Title = "`title` of what has a name" { revisions: STRUCTURED, ..SENT }
    /// `_meta` of listed items and of content.
    Meta = "`_meta` of what is listed and of content" { revisions: STRUCTURED, ..SENT }
    /// `lastModified` of annotations.
    LastModified = "`lastModified` of annotations" { revisions: STRUCTURED, ..SENT }
    /// `icons` of listed items and of implementations.
    Icons = "`icons`" { revisions: ICONS, ..SENT }
    /// `description` and `websiteUrl` of implementations.
    About = "`description` and `websiteUrl` of client and server" { revisions: ICONS, ..SENT }
}

/// All rows.
pub fn features() -> &'static [FeatureRow] {
    FEATURES
}

impl Feature {
    /// The facts about the feature.
    pub fn row(self) -> &'static FeatureRow {
        &FEATURES[self as usize]
    }

    /// Whether `revision` has the feature.
    pub fn is_in(self, revision: Revision) -> bool {
        self.row().revisions.has(revision)
    }
}

/// A result or a definition that can be rewritten for a revision without losing anything that the
/// revision has.
pub trait Shape {
    /// Leaves out or rewrites everything that `revision` does not have. Does nothing for the
    /// newest.
    fn shape(&mut self, revision: Revision);
}

impl Shape for ServerCapabilities {
    /// Declares extensions among the experimental capabilities too, if the revision's schema has no
    /// extensions, because hosts look for some in one place and for others in the other. An
    /// extension that is already declared as experimental stays unchanged.
    fn shape(&mut self, revision: Revision) {
        if !Feature::Completions.is_in(revision) {
            self.completions = None;
        }
        if !Feature::Tasks.is_in(revision) {
            self.tasks = None;
        }
        if !Feature::Extensions.is_in(revision)
            && let Some(extensions) = &mut self.extensions
        {
            // The methods of the extension do not exist in this revision.
            extensions.remove(TASKS_EXTENSION);
            also_experimental(extensions, &mut self.experimental);
            self.extensions.take_if(|extensions| extensions.is_empty());
        }
    }
}

impl Shape for ClientCapabilities {
    /// Declares extensions among the experimental capabilities too, as a server does.
    fn shape(&mut self, revision: Revision) {
        if !Feature::Extensions.is_in(revision)
            && let Some(extensions) = &self.extensions
        {
            also_experimental(extensions, &mut self.experimental);
        }
    }
}

/// Adds extensions to the experimental capabilities.
fn also_experimental(extensions: &JsonObject, experimental: &mut Option<JsonObject>) {
    let experimental = experimental.get_or_insert_with(JsonObject::new);
    for (name, settings) in Map::from(extensions.clone()) {
        experimental.entry(name).or_insert(settings);
    }
}

/// The members of a result in addition to its body.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Surroundings {
    /// Members of the result.
    pub members: Map<String, Value>,
    /// Members of the result's `_meta`.
    pub meta: Map<String, Value>,
}

/// The members that a result of this type has in `revision` in addition to its body. `cache` is the
/// hint of a cacheable result.
pub fn surroundings(
    revision: Revision,
    result_type: &ResultType,
    cache: Option<CacheHint>,
    server: &Implementation,
) -> Surroundings {
    let mut around = Surroundings::default();
    let mut add = |field: Feature, name: &str, value: Value| {
        // Absent rather than null, because older schemas do not have the member at all.
        if field.is_in(revision) {
            around.members.insert(name.to_owned(), value);
        }
    };
    add(
        Feature::ResultType,
        "resultType",
        json!(result_type.as_str()),
    );
    if let Some(hint) = cache {
        // A duration that is too long for the wire becomes the longest one possible there.
        let millis = u64::try_from(hint.ttl.as_millis()).unwrap_or(u64::MAX);
        add(Feature::TtlMs, "ttlMs", json!(millis));
        add(Feature::CacheScope, "cacheScope", json!(hint.scope));
    }
    if Feature::ServerInfo.is_in(revision) {
        around.meta.insert(SERVER_INFO.to_owned(), json!(server));
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let has = |field: Feature| field.is_in(revision);
            assert_eq!(declared.completions.is_some(), has(Feature::Completions));
            assert_eq!(declared.tasks.is_some(), has(Feature::Tasks));
            assert_eq!(declared.extensions, all.extensions);
            let experimental = match has(Feature::Extensions) {
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
