//! What this client writes: requests, notifications and answers, and the headers that mirror a request. The only place
//! that puts JSON-RPC together on this side; knows the table of methods, and no method by name.

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use plainly_errors::{Dialect, Era, ProtocolError, Revision};
use plainly_protocol::header::{self, MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION};
use plainly_protocol::id::RequestId;
use plainly_protocol::meta::{
    CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROGRESS_TOKEN, PROTOCOL_VERSION,
};
use plainly_protocol::method::Method;
use plainly_protocol::types::{ClientCapabilities, Implementation, LoggingLevel};
use serde::Serialize;
use serde_json::value::RawValue;

use super::error::{Error, LocalError};
use crate::transport::Frame;

/// Who this client says it is, and what it wants with every request.
#[derive(Clone, Debug)]
pub(super) struct Introduction {
    pub(super) implementation: Implementation,
    pub(super) capabilities: ClientCapabilities,
    /// The least severe log messages that it wants, if it wants any.
    pub(super) log_level: Option<LoggingLevel>,
}

/// What one request carries beside its parameters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras<'a> {
    /// Whether it asks for progress: its id is the token.
    pub(super) progress: bool,
    /// What it answers of what the server asked for, as [`Inputs`] write it. Nothing to a legacy server.
    pub(super) inputs: Option<&'a Inputs>,
}

/// What the server asked for in reply to the same request before, and the state that it gave along: members of an object,
/// as they are written (2026-07-28, Multi Round-Trip Requests).
#[derive(Clone, Debug)]
pub(super) struct Inputs(String);

impl Inputs {
    /// These answers, and the state exactly as it came, if there was one.
    pub(super) fn new(
        method: &'static str,
        responses: &impl Serialize,
        state: Option<&str>,
    ) -> Result<Self, Error> {
        let responses = to_object(method, responses)?;
        let mut members = format!(r#""inputResponses":{responses}"#);
        if let Some(state) = state {
            let state = serde_json::Value::from(state);
            members += &format!(r#","requestState":{state}"#);
        }
        Ok(Self(members))
    }
}

/// A request that is ready to be sent.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) method: Method,
    pub(super) frame: Frame,
}

impl Request {
    /// The name of its method.
    #[cfg(feature = "http-client")]
    pub(super) fn name(&self) -> &'static str {
        self.method.name()
    }

    /// What withdraws it. The handshake can't be withdrawn, and a peer that may not know the probe is not told about it.
    pub(super) fn cancellation(&self) -> Option<Bytes> {
        let withdrawable = !matches!(self.method, Method::Initialize | Method::Discover);
        withdrawable.then(|| cancelled(&self.id))
    }
}

/// Writes requests of one revision.
#[derive(Debug)]
pub(super) struct Writer {
    revision: Revision,
    /// The members of a modern request's `_meta`.
    meta: Option<String>,
}

impl Writer {
    /// For requests of `revision` by whom `introduction` describes.
    pub(super) fn new(revision: Revision, introduction: &Introduction) -> Self {
        let meta = (revision.era() == Era::Modern).then(|| {
            let mut meta = serde_json::json!({
                PROTOCOL_VERSION: revision.as_str(),
                CLIENT_INFO: introduction.implementation,
                CLIENT_CAPABILITIES: introduction.capabilities,
            });
            if let Some(level) = introduction.log_level {
                meta[LOG_LEVEL] = level.as_str().into();
            }
            members(&meta.to_string()).to_owned()
        });
        Self { revision, meta }
    }

    /// The revision of the requests.
    pub(super) fn revision(&self) -> Revision {
        self.revision
    }

    /// A request of `method`, which the revision must have.
    pub(super) fn request(
        &self,
        id: i64,
        method: Method,
        params: &impl Serialize,
        extras: Extras<'_>,
    ) -> Result<Request, Error> {
        let name = method.name();
        let row = method.row();
        if !self.revision.within(row.first, row.last) {
            let revision = self.revision;
            return Err(LocalError::NotInRevision {
                method: name,
                revision,
            }
            .into());
        }
        let params = to_object(name, params)?;
        let headers = self.headers(method, &params);
        let body = self.body(id, name, &params, extras);
        Ok(Request {
            id: id.into(),
            method,
            frame: Frame::new(headers, body),
        })
    }

    /// A notification without parameters.
    pub(super) fn notification(&self, method: Method) -> Frame {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, method.name());
        Frame::new(self.headers(method, "{}"), body.into())
    }

    fn body(&self, id: i64, name: &str, params: &str, extras: Extras<'_>) -> Bytes {
        let token = extras
            .progress
            .then(|| format!(r#""{PROGRESS_TOKEN}":{id}"#));
        let meta: Vec<_> = self.meta.iter().chain(&token).map(String::as_str).collect();
        let meta = (!meta.is_empty()).then(|| format!(r#""_meta":{{{}}}"#, meta.join(",")));
        let inputs = extras.inputs.filter(|_| self.revision.era() == Era::Modern);
        let inputs = inputs.map(|inputs| inputs.0.as_str());
        let params = Some(members(params)).filter(|params| !params.is_empty());
        let all: Vec<_> = meta
            .as_deref()
            .into_iter()
            .chain(inputs)
            .chain(params)
            .collect();
        let params = all.join(",");
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{name}","params":{{{params}}}}}"#).into()
    }

    fn headers(&self, method: Method, params: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if method == Method::Initialize {
            return headers;
        }
        headers.insert(
            HeaderName::from_static(MCP_PROTOCOL_VERSION),
            HeaderValue::from_static(self.revision.as_str()),
        );
        if self.revision.era() == Era::Legacy {
            return headers;
        }
        headers.insert(
            HeaderName::from_static(MCP_METHOD),
            HeaderValue::from_static(method.name()),
        );
        let named = method.row().name_header.and_then(|key| member(params, key));
        if let Some(name) = named {
            let value = HeaderValue::from_str(&header::encode(&name))
                .expect("encoded text is visible ASCII with spaces and tabs");
            headers.insert(HeaderName::from_static(MCP_NAME), value);
        }
        headers
    }
}

/// The members of the text of an object.
fn members(object: &str) -> &str {
    let inner = object.strip_prefix('{');
    inner
        .and_then(|inner| inner.strip_suffix('}'))
        .unwrap_or_default()
}

/// Parameters as the text of a JSON object on one line.
pub(super) fn to_object(method: &'static str, params: &impl Serialize) -> Result<String, Error> {
    let wrong = |source| Error::from(LocalError::Parameters { method, source });
    let text = serde_json::to_string(params).map_err(|error| wrong(Some(error)))?;
    if text.starts_with('{') {
        Ok(text)
    } else {
        Err(wrong(None))
    }
}

/// The member `key` of an object, if it is a string.
fn member(object: &str, key: &str) -> Option<String> {
    let members: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(object).ok()?;
    serde_json::from_str(members.get(key)?.get()).ok()
}

fn cancelled(id: &RequestId) -> Bytes {
    let method = Method::Cancelled.name();
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"requestId":{id}}}}}"#).into()
}

/// The answer to a request of the server's with this raw id: `ping` is answered, and nothing else is served. A modern
/// server must not ask, and gets no answer.
pub(super) fn answer(id: &str, method: &str, revision: Revision) -> Option<Bytes> {
    match (Method::find(method, revision), revision.era()) {
        (_, Era::Modern) => None,
        (Some(Method::Ping), Era::Legacy) => {
            Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).into())
        }
        (_, Era::Legacy) => {
            let error =
                Dialect::default().encode(&ProtocolError::method_not_found(method), revision);
            let error = serde_json::to_string(&error).ok()?;
            Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use plainly_protocol::types::{CallToolParams, ListResourcesParams, ReadResourceParams};
    use serde_json::{Value, json};

    use super::*;

    fn writer(revision: Revision) -> Writer {
        Writer::new(
            revision,
            &Introduction {
                implementation: Implementation::new("c", "1"),
                capabilities: ClientCapabilities::new(),
                log_level: None,
            },
        )
    }

    const PLAIN: Extras<'_> = Extras {
        progress: false,
        inputs: None,
    };

    fn body(frame: &Frame) -> Value {
        serde_json::from_slice(&frame.body).unwrap()
    }

    #[test]
    fn a_modern_request_introduces_itself_and_mirrors_its_name() {
        let request = writer(Revision::V2026_07_28)
            .request(
                7,
                Method::ReadResource,
                &ReadResourceParams::new("a:é"),
                PLAIN,
            )
            .unwrap();
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        assert_eq!(
            body(&request.frame),
            json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"_meta": meta, "uri": "a:é"}})
        );
        let headers = &request.frame.headers;
        assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
        assert_eq!(headers["mcp-method"], "resources/read");
        assert_eq!(headers["mcp-name"], "=?base64?YTrDqQ==?=");

        let empty = writer(Revision::V2026_07_28)
            .request(8, Method::ListResources, &ListResourcesParams::new(), PLAIN)
            .unwrap();
        assert_eq!(body(&empty.frame)["params"], json!({"_meta": meta}));
        assert!(!empty.frame.headers.contains_key("mcp-name"));
    }

    #[test]
    fn a_legacy_request_has_the_version_header_alone_and_the_handshake_not_even_that() {
        let writer = writer(Revision::V2025_06_18);
        let call = writer
            .request(1, Method::CallTool, &CallToolParams::new("t"), PLAIN)
            .unwrap();
        assert_eq!(
            body(&call.frame),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}})
        );
        assert_eq!(call.frame.headers.len(), 1);
        assert_eq!(call.frame.headers["mcp-protocol-version"], "2025-06-18");
        let handshake = writer
            .request(1, Method::Initialize, &json!({}), PLAIN)
            .unwrap();
        assert!(handshake.frame.headers.is_empty());
    }

    #[test]
    fn what_can_not_be_sent_is_refused_here() {
        let modern = writer(Revision::V2026_07_28);
        let error = modern
            .request(1, Method::Ping, &json!({}), PLAIN)
            .unwrap_err();
        assert!(matches!(
            error.local(),
            Some(LocalError::NotInRevision { method: "ping", .. })
        ));
        let error = modern
            .request(1, Method::ListTools, &json!([]), PLAIN)
            .unwrap_err();
        assert!(matches!(
            error.local(),
            Some(LocalError::Parameters { source: None, .. })
        ));
    }

    #[test]
    fn a_server_that_asks_gets_an_answer_only_where_it_may_ask() {
        let ping = answer("\"a\"", "ping", Revision::V2025_11_25).unwrap();
        assert_eq!(ping, r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
        let roots = answer("1", "roots/list", Revision::V2025_11_25).unwrap();
        let roots: Value = serde_json::from_slice(&roots).unwrap();
        assert_eq!(
            (&roots["id"], &roots["error"]["code"]),
            (&json!(1), &json!(-32601))
        );
        assert_eq!(answer("1", "ping", Revision::V2026_07_28), None);
    }
}
