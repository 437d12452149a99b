//! A client that writes each message itself, for messages that the real client can't or would never
//! send.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use plainly::Server;
use plainly::errors::{Era, Revision};
use plainly_peer::{Peer, message};
use serde_json::{Map, Value, json};
use tower::ServiceExt;

use crate::cell::refusal;
use crate::drivers::Transport;

/// The size of the stream's buffer.
const ROOM: usize = 64 << 10;

pub(crate) struct Raw {
    wire: Wire,
    pub(crate) revision: Revision,
    /// The capabilities that the client declares.
    capabilities: Value,
    count: u64,
}

enum Wire {
    Stream(Peer),
    Http {
        server: Server,
        session: Option<String>,
    },
}

/// The server's answer.
#[derive(Debug)]
pub(crate) struct Reply {
    /// The HTTP status, over HTTP.
    pub(crate) status: Option<u16>,
    pub(crate) message: Value,
}

impl Reply {
    /// The error in words, or `a result`.
    pub(crate) fn told(&self) -> String {
        match self.message.get("error") {
            Some(error) => refusal(self.status, &error["code"], error.get("data")),
            None => "a result".to_owned(),
        }
    }

    pub(crate) fn result(&self) -> &Value {
        &self.message["result"]
    }
}

impl Raw {
    pub(crate) async fn open(server: &Server, transport: Transport, revision: Revision) -> Self {
        let mut raw = Self::open_nothing(server, transport, revision);
        if revision.era() == Era::Legacy {
            raw.initialize(revision.as_str()).await;
        }
        raw
    }

    /// Connects without opening a session.
    pub(crate) fn open_nothing(server: &Server, transport: Transport, revision: Revision) -> Self {
        let wire = match transport {
            Transport::Http => Wire::Http {
                server: server.clone(),
                session: None,
            },
            Transport::Stream => Wire::Stream(Peer::with_room(server, ROOM)),
            Transport::Memory => Wire::Stream(Peer::known(server, None, ROOM)),
        };
        let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {}});
        Self {
            wire,
            revision,
            capabilities: tasks,
            count: 0,
        }
    }

    /// Requests a session of this version.
    pub(crate) async fn initialize(&mut self, version: &str) -> Reply {
        let request = message::initialize(version);
        self.send(&request.to_string(), &[]).await
    }

    /// A request with the `_meta` that the revision requires.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        if self.revision.era() == Era::Legacy {
            return self.message(method, params);
        }
        self.count += 1;
        message::capable(self.count, method, params, self.capabilities.clone())
    }

    /// A request without `_meta`.
    pub(crate) fn message(&mut self, method: &str, params: Value) -> Value {
        self.count += 1;
        message::request(self.count, method, params)
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Reply {
        let request = self.request(method, params);
        self.exchange(&request).await
    }

    /// Sends a request with its headers.
    pub(crate) async fn exchange(&mut self, request: &Value) -> Reply {
        let headers = self.headers(request);
        self.send(&request.to_string(), &headers).await
    }

    pub(crate) fn headers(&self, request: &Value) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        if self.revision.traits().version_header {
            headers.push(("mcp-protocol-version", self.revision.as_str().to_owned()));
        }
        if let Wire::Http {
            session: Some(session),
            ..
        } = &self.wire
        {
            headers.push(("mcp-session-id", session.clone()));
        }
        if self.revision.era() == Era::Modern {
            let name = ["name", "uri", "taskId"]
                .iter()
                .find_map(|key| request["params"].get(key));
            let method = request["method"].as_str().unwrap_or_default();
            headers.push(("mcp-method", method.to_owned()));
            headers.extend(
                name.and_then(Value::as_str)
                    .map(|name| ("mcp-name", name.to_owned())),
            );
        }
        headers
    }

    /// The next message of a stream.
    pub(crate) async fn next(&mut self) -> Reply {
        let Wire::Stream(peer) = &mut self.wire else {
            panic!("over HTTP a reply comes to a request");
        };
        Reply {
            status: None,
            message: peer.next().await,
        }
    }

    /// Sends `text` unchanged and returns the answer. The `headers` are for HTTP only.
    pub(crate) async fn send(&mut self, text: &str, headers: &[(&str, String)]) -> Reply {
        match &mut self.wire {
            Wire::Stream(peer) => {
                peer.say(text).await;
                self.next().await
            }
            Wire::Http { server, session } => {
                let mut request = Request::post("/")
                    .header("host", "localhost")
                    .header("content-type", "application/json")
                    .header("accept", "application/json, text/event-stream");
                for (name, value) in headers {
                    request = request.header(*name, value);
                }
                let request = request.body(Body::from(text.to_owned())).unwrap();
                let Ok(response) = server.http().oneshot(request).await;
                if let Some(opened) = response.headers().get("mcp-session-id") {
                    *session = Some(opened.to_str().unwrap().to_owned());
                }
                let status = response.status().as_u16();
                let body = to_bytes(Body::new(response.into_body()), usize::MAX)
                    .await
                    .unwrap();
                let message = serde_json::from_slice(&body).unwrap_or(Value::Object(Map::new()));
                Reply {
                    status: Some(status),
                    message,
                }
            }
        }
    }
}
