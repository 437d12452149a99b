//! Reads received messages and the replies to calls: which request a message answers, and with which result. Knows
//! messages, but not how they arrived.

use bytes::Bytes;
use plainly_errors::{Asked, Certainty, WireError};
use plainly_protocol::envelope::{self, Envelope, Malformed, Message, Object, Outcome};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::types::{ResultFields, ResultType};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::{Error, LocalError};
use super::status::{EXCERPT, HttpStatus};

/// Stands for parameters that are absent.
const NO_PARAMS: Bytes = Bytes::from_static(b"{}");

/// One message from the server.
#[derive(Debug)]
pub(super) enum Incoming {
    /// It answers a request of ours.
    Reply {
        /// The request's id; `None` if the server couldn't read it.
        id: Option<RequestId>,
        /// The answer.
        reply: CallReply,
    },
    /// It asks something of us.
    Request(ServerRequest),
    /// It tells us something.
    Notification {
        /// Its method.
        method: String,
        /// The parameters: JSON.
        params: Bytes,
    },
    /// It is not a message, and has no id of a request that it might answer.
    NoMessage {
        /// The reason why it can't be read.
        why: String,
    },
}

/// A request of the server's.
#[derive(Debug)]
pub(super) struct ServerRequest {
    /// The id to answer with, as raw JSON.
    pub(super) raw_id: String,
    pub(super) id: RequestId,
    /// Its method.
    pub(super) method: String,
    /// The parameters: JSON.
    pub(super) params: Bytes,
}

/// The answer to a request, not read yet.
#[derive(Debug)]
pub(super) enum CallReply {
    /// Its `result`: JSON.
    Result(Bytes),
    /// Its `error`: JSON, and the HTTP status of the response unless that is a success.
    Error(Bytes, Option<Box<HttpStatus>>),
    /// It answers the request, but violates JSON-RPC or our limits.
    Malformed(String),
}

/// A result, and the fields that all results have.
#[derive(Debug)]
pub(super) struct TypedResult<T> {
    pub(super) body: T,
    pub(super) fields: ResultFields,
}

/// A result that is not read yet, except for the fields that all results have.
#[derive(Debug)]
pub(super) struct RawResult {
    pub(super) json: Bytes,
    pub(super) fields: ResultFields,
}

/// The messages in `bytes`: one, or several in a batch (2025-03-26).
pub(super) fn read(bytes: &Bytes) -> Vec<Incoming> {
    match envelope::parse(bytes, &limits()) {
        Ok(Envelope::Single(message)) => vec![incoming(bytes, Ok(message))],
        Ok(Envelope::Batch(batch)) => batch
            .into_iter()
            .map(|message| incoming(bytes, message))
            .collect(),
        Err(malformed) => vec![incoming(bytes, Err(malformed))],
    }
}

/// As strict as a server except for size: a listing of 32 MiB has more nodes than any request.
fn limits() -> envelope::Limits {
    let mut limits = envelope::Limits::default();
    limits.nodes *= 20;
    limits.members_per_object *= 10;
    limits
}

fn incoming(bytes: &Bytes, message: Result<Message<'_>, Malformed<'_>>) -> Incoming {
    match message {
        Ok(Message::Response(response)) => Incoming::Reply {
            id: response.id.map(|id| id.to_owned()),
            reply: match response.outcome {
                Outcome::Result(json) => CallReply::Result(bytes.slice_ref(json.as_bytes())),
                Outcome::Error(json) => CallReply::Error(bytes.slice_ref(json.as_bytes()), None),
            },
        },
        Ok(Message::Request(request)) => Incoming::Request(ServerRequest {
            raw_id: request.id.as_raw().to_owned(),
            id: request.id.to_owned(),
            params: raw(bytes, request.params),
            method: request.method.into_owned(),
        }),
        Ok(Message::Notification(notification)) => Incoming::Notification {
            params: raw(bytes, notification.params),
            method: notification.method.into_owned(),
        },
        Err(malformed) => match &malformed.id {
            // With an id, the one call that waits for it can fail now instead of when its time is over.
            Some(id) => Incoming::Reply {
                id: Some(id.to_owned()),
                reply: CallReply::Malformed(malformed.to_string()),
            },
            None => Incoming::NoMessage {
                why: malformed.to_string(),
            },
        },
    }
}

fn raw(bytes: &Bytes, params: Option<Object<'_>>) -> Bytes {
    params.map_or(NO_PARAMS, |params| bytes.slice_ref(params.raw().as_bytes()))
}

impl CallReply {
    /// The HTTP status of the response, unless that is a success.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Error(_, status) => status.as_ref().map(|status| status.code),
            Self::Result(_) | Self::Malformed(_) => None,
        }
    }

    /// Reads the result of a call of `method` with these parameters.
    pub(super) fn decode<T: DeserializeOwned>(
        &self,
        method: Method,
        params: &impl Serialize,
        least: Certainty,
    ) -> Result<TypedResult<T>, Error> {
        self.result(method, params, least)?.decode(method.name())
    }

    /// The result, whatever its `resultType`. An error is recognised if it is at least so certain.
    pub(super) fn result(
        &self,
        method: Method,
        params: &impl Serialize,
        least: Certainty,
    ) -> Result<RawResult, Error> {
        let name = method.name();
        match self {
            Self::Result(json) => Ok(RawResult {
                fields: parse(json, name, "its result")?,
                json: json.clone(),
            }),
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
    /// Reads the final result of a call of `method`.
    pub(super) fn decode<T: DeserializeOwned>(
        self,
        method: &'static str,
    ) -> Result<TypedResult<T>, Error> {
        self.check_final(method)?;
        Ok(TypedResult {
            body: self.body(method)?,
            fields: self.fields,
        })
    }

    /// Fails unless it is the final result.
    pub(super) fn check_final(&self, method: &'static str) -> Result<(), Error> {
        if self.fields.result_type == ResultType::Complete {
            return Ok(());
        }
        let why = format!(
            "a result of type {:?} is not supported here",
            self.fields.result_type
        );
        Err(Error::invalid_response(method, why))
    }

    /// The body, whatever its `resultType`.
    pub(super) fn body<T: DeserializeOwned>(&self, method: &'static str) -> Result<T, Error> {
        parse(&self.json, method, "its result")
    }
}

/// The one thing that a request is about: a tool, a prompt or a URI.
pub(super) fn subject(method: Method, params: &impl Serialize) -> Option<String> {
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
        (Ok(wire), None) => wire.recognise_as(Asked { method, subject }, least).into(),
        (Err(_irregular), Some(status)) => status.explain(method, json),
        (Err(_irregular), None) => LocalError::IrregularError {
            method,
            said: said(json),
        }
        .into(),
    }
}

/// The words of an error that is not one, cut to a bound: its text if it is one, else its JSON.
fn said(json: &[u8]) -> String {
    let words = match serde_json::from_slice(json) {
        Ok(Value::String(text)) => text,
        Ok(json) => json.to_string(),
        Err(_not_json) => String::from_utf8_lossy(json).into_owned(),
    };
    words.chars().take(EXCERPT).collect()
}

fn parse<'a, T: Deserialize<'a>>(
    json: &'a [u8],
    method: &'static str,
    what: &str,
) -> Result<T, Error> {
    serde_json::from_slice(json).map_err(|source| {
        LocalError::InvalidResponse {
            method,
            why: format!("{what} does not have the method's type"),
            source: Some(source),
        }
        .into()
    })
}

#[cfg(test)]
mod tests {
    use plainly_protocol::types::EmptyResult;

    use super::*;

    fn read_one(json: &'static str) -> Incoming {
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
                r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
                Some("1".into()),
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}"#,
                None,
            ),
        ] {
            let Incoming::Reply { id, .. } = read_one(json) else {
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
            let Incoming::Reply { id, reply } = read_one(json) else {
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
    fn what_is_no_message_is_told_apart() {
        for json in [
            "log line",
            "[1]",
            r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        ] {
            assert!(
                matches!(read_one(json), Incoming::NoMessage { .. }),
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
