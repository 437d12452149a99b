//! THE table of result fields that exist from or until a revision, and what they add to a result. The typed results hold
//! none of them: a server prepares them once and appends them.

use plainly_errors::Revision;
use serde_json::{Map, Value, json};

use crate::meta::SERVER_INFO;
use crate::types::{CacheHint, Implementation, ResultType, ServerCapabilities};

/// A field that a result has besides its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// `resultType`.
    ResultType,
    /// `ttlMs`, on cacheable results.
    TtlMs,
    /// `cacheScope`, on cacheable results.
    CacheScope,
    /// `_meta["io.modelcontextprotocol/serverInfo"]`.
    ServerInfo,
}

/// Each field with the first and the last revision that has it.
pub static FIELDS: [(Field, Option<Revision>, Option<Revision>); 4] = [
    (Field::ResultType, Some(Revision::V2026_07_28), None),
    (Field::TtlMs, Some(Revision::V2026_07_28), None),
    (Field::CacheScope, Some(Revision::V2026_07_28), None),
    (Field::ServerInfo, Some(Revision::V2026_07_28), None),
];

/// The first revision in which servers declare `completions`. The method is older, and can be called undeclared before.
const COMPLETIONS: Option<Revision> = Some(Revision::V2025_03_26);

/// What of its capabilities a server declares in `revision`.
#[must_use]
pub fn declared(revision: Revision, mut capabilities: ServerCapabilities) -> ServerCapabilities {
    if !revision.within(COMPLETIONS, None) {
        capabilities.completions = None;
    }
    capabilities
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
    for (field, ..) in FIELDS
        .iter()
        .filter(|(_, first, last)| revision.within(*first, *last))
    {
        match (field, cache) {
            (Field::ResultType, _) => {
                around
                    .members
                    .insert("resultType".to_owned(), json!(result_type.as_str()));
            }
            (Field::TtlMs, Some(hint)) => {
                let millis = u64::try_from(hint.ttl.as_millis()).unwrap_or(u64::MAX);
                around.members.insert("ttlMs".to_owned(), json!(millis));
            }
            (Field::CacheScope, Some(hint)) => {
                around
                    .members
                    .insert("cacheScope".to_owned(), json!(hint.scope));
            }
            (Field::ServerInfo, _) => {
                around.meta.insert(SERVER_INFO.to_owned(), json!(server));
            }
            (Field::TtlMs | Field::CacheScope, None) => {}
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::JsonObject;

    #[test]
    fn completions_are_declared_since_there_is_such_a_capability() {
        let capabilities = ServerCapabilities::new().completions(JsonObject::new());
        for revision in Revision::ALL {
            let declared = declared(revision, capabilities.clone()).completions;
            assert_eq!(declared.is_none(), revision == Revision::V2024_11_05);
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
