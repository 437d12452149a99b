//! Reads received messages and the replies to calls: the request that a message answers, and the
//! result. Knows messages, but not how they arrived.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;
use plainly_errors::{AnsweredRequest, Certainty, InvalidParams, ProtocolError, WireError};
use plainly_protocol::envelope::{
    self, Envelope, MalformedKind, MalformedMessage, Message, Object, Outcome,
};
use plainly_protocol::id::{RawId, RequestId};
use plainly_protocol::method::Method;
use plainly_protocol::types::{ResultFields, ResultType};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::cache::{Fetch, is_not_modified};
use crate::error::mistakes;
use crate::error::status::HttpStatus;
use crate::error::{Error, LocalError};

/// The most bytes that are shown of data that is not a message.
const BEGINNING: usize = 80;

/// Replaces absent parameters.
const NO_PARAMS: Bytes = Bytes::from_static(b"{}");

/// One message from the server.
#[derive(Debug)]
pub(crate) enum ServerMessage {
    /// An answer to a request of this client.
    Reply {
        /// The request's id; `None` if the server couldn't read it.
        id: Option<RequestId>,
        /// The answer.
        reply: CallReply,
    },
    /// A request to this client.
    Request(ServerRequest),
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// The parameters: JSON.
        params: Bytes,
    },
    /// Data that is no message, and has no id of a request that it might answer.
    NoMessage {
        /// The reason why it can't be read.
        why: String,
    },
}

/// A request of the server's.
#[derive(Debug)]
pub(crate) struct ServerRequest {
    /// The id to answer with, as raw JSON.
    pub(crate) raw_id: String,
    pub(crate) id: RequestId,
    /// The method, or the reason why this is no valid request.
    pub(crate) method: Result<String, ProtocolError>,
    /// The parameters: JSON.
    pub(crate) params: Bytes,
}

/// The answer to a request, not parsed yet.
#[derive(Debug)]
pub(crate) enum CallReply {
    /// The `result`: JSON.
    Result(Bytes),
    /// The `error`: JSON, and the HTTP status of the response unless that is a success.
    Error(Bytes, Option<Box<HttpStatus>>),
    /// An answer to the request that violates JSON-RPC or this client's limits.
    Malformed(String),
}

/// A result, and the fields that all results have.
#[derive(Debug)]
pub(crate) struct TypedResult<T> {
    pub(crate) body: T,
    pub(crate) fields: ResultFields,
}

/// A result that is not parsed yet, except for the fields that all results have.
#[derive(Debug)]
pub(crate) struct RawResult {
    pub(crate) json: Bytes,
    pub(crate) fields: ResultFields,
    /// The cache lookup of its call, if the result may be cached.
    pub(crate) kept: Option<Box<Fetch>>,
    /// Whether it came from the cache.
    pub(crate) is_cached: bool,
}

/// Reads the final result of a call.
pub(crate) type ResultReader<T> = dyn Fn(RawResult) -> Result<T, Error> + Send + Sync;

/// The messages in `bytes`: one, or several in a batch (2025-03-26).
pub(crate) fn read(bytes: &Bytes) -> Vec<ServerMessage> {
    match envelope::parse(bytes, &limits()) {
        Ok(Envelope::Single(message)) => vec![incoming(bytes, Ok(message))],
        Ok(Envelope::Batch(batch)) => batch
            .into_iter()
            .map(|message| incoming(bytes, message))
            .collect(),
        Err(malformed) => vec![incoming(bytes, Err(malformed))],
    }
}

/// The limits are as strict as a server's except for size: a listing of 32 MiB has more nodes than
/// any request.
fn limits() -> envelope::Limits {
    let mut limits = envelope::Limits::default();
    limits.nodes *= 20;
    limits.members_per_object *= 10;
    limits
}

fn incoming(bytes: &Bytes, message: Result<Message<'_>, MalformedMessage<'_>>) -> ServerMessage {
    match message {
        Ok(Message::Response(response)) => ServerMessage::Reply {
            id: response.id.map(own_id),
            reply: match response.outcome {
                Outcome::Result(json) => CallReply::Result(bytes.slice_ref(json.as_bytes())),
                Outcome::Error(json) => CallReply::Error(bytes.slice_ref(json.as_bytes()), None),
            },
        },
        Ok(Message::Request(request)) => ServerMessage::Request(ServerRequest {
            raw_id: request.id.as_raw().to_owned(),
            id: request.id.to_owned(),
            params: raw(bytes, request.params),
            method: Ok(request.method.into_owned()),
        }),
        Ok(Message::Notification(notification)) => ServerMessage::Notification {
            params: raw(bytes, notification.params),
            method: notification.method.into_owned(),
        },
        Err(malformed) => match &malformed.id {
            // The server waits for an answer.
            Some(id) if malformed.asks => ServerMessage::Request(ServerRequest {
                raw_id: id.as_raw().to_owned(),
                id: id.to_owned(),
                params: NO_PARAMS,
                method: Err(refusal(&malformed)),
            }),
            // The call with this id can fail now, instead of when it times out.
            Some(id) => ServerMessage::Reply {
                id: Some(own_id(*id)),
                reply: CallReply::Malformed(malformed.to_string()),
            },
            None => ServerMessage::NoMessage {
                why: malformed.to_string(),
            },
        },
    }
}

/// The id of a reply.
fn own_id(id: RawId<'_>) -> RequestId {
    let id = id.to_owned();
    let own = unquoted(id.clone());
    if own != id {
        tracing::warn!(
            "the server answers with ids in quotes, and they were sent without: taken as numbers"
        );
    }
    own
}

/// The id of a request of this client that the server names so. This client's ids are integers, so
/// an integer in quotes can only mean that integer.
pub(crate) fn unquoted(id: RequestId) -> RequestId {
    let number = match &id {
        RequestId::String(text) => text.parse().ok(),
        RequestId::Integer(_) => None,
    };
    number.map_or(id, RequestId::Integer)
}

/// The error for a malformed request.
fn refusal(malformed: &MalformedMessage<'_>) -> ProtocolError {
    match malformed.kind {
        MalformedKind::InvalidParams => ProtocolError::from(InvalidParams::NotAnObject)
            .with_message(format!("Invalid params: {malformed}")),
        MalformedKind::InvalidRequest | MalformedKind::Parse => {
            ProtocolError::invalid_request(format!("Invalid request: {malformed}"))
        }
    }
}

fn raw(bytes: &Bytes, params: Option<Object<'_>>) -> Bytes {
    params.map_or(NO_PARAMS, |params| bytes.slice_ref(params.raw().as_bytes()))
}

/// Describes a reply with this id to the callers that wait for another reply.
pub(crate) fn reply_to_nobody(id: &RequestId) -> String {
    format!("a reply with the id {id}, which no open request has,")
}

/// The beginning of a text that is not a message, for display.
pub(crate) fn beginning(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text.get(..BEGINNING).unwrap_or(text))
}

impl ServerMessage {
    /// A description, for callers that wait for a reply; `None` if such a message may come before
    /// the reply. `text` is its source.
    pub(crate) fn instead(&self, text: &[u8]) -> Option<String> {
        match self {
            Self::Reply { id: Some(id), .. } => Some(reply_to_nobody(id)),
            Self::NoMessage { .. } => {
                let text = beginning(text);
                Some(format!("{text:?}, which is not a message,"))
            }
            Self::Reply { id: None, .. } | Self::Request(_) | Self::Notification { .. } => None,
        }
    }
}

impl CallReply {
    /// The HTTP status of the response, unless that is a success.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Error(_, status) => status.as_ref().map(|status| status.code),
            Self::Result(_) | Self::Malformed(_) => None,
        }
    }

    /// Whether the server does not know `method`, which was called.
    #[cfg(feature = "http")]
    pub(crate) fn is_method_not_found(&self, method: Method) -> bool {
        let result = self.result(method, &(), Certainty::Certain);
        result.is_err_and(|error| error.is_method_not_found())
    }

    /// Reads the result of a call of `method` with these parameters.
    pub(crate) fn decode<T: DeserializeOwned>(
        &self,
        method: Method,
        params: &impl Serialize,
        least: Certainty,
    ) -> Result<TypedResult<T>, Error> {
        self.result(method, params, least)?.decode(method)
    }

    /// The result, whatever its `resultType`. The meaning of an error is recognised if it is at
    /// least as certain as `least`.
    pub(crate) fn result(
        &self,
        method: Method,
        params: &impl Serialize,
        least: Certainty,
    ) -> Result<RawResult, Error> {
        let name = method.name();
        match self {
            Self::Result(json) => RawResult::read(method, json.clone()),
            Self::Error(json, status) => {
                let subject = subject(method, params);
                Err(error(
                    json,
                    status.as_deref(),
                    name,
                    subject.as_deref(),
                    least,
                ))
            }
            Self::Malformed(why) => Err(Error::invalid_response(name, why)),
        }
    }
}

impl RawResult {
    /// Reads the fields that all results have.
    pub(crate) fn read(method: Method, json: Bytes) -> Result<Self, Error> {
        Ok(Self {
            fields: read_result(method, &json)?,
            json,
            kept: None,
            is_cached: false,
        })
    }

    /// Reads a cached result of a call.
    pub(crate) fn kept(
        method: Method,
        json: Bytes,
        kept: Option<Box<Fetch>>,
    ) -> Result<Self, Error> {
        let read = Self::read(method, json)?;
        let is_cached = true;
        Ok(Self {
            kept,
            is_cached,
            ..read
        })
    }

    /// Caches the result of the call, if it may be cached.
    pub(crate) fn keep_for(mut self, fetch: Option<Box<Fetch>>) -> Self {
        if let Some(fetch) = &fetch {
            fetch.keep(&self.json, &self.fields, self.is_cached);
        }
        self.kept = fetch;
        self
    }

    /// Whether the server answered that the client's content is still the current one.
    pub(crate) fn is_not_modified(&self) -> bool {
        is_not_modified(&self.json)
    }

    /// Replaces this result by the cached one, because the content has not changed.
    pub(crate) fn with_cached(self, json: Bytes) -> Self {
        let is_cached = true;
        Self {
            json,
            is_cached,
            ..self
        }
    }

    /// Reads the final result of a call of `method`.
    pub(crate) fn decode<T: DeserializeOwned>(
        self,
        method: Method,
    ) -> Result<TypedResult<T>, Error> {
        self.check_final(method)?;
        Ok(TypedResult {
            body: self.body(method)?,
            fields: self.fields,
        })
    }

    /// Fails unless the result is final.
    pub(crate) fn check_final(&self, method: Method) -> Result<(), Error> {
        if self.fields.result_type == ResultType::Complete {
            return Ok(());
        }
        let mistake = mistakes::in_result_type(&self.fields.result_type);
        Err(Error::invalid_result(
            method.name(),
            &self.json,
            vec![mistake],
        ))
    }

    /// The body, whatever its `resultType`.
    pub(crate) fn body<T: DeserializeOwned>(&self, method: Method) -> Result<T, Error> {
        let body = read_result(method, &self.json);
        let body = body.or_else(|error| match with_content(method, &self.json) {
            Some(json) => read_result(method, &json),
            None => Err(error),
        });
        if let Some(kept) = self.kept.as_ref().filter(|_| body.is_err()) {
            kept.forget();
        }
        body
    }
}

/// The tool, prompt or URI that a request is about.
pub(crate) fn subject(method: Method, params: &impl Serialize) -> Option<String> {
    let key = method.row().subject?;
    let params = serde_json::to_value(params).ok()?;
    params.get(key)?.as_str().map(str::to_owned)
}

fn error(
    json: &[u8],
    status: Option<&HttpStatus>,
    method: &'static str,
    subject: Option<&str>,
    least: Certainty,
) -> Error {
    match (serde_json::from_slice::<WireError>(json), status) {
        (Ok(wire), Some(status)) => status.refuse(method, subject, wire, least),
        (Ok(wire), None) => wire
            .recognise_as(AnsweredRequest { method, subject }, least)
            .into(),
        (Err(_irregular), Some(status)) => status.explain(method, json),
        (Err(why), None) => LocalError::IrregularError {
            method,
            error: serde_json::from_slice(json).expect("it was scanned as JSON"),
            mistakes: mistakes::in_error(json, &why),
        }
        .into(),
    }
}

/// The result of a tool with empty `content` added, because some servers omit `content` if there is
/// structured output.
fn with_content(method: Method, json: &[u8]) -> Option<Vec<u8>> {
    if method != Method::CallTool {
        return None;
    }
    let mut members: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_slice(json).ok()?;
    members.get("structuredContent")?;
    let none = to_raw_value(&[(); 0]).ok()?;
    let content = members.insert("content".into(), &none);
    if content.is_some_and(|content| content.get() != "null") {
        return None;
    }
    tracing::warn!(
        "the server answers with a result without `content`, which every tool result must have: taken as empty"
    );
    serde_json::to_vec(&members).ok()
}

fn read_result<T: DeserializeOwned>(method: Method, json: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(json).map_err(|why| {
        let mistakes = mistakes::in_result(method, json, &why);
        Error::invalid_result(method.name(), json, mistakes)
    })
}

#[cfg(test)]
mod tests {
    use plainly_errors::{Dialect, Revision};
    use plainly_protocol::types::EmptyResult;

    use super::*;

    fn read_one(json: &'static str) -> ServerMessage {
        let mut messages = read(&Bytes::from_static(json.as_bytes()));
        assert_eq!(messages.len(), 1);
        messages.remove(0)
    }

    fn decode(reply: &CallReply) -> Result<TypedResult<EmptyResult>, Error> {
        reply.decode(Method::Ping, &(), Certainty::Likely)
    }

    #[test]
    fn a_reply_names_its_request_exactly() {
        for (json, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                Some(RequestId::from(1)),
            ),
            (
                r#"{"jsonrpc":"2.0","id":"x","result":{}}"#,
                Some("x".into()),
            ),
            // An integer in quotes can only be the id of this request.
            (r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, Some(1.into())),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}"#,
                None,
            ),
        ] {
            let ServerMessage::Reply { id, .. } = read_one(json) else {
                panic!("{json}");
            };
            assert_eq!(id, expected, "{json}");
        }
    }

    #[test]
    fn a_malformed_reply_still_ends_its_request() {
        for json in [
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
        ] {
            let ServerMessage::Reply { id, reply } = read_one(json) else {
                panic!("{json}");
            };
            assert_eq!(id, Some(1.into()), "{json}");
            let error = decode(&reply).unwrap_err();
            assert!(
                matches!(error.local(), Some(LocalError::InvalidResponse { .. })),
                "{json}"
            );
        }
    }

    #[test]
    fn a_malformed_request_is_still_one_to_answer() {
        for (json, code) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
                -32602,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":5}"#,
                -32602,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        ] {
            let ServerMessage::Request(request) = read_one(json) else {
                panic!("{json}");
            };
            let error = request.method.unwrap_err();
            let written = Dialect::default().code(&error, Revision::LATEST);
            assert_eq!(
                (request.raw_id.as_str(), written.get()),
                ("1", code),
                "{json}"
            );
        }
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        for json in [
            "log line",
            "[1]",
            r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        ] {
            assert!(
                matches!(read_one(json), ServerMessage::NoMessage { .. }),
                "{json}"
            );
        }
    }

    #[test]
    fn results_that_are_not_complete_are_invalid() {
        for (json, ok) in [
            ("{}", true),
            (r#"{"resultType":"complete"}"#, true),
            (r#"{"resultType":"input_required"}"#, false),
            (r#"{"resultType":"task"}"#, false),
            ("[]", false),
            ("null", false),
        ] {
            let reply = CallReply::Result(Bytes::from_static(json.as_bytes()));
            assert_eq!(decode(&reply).is_ok(), ok, "{json}");
        }
    }
}
