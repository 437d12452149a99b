//! The fields that any result may have, as a client reads them (Base Protocol, "Responses"). A
//! client reads them from the same JSON as the result's own type, in a separate pass; a server adds
//! them when it encodes.

use std::time::Duration;

use plainly_errors::mistake::quoted;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::common::Implementation;
use super::json::Meta;
use super::object::ObjectOnly;
use super::record::record;

/// The member of a result's `_meta` that names the server.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The fields of a result besides its body. All are optional on the wire, so that results of older
/// revisions can be read.
///
/// ```
/// use plainly_protocol::types::{ListToolsResult, ResultFields, ResultType};
///
/// let result = r#"{"resultType":"complete","tools":[],"ttlMs":60000,"cacheScope":"public"}"#;
/// let fields: ResultFields = serde_json::from_str(result)?;
/// assert_eq!(fields.result_type, ResultType::Complete);
/// let body: ListToolsResult = serde_json::from_str(result)?;
/// assert!(body.tools.is_empty());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(from = "ObjectOnly<WireFields>")]
#[non_exhaustive]
pub struct ResultFields {
    /// The kind of result.
    pub result_type: ResultType,
    /// The time that the result may be cached, and the clients that may share it.
    pub cache: CacheHint,
    /// Metadata of the result.
    pub meta: Option<Meta>,
}

impl ResultFields {
    /// The name and version of the server, if it sent them in a valid form.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        let info = self.meta.as_ref()?.get(SERVER_INFO)?;
        // Self-reported and only for display, so an invalid value is no reason to reject the
        // result. `meta` still has its text.
        Implementation::deserialize(info).ok()
    }
}

/// The clients that may be served a cached result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CacheScope {
    /// All clients, because the result does not depend on the client.
    Public,
    /// Only clients with the same authorization as the requester. An unknown scope is read as this
    /// one, because it is the narrowest.
    #[default]
    #[serde(other)]
    Private,
}

/// The time that a result may be cached, and the clients that may share it. By default it is not
/// cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CacheHint {
    /// The time that the result is fresh. On the wire it is in whole milliseconds (`ttlMs`). It may
    /// be as long as a `Duration` can be, so add it to a clock with `checked_add`.
    pub ttl: Duration,
    /// The clients that may share the cached result.
    pub scope: CacheScope,
}

impl CacheHint {
    /// Fresh for `ttl`, within `scope`.
    #[must_use]
    pub const fn new(ttl: Duration, scope: CacheScope) -> Self {
        Self { ttl, scope }
    }
}

/// The kind of a result, which determines its other members.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "String")]
#[non_exhaustive]
pub enum ResultType {
    /// The final result of the method. Also used if the field is absent, as in all revisions before
    /// 2026-07-28.
    #[default]
    Complete,
    /// The server requests input, after which the client must send the request again.
    InputRequired,
    /// The handle of a task in which the server continues (extension
    /// `io.modelcontextprotocol/tasks`).
    Task,
    /// An unknown word. By the specification such a result is invalid, unless an extension defines
    /// the word.
    Unknown(String),
}

impl ResultType {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Complete => "complete",
            Self::InputRequired => "input_required",
            Self::Task => "task",
            Self::Unknown(word) => word,
        }
    }
}

impl From<String> for ResultType {
    fn from(word: String) -> Self {
        match word.as_str() {
            "complete" => Self::Complete,
            "input_required" => Self::InputRequired,
            "task" => Self::Task,
            _ => Self::Unknown(word),
        }
    }
}

record! {
    /// A result without a body: the result of `ping`, `resources/subscribe`,
    /// `resources/unsubscribe`, `tasks/update` and `tasks/cancel`.
    #[derive(Default)]
    pub struct EmptyResult {
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// The empty object.
    pub fn new();
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireFields {
    result_type: Option<ResultType>,
    #[serde(default, deserialize_with = "ttl")]
    ttl_ms: Duration,
    cache_scope: Option<CacheScope>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

impl From<ObjectOnly<WireFields>> for ResultFields {
    fn from(ObjectOnly(wire): ObjectOnly<WireFields>) -> Self {
        Self {
            // All revisions before 2026-07-28 lack it, and their results are always complete.
            result_type: wire.result_type.unwrap_or_default(),
            cache: CacheHint::new(wire.ttl_ms, wire.cache_scope.unwrap_or_default()),
            meta: wire.meta,
        }
    }
}

/// Reads any number, so that an invalid hint does not make the result unreadable: below zero is
/// read as zero, a fraction is dropped, and a number that is too large for 64 bits (or even for a
/// float) means the longest time.
fn ttl<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let Some(raw) = Option::<Box<RawValue>>::deserialize(deserializer)? else {
        return Ok(Duration::ZERO);
    };
    let text = raw.get();
    let millis: f64 = text
        .parse()
        .map_err(|_| D::Error::custom(format_args!("`ttlMs` is not a number: {}", quoted(text))))?;
    // A cast from float to integer saturates.
    Ok(Duration::from_millis(millis as u64))
}
