//! Results that a source knows only as JSON: the members around the body are extracted, everything
//! else is unchanged.

use std::time::Duration;

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::{self, Limits, Object};
use plainly_protocol::meta::SERVER_INFO;
use plainly_protocol::types::{CacheHint, CacheScope, IF_NONE_MATCH, Meta, RawJson, ResultType};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::answer::{Answer, MethodResult};
use crate::failure::Failure;
use crate::features::ACCEPT;

/// The members of an object in order, each as it was written.
pub(super) struct Members(Vec<(String, RawJson)>);

impl Members {
    /// The members of `object`, except for those in `without`.
    pub(super) fn of(object: &Object<'_>, without: &[&str]) -> serde_json::Result<Self> {
        let members = object
            .members()
            .filter(|(name, _)| !without.contains(name))
            .map(|(name, value)| Ok((name.to_owned(), RawJson::parse(value)?)));
        members.collect::<serde_json::Result<_>>().map(Self)
    }

    /// Sets a text member and replaces one with the same name; without a text the member is
    /// removed.
    pub(super) fn set(&mut self, name: &str, text: Option<&str>) {
        self.0.retain(|(other, _)| other != name);
        if let Some(text) = text {
            let value = RawJson::encode(text).expect("text is JSON");
            self.0.push((name.to_owned(), value));
        }
    }

    /// Adds a member.
    pub(super) fn with(mut self, name: &str, value: RawJson) -> Self {
        self.0.push((name.to_owned(), value));
        self
    }

    pub(super) fn to_json(&self) -> RawJson {
        RawJson::encode(self).expect("members are JSON")
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The members of `_meta` about a resource: the requested formats, and the tag of the client's
/// content.
const OF_RESOURCES: [&str; 2] = [ACCEPT, IF_NONE_MATCH];

/// The parameters, without the members of `_meta` that are between this server and its client.
pub(super) fn parameters(params: &Object<'_>) -> serde_json::Result<RawJson> {
    if params.get("_meta").is_none() {
        return RawJson::parse(params.raw());
    }
    let (members, meta) = (Members::of(params, &["_meta"])?, params.meta());
    let kept = OF_RESOURCES
        .iter()
        .filter_map(|name| Some((*name, meta.as_ref()?.get(name)?)));
    let kept = kept.map(|(name, value)| Ok((name.to_owned(), RawJson::parse(value)?)));
    let kept = Members(kept.collect::<serde_json::Result<_>>()?);
    Ok(match kept.0.is_empty() {
        true => members,
        false => members.with("_meta", kept.to_json()),
    }
    .to_json())
}

/// The members around the body of a result.
const SURROUNDINGS: [&str; 4] = ["_meta", "resultType", "ttlMs", "cacheScope"];
/// The members around the body of a result that is a task.
const TASK_SURROUNDINGS: [&str; 2] = ["_meta", "resultType"];

/// Reads `json`, a result, as an answer.
pub(super) fn answer(json: &RawJson) -> Result<Answer, Failure> {
    let object = parse(json.get())?;
    // A task has its own `ttlMs`.
    let is_task = object.get("taskId").is_some();
    let surroundings = if is_task {
        &TASK_SURROUNDINGS[..]
    } else {
        &SURROUNDINGS[..]
    };
    let members = Members::of(&object, surroundings)?;
    let mut meta: Option<Meta> = read(&object, "_meta")?;
    // Removed because the client communicates with this server, whose name is added later.
    if let Some(meta) = &mut meta {
        meta.remove(SERVER_INFO);
    }
    let result_type: Option<ResultType> = read(&object, "resultType")?;
    let mut result = MethodResult::new(members, meta).of_bytes(json.get().len());
    result.result_type = result_type.unwrap_or_default();
    if is_task {
        return Ok(result.into());
    }
    let ttl: Option<u64> = read(&object, "ttlMs")?;
    let scope: Option<CacheScope> = read(&object, "cacheScope")?;
    result.cache = Some(CacheHint::new(
        Duration::from_millis(ttl.unwrap_or_default()),
        scope.unwrap_or_default(),
    ));
    Ok(result.into())
}

/// Parses the object that a source answered with, as strictly as a client's messages, except for
/// its size.
pub(super) fn parse(json: &str) -> Result<Object<'_>, ProtocolError> {
    let mut limits = Limits::default();
    limits.nodes *= 20;
    limits.members_per_object *= 10;
    envelope::parse_object(json, &limits)
        .map_err(|malformed| malformed_result(malformed.to_string()))
}

/// The log gets the fault, because the client did not send a request to the source.
fn malformed_result(why: String) -> ProtocolError {
    ProtocolError::internal("Internal error: a source answered with a malformed result")
        .with_source(why)
}

fn read<'a, T: Deserialize<'a>>(
    object: &Object<'a>,
    name: &str,
) -> Result<Option<T>, ProtocolError> {
    let read = object.get(name).map(serde_json::from_str).transpose();
    read.map_err(|error| malformed_result(format!("{name}: {error}")))
}
