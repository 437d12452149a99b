//! THE table of result fields that exist from or until a revision, and the text that they add to a result. The typed
//! results hold none of them: a server prepares the text once and appends it.

use plainly_errors::Revision;
use serde_json::{Map, Value, json};

use crate::meta::SERVER_INFO;
use crate::types::{CacheHint, Implementation};

/// A field that any result has, or any cacheable one, besides its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// Its name on the wire; within `_meta` for the server's introduction.
    pub name: &'static str,
    /// The first revision that has it.
    pub first: Revision,
    /// Whether only cacheable results have it.
    pub cacheable_only: bool,
}

/// Every field, in the order in which they are written.
pub static FIELDS: [Field; 4] = [
    Field { name: "resultType", first: Revision::V2026_07_28, cacheable_only: false },
    Field { name: "ttlMs", first: Revision::V2026_07_28, cacheable_only: true },
    Field { name: "cacheScope", first: Revision::V2026_07_28, cacheable_only: true },
    Field { name: SERVER_INFO, first: Revision::V2026_07_28, cacheable_only: false },
];

/// What a complete result of `revision` has besides its body: members to append, and members of `_meta`.
pub fn surroundings(
    revision: Revision,
    cache: Option<CacheHint>,
    server: &Implementation,
) -> (Map<String, Value>, Map<String, Value>) {
    let (mut members, mut meta) = (Map::new(), Map::new());
    let fields = FIELDS.iter().filter(|field| revision.within(Some(field.first), None));
    for field in fields {
        match (field.name, cache) {
            ("resultType", _) => _ = members.insert(field.name.to_owned(), json!("complete")),
            ("ttlMs", Some(hint)) => _ = members.insert(field.name.to_owned(), json!(hint.ttl_millis())),
            ("cacheScope", Some(hint)) => _ = members.insert(field.name.to_owned(), json!(hint.scope)),
            (SERVER_INFO, _) => _ = meta.insert(field.name.to_owned(), json!(server)),
            _ => {}
        }
    }
    (members, meta)
}
