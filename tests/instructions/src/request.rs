//! The requests, as bytes and as HTTP requests.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::servers::ECHOED;

/// A request that can be sent repeatedly.
#[derive(Clone)]
pub(crate) struct AnsweredRequest {
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl AnsweredRequest {
    /// Creates a request of the newest revision. `target` is the value of the header `Mcp-Name`.
    pub(crate) fn modern(
        method: &'static str,
        target: Option<&'static str>,
        params: Value,
    ) -> Self {
        let mut asked = Self::new(method, with_meta(params));
        asked.header("mcp-protocol-version", "2026-07-28");
        asked.header("mcp-method", method);
        target
            .into_iter()
            .for_each(|name| asked.header("mcp-name", name));
        asked
    }

    /// Creates a request of the newest revision that has sessions.
    pub(crate) fn legacy(method: &str, params: Value) -> Self {
        let mut asked = Self::new(method, params);
        asked.header("mcp-protocol-version", "2025-11-25");
        asked
    }

    pub(crate) fn initialize() -> Self {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "clientInfo": { "name": "bench", "version": "1.0.0" },
            "capabilities": {},
        });
        Self::new("initialize", params)
    }

    pub(crate) fn echo() -> Self {
        Self::modern("tools/call", Some("echo"), echo())
    }

    pub(crate) fn read(uri: &'static str) -> Self {
        Self::modern("resources/read", Some(uri), json!({ "uri": uri }))
    }

    pub(crate) fn new(method: &str, params: Value) -> Self {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut asked = Self {
            headers: Vec::new(),
            body: body.to_string().into(),
        };
        asked.header("host", "localhost:3333");
        asked.header("content-type", "application/json");
        asked.header("accept", "application/json, text/event-stream");
        asked
    }

    pub(crate) fn header(&mut self, name: &'static str, value: &'static str) {
        self.add(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }

    pub(crate) fn add(&mut self, name: HeaderName, value: HeaderValue) {
        self.headers.push((name, value));
    }

    pub(crate) fn body(&self) -> &Bytes {
        &self.body
    }

    /// The request for HTTP.
    pub(crate) fn request(&self) -> Request<Full<Bytes>> {
        let mut request = Request::post("/mcp")
            .body(Full::new(self.body.clone()))
            .expect("a method and a path are a request");
        request.headers_mut().extend(self.headers.iter().cloned());
        request
    }

    /// The request for stdio, repeated `times` times.
    pub(crate) fn lines(&self, times: u32) -> Vec<u8> {
        let line = [&self.body[..], b"\n"].concat();
        line.repeat(usize::try_from(times).unwrap_or_default())
    }
}

/// The parameters for a call of `echo`.
pub(crate) fn echo() -> Value {
    json!({ "name": "echo", "arguments": { "text": ECHOED } })
}

fn with_meta(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}
