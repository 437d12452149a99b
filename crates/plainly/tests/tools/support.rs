//! Clients that speak in raw messages.

use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use plainly::Revision;
use plainly::server::Server;
use plainly_peer::Peer;
use plainly_peer::message::{self, modern};
use serde_json::{Value, json};
use tower_service::Service;

/// A call with the id 1.
pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    message::call(1, tool, arguments.clone())
}

/// The text of a tool's result, and whether it is an error.
pub(crate) fn told(reply: &Value) -> (&str, bool) {
    let result = &reply["result"];
    let text = result["content"][0]["text"].as_str();
    (
        text.unwrap_or_else(|| panic!("no text: {reply}")),
        result["isError"] == true,
    )
}

pub(crate) async fn post(
    server: &Server,
    headers: &[(&str, &str)],
    message: &Value,
) -> (StatusCode, Value) {
    let mut request = Request::post("/")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(message.to_string())).unwrap();
    let response = server.http().call(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(Body::new(response.into_body()), 1 << 20).await;
    (status, serde_json::from_slice(&body.unwrap()).unwrap())
}

/// A client over a byte stream, and the revision that it speaks.
pub(crate) struct Client {
    pub(crate) peer: Peer,
    revision: Revision,
}

impl Client {
    pub(crate) fn connect(server: &Server) -> Self {
        Self {
            peer: Peer::connect(server),
            revision: Revision::LATEST,
        }
    }

    /// A session of this revision, or none if it has no sessions; and the capabilities that the server declares.
    pub(crate) async fn of(server: &Server, revision: Revision) -> (Self, Value) {
        let mut peer = Peer::connect(server);
        let opening = if revision.traits().sessions {
            message::initialize(revision.as_str())
        } else {
            modern(0, "server/discover", json!({}))
        };
        let mut reply = peer.ask(opening).await;
        (
            Self { peer, revision },
            reply["result"]["capabilities"].take(),
        )
    }

    /// A request as the peer's revision has it.
    pub(crate) fn message(&self, method: &str, params: Value) -> Value {
        if self.revision == Revision::LATEST {
            return modern(1, method, params);
        }
        message::request(1, method, params)
    }

    /// Asks in the way of the peer's revision, and hears nothing but the reply.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let request = self.message(method, params);
        self.peer.send(&request).await;
        loop {
            match self.peer.next().await {
                reply if reply.get("id").is_some() => return reply,
                _notification => {}
            }
        }
    }

    /// One page of the tools' names, and the cursor of the next.
    pub(crate) async fn page(&mut self, cursor: Option<&Value>) -> (Vec<String>, Option<Value>) {
        let params = match cursor {
            Some(cursor) => json!({"cursor": cursor}),
            None => json!({}),
        };
        let reply = self.request("tools/list", params).await;
        let tools = reply["result"]["tools"].as_array();
        let tools = tools.unwrap_or_else(|| panic!("no tools: {reply}"));
        let names = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned());
        (names.collect(), reply["result"].get("nextCursor").cloned())
    }

    /// The names of all tools.
    pub(crate) async fn list(&mut self) -> Vec<String> {
        let (mut names, mut next) = self.page(None).await;
        while let Some(cursor) = next {
            let (more, after) = self.page(Some(&cursor)).await;
            names.extend(more);
            next = after;
        }
        names
    }
}
