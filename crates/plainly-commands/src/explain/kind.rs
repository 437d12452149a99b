//! The kinds of plainly's own errors, in `data.kind`. Several kinds share a code.

use plainly::errors::registry::named;
use plainly::errors::{Dialect, ErrorKind, ProtocolError, Revision};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Explanation, coded};

/// The names of the kinds, including those of refusals.
pub(super) const KINDS: [&str; 37] = [
    "malformed",
    "duplicate_id",
    "session_required",
    "session_not_found",
    "not_an_object",
    "missing_meta",
    "unknown_tool",
    "unknown_prompt",
    "unknown_skill",
    "unknown_task",
    "invalid_cursor",
    "invalid_request_state",
    "invalid_input_response",
    "invalid_uri",
    "not_a_collection",
    "resource_too_large",
    "no_such_part",
    "incident",
    "deadline_exceeded",
    "reply_too_large",
    "overloaded",
    "shutting_down",
    "cannot_verify",
    REFUSED,
    "bad_request",
    "unauthorized",
    "insufficient_scope",
    "forbidden_host",
    "forbidden_origin",
    "unknown_path",
    "method_not_allowed",
    "not_acceptable",
    "request_timeout",
    "stream_taken",
    "too_large",
    "unsupported_media_type",
    "too_many_failures",
];
/// The kind of all refusals.
const REFUSED: &str = "refused";

/// The errors of a kind: several if several codes have the kind, none if the word is no kind.
pub(super) fn explain(name: &str, revision: Option<Revision>) -> Vec<Explanation> {
    let errors = errors(name).into_iter();
    errors.map(|error| of_kind(name, error, revision)).collect()
}

fn of_kind(name: &str, error: ErrorKind, revision: Option<Revision>) -> Explanation {
    let latest = revision.unwrap_or(Revision::LATEST);
    let wire = Dialect::default().encode(&ProtocolError::new(error), latest);
    let explained = Explanation {
        given: "kind",
        name: format!("{name} ({})", named(wire.code)),
        message: None,
        hints: Vec::new(),
        ..coded::error(&wire, revision)
    };
    match name {
        REFUSED => Explanation {
            means: "the HTTP request was refused before its body was read; data.refusal says why"
                .to_owned(),
            advice: "explain what data.refusal says, such as forbidden_host".to_owned(),
            ..explained
        },
        _ => explained,
    }
}

/// The errors with this kind or refusal.
fn errors(name: &str) -> Vec<ErrorKind> {
    let data = json!({
        "kind": name, "keys": [], "name": "", "key": "", "uri": "", "size": 0, "limit": 0, "limitMs": 0, "incident": "",
    });
    let refusal = if name == REFUSED { "bad_request" } else { name };
    let refused = json!({ "kind": REFUSED, "refusal": refusal });
    let found = [
        read(&data).map(ErrorKind::InvalidRequest),
        read(&refused).map(ErrorKind::InvalidRequest),
        read(&data).map(ErrorKind::InvalidParams),
        read(&data).map(ErrorKind::Internal),
        read(&data).map(ErrorKind::Unavailable),
    ];
    found.into_iter().flatten().collect()
}

fn read<T: DeserializeOwned>(data: &Value) -> Option<T> {
    T::deserialize(data).ok()
}
