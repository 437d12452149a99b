//! Writes this client's requests, notifications and answers, and the headers that mirror a request.
//! Only this file assembles JSON-RPC on the client's side.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use plainly_errors::{Dialect, ProtocolError, Revision};
use plainly_protocol::header::{self, MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION};
use plainly_protocol::id::RequestId;
use plainly_protocol::meta::{
    CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROGRESS_TOKEN, PROTOCOL_VERSION,
};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    ClientCapabilities, Implementation, InputResponseParams, LoggingLevel, RawJson, TASKS_EXTENSION,
};
use plainly_protocol::writer::ObjectWriter;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::cache::Fetch;
use crate::error::{Error, LocalError};
use crate::message::budget::Budget;
use crate::message::mirror::Mirror;
use crate::message::timeouts::CallQuestions;
use crate::message::trace_context::{self, TraceContext, TraceSource};
use plainly_transport::Frame;

/// The client's name, version, capabilities and preferences, as it sends them to every server.
#[derive(Clone, Debug)]
pub(crate) struct Introduction {
    pub(crate) implementation: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    /// The minimum level of log messages that the client wants, if it wants any.
    pub(crate) log_level: Option<LoggingLevel>,
    /// The source of the trace of each message.
    pub(crate) trace: TraceSource,
}

impl Introduction {
    /// The `_meta` of a modern request, as JSON. With `tasks`, the server may start a task and
    /// reply with its handle.
    fn meta(&self, revision: Revision, tasks: bool) -> String {
        let mut capabilities = self.capabilities.clone();
        if tasks {
            let extensions = capabilities.extensions.get_or_insert_default();
            let declared = extensions.entry(TASKS_EXTENSION);
            declared.or_insert_with(|| serde_json::json!({}));
        }
        let mut meta = serde_json::json!({
            PROTOCOL_VERSION: revision.as_str(),
            CLIENT_INFO: self.implementation,
            CLIENT_CAPABILITIES: capabilities,
        });
        if let Some(level) = self.log_level {
            meta[LOG_LEVEL] = level.as_str().into();
        }
        meta.to_string()
    }
}

/// The additions to the parameters of one request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestExtras<'a> {
    /// Whether the request asks for progress. Its id is the token.
    pub(crate) progress: bool,
    /// More members of its `_meta`, without [those](OWN_META) that this client writes itself.
    pub(crate) meta: Option<&'a RawMembers>,
    /// The answers to the questions with which the server replied before, and the state to send
    /// back. Not sent to a legacy server.
    pub(crate) inputs: Option<&'a InputResponseParams>,
    /// Counts the questions that the server asks before the reply.
    pub(crate) questions: Option<&'a CallQuestions<'a>>,
    /// The cache lookup for the call, if its result may be cached.
    pub(crate) fetch: Option<&'a Fetch>,
    /// The arguments to repeat in headers, on a transport with headers. Not sent to a legacy
    /// server.
    pub(crate) mirror: Option<&'a Mirror>,
    /// Whether the request is about a task, or may be answered with one. Not sent to a legacy
    /// server.
    pub(crate) tasks: bool,
    /// The exchanges that the call may cost.
    pub(crate) budget: Option<&'a Budget>,
    /// The trace that the request is part of; `None` for the current one.
    pub(crate) trace: Option<&'a TraceContext>,
}

/// A request that is ready to be sent.
#[derive(Clone, Debug)]
pub(crate) struct OutgoingRequest<'a> {
    pub(crate) id: RequestId,
    pub(crate) method: Method,
    pub(crate) frame: Frame,
    /// The trace that the request is part of.
    trace: Option<TraceContext>,
    /// Counts the questions that the server asks before the reply.
    #[cfg_attr(
        not(feature = "http"),
        expect(
            dead_code,
            reason = "only over HTTP is it known which call a question belongs to"
        )
    )]
    pub(crate) questions: Option<&'a CallQuestions<'a>>,
    /// The cache lookup for the call, if its result may be cached.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "only requests over HTTP have credentials")
    )]
    pub(crate) fetch: Option<&'a Fetch>,
    /// The exchanges that the call may cost.
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "only requests over HTTP have credentials")
    )]
    pub(crate) budget: Option<&'a Budget>,
}

impl OutgoingRequest<'_> {
    /// The notification that cancels the request. `None` for the handshake, which must not be
    /// cancelled, and for the probe, which the peer may not know.
    pub(crate) fn cancellation(&self) -> Option<Bytes> {
        let withdrawable = !matches!(self.method, Method::Initialize | Method::Discover);
        withdrawable.then(|| cancelled(&self.id, self.trace.as_ref()))
    }
}

/// Writes requests of one revision.
#[derive(Debug)]
pub(crate) struct RequestWriter {
    revision: Revision,
    /// The `_meta` of a modern request, as JSON.
    meta: Option<OwnMeta>,
    trace: TraceSource,
}

/// The `_meta` of requests, written once for all requests.
#[derive(Debug)]
struct OwnMeta {
    without_tasks: String,
    with_tasks: String,
}

impl RequestWriter {
    /// A writer of requests of `revision`, from the client that `introduction` describes.
    pub(crate) fn new(revision: Revision, introduction: &Introduction) -> Self {
        let meta = (!revision.traits().sessions).then(|| OwnMeta {
            without_tasks: introduction.meta(revision, false),
            with_tasks: introduction.meta(revision, true),
        });
        let trace = introduction.trace.clone();
        Self {
            revision,
            meta,
            trace,
        }
    }

    /// The revision of the requests.
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// A request of `method`, which the revision must have.
    pub(crate) fn request<'a>(
        &self,
        id: i64,
        method: Method,
        params: &impl Serialize,
        extras: RequestExtras<'a>,
    ) -> Result<OutgoingRequest<'a>, Error> {
        let name = method.name();
        let revision = self.revision;
        if !method.is_in(revision) {
            return Err(LocalError::NotInRevision {
                method: name,
                revision,
            }
            .into());
        }
        let unwritten = |source| LocalError::Parameters {
            method: name,
            source,
        };
        let params = to_object(params).map_err(unwritten)?;
        let mut headers = self.headers(method, &params);
        if let Some(mirror) = extras.mirror.filter(|_| revision.traits().mirrored_headers) {
            mirror.repeat(method, &params, &mut headers);
        }
        // The trace of a forwarded request is forwarded, too.
        let trace = match (extras.trace, trace_context::is_in(extras.meta)) {
            (_, true) => None,
            (Some(trace), false) => Some(trace.clone()),
            (None, false) => self.trace.current(),
        };
        let body = self
            .body(id, name, &params, extras, trace.as_ref())
            .map_err(|error| unwritten(Some(error)))?;
        Ok(OutgoingRequest {
            id: id.into(),
            method,
            frame: Frame::new(headers, body.into()),
            trace,
            questions: extras.questions,
            fetch: extras.fetch,
            budget: extras.budget,
        })
    }

    /// A request with `params`, which is an object, and with these additions.
    fn body(
        &self,
        id: i64,
        method: &str,
        params: &str,
        extras: RequestExtras<'_>,
        trace: Option<&TraceContext>,
    ) -> serde_json::Result<Vec<u8>> {
        let mut out = Vec::with_capacity(params.len() + AROUND);
        let mut request = ObjectWriter::open(&mut out);
        request.raw_member("jsonrpc", r#""2.0""#);
        request.member("id", &id)?;
        request.member("method", method)?;
        let mut all = request.object("params");
        let more = extras.meta.filter(|more| !more.is_empty());
        if self.meta.is_some() || extras.progress || more.is_some() || trace.is_some() {
            let mut meta = all.object("_meta");
            if let Some(own) = &self.meta {
                meta.raw_members(match extras.tasks {
                    true => &own.with_tasks,
                    false => &own.without_tasks,
                })?;
            }
            if extras.progress {
                meta.member(PROGRESS_TOKEN, &id)?;
            }
            if let Some(more) = more {
                meta.members(more)?;
            }
            if let Some(trace) = trace {
                meta.members(trace)?;
            }
            meta.close();
        }
        if let Some(inputs) = extras
            .inputs
            .filter(|_| self.revision.traits().asks_in_results)
        {
            all.members(inputs)?;
        }
        all.raw_members(params)?;
        all.close();
        request.close();
        Ok(out)
    }

    /// A notification without parameters.
    pub(crate) fn notification(&self, method: Method) -> Frame {
        let name = method.name();
        let body = match self.trace.current().as_ref().and_then(meta_of) {
            None => format!(r#"{{"jsonrpc":"2.0","method":"{name}"}}"#),
            Some(meta) => {
                format!(r#"{{"jsonrpc":"2.0","method":"{name}","params":{{"_meta":{meta}}}}}"#)
            }
        };
        Frame::new(self.headers(method, "{}"), body.into())
    }

    fn headers(&self, method: Method, params: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        // There is no version yet: the handshake negotiates it in its body.
        if method == Method::Initialize {
            return headers;
        }
        headers.insert(
            HeaderName::from_static(MCP_PROTOCOL_VERSION),
            HeaderValue::from_static(self.revision.as_str()),
        );
        if !self.revision.traits().mirrored_headers {
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

/// The members of an object, each as it was written.
pub(crate) type RawMembers = BTreeMap<String, RawJson>;

/// The members of `_meta` that only the client of a connection can set.
const OWN_META: [&str; 5] = [
    PROTOCOL_VERSION,
    CLIENT_INFO,
    CLIENT_CAPABILITIES,
    LOG_LEVEL,
    PROGRESS_TOKEN,
];

/// Splits another client's parameters into the members besides `_meta`, and the members of `_meta`
/// that can be forwarded. Fails if either is no object.
pub(crate) fn split_meta(
    params: &RawJson,
) -> serde_json::Result<(Cow<'_, RawJson>, Option<RawMembers>)> {
    // The parameters are borrowed, because most have no `_meta` and are forwarded unchanged.
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(params.get())?;
    let Some(meta) = members.remove("_meta") else {
        return Ok((Cow::Borrowed(params), None));
    };
    let mut meta: RawMembers = serde_json::from_str(meta.get())?;
    meta.retain(|key, _| !OWN_META.contains(&key.as_str()));
    Ok((Cow::Owned(RawJson::encode(&members)?), Some(meta)))
}

/// The approximate number of bytes in a request besides its parameters.
const AROUND: usize = 512;

/// Parameters as the text of a JSON object on one line.
fn to_object(params: &impl Serialize) -> Result<String, Option<serde_json::Error>> {
    match serde_json::to_string(params) {
        Ok(text) if text.starts_with('{') => Ok(text),
        other => Err(other.err()),
    }
}

/// The member `key` of an object, if it is a string.
fn member(object: &str, key: &str) -> Option<String> {
    let members: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(object).ok()?;
    serde_json::from_str(members.get(key)?.get()).ok()
}

fn cancelled(id: &RequestId, trace: Option<&TraceContext>) -> Bytes {
    let method = Method::Cancelled.name();
    let meta = trace.and_then(meta_of);
    let meta = meta.map_or_else(String::new, |meta| format!(r#","_meta":{meta}"#));
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"requestId":{id}{meta}}}}}"#).into()
}

/// A `_meta` that only has the trace.
fn meta_of(trace: &TraceContext) -> Option<String> {
    serde_json::to_string(trace).ok()
}

/// The response to a request of the server with this raw id: `result` is JSON.
pub(crate) fn result(id: &str, result: &str) -> Bytes {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into()
}

/// The error response to a request with this raw id; `None` if it can't be written.
pub(crate) fn refusal(id: &str, error: &ProtocolError, revision: Revision) -> Option<Bytes> {
    let error = Dialect::default().encode(error, revision);
    let error = serde_json::to_string(&error).ok()?;
    Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#).into())
}

#[cfg(test)]
mod tests {
    use plainly_protocol::types::{CallToolParams, ListResourcesParams, ReadResourceParams};
    use serde_json::{Value, json};

    use super::*;

    fn writer(revision: Revision) -> RequestWriter {
        RequestWriter::new(
            revision,
            &Introduction {
                implementation: Implementation::new("c", "1"),
                capabilities: ClientCapabilities::new(),
                log_level: None,
                trace: TraceSource::default(),
            },
        )
    }

    const PLAIN: RequestExtras<'_> = RequestExtras {
        progress: false,
        meta: None,
        inputs: None,
        fetch: None,
        questions: None,
        mirror: None,
        tasks: false,
        budget: None,
        trace: None,
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
}
