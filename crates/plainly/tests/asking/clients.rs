//! Clients that speak in raw messages, each over one transport and in one era, and know how to answer.

use plainly::Revision;
use plainly::server::Server;
use plainly_peer::message::{self, headers, initialize_with};
use plainly_peer::{Peer, Response, Site};
use serde_json::{Value, json};

/// All that a client can be asked.
pub(crate) fn able() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// What a client of the fixture answers to a question.
pub(crate) fn answer(question: &Value) -> Value {
    let params = &question["params"];
    match question["method"].as_str().unwrap() {
        "roots/list" => json!({"roots": [{"uri": "file:///work"}]}),
        "sampling/createMessage" => {
            json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}})
        }
        "elicitation/create" if params["mode"] == "url" => json!({"action": "accept"}),
        "elicitation/create" => {
            let properties = params["requestedSchema"]["properties"].as_object().unwrap();
            let content = properties.keys().map(|name| {
                let value = match name.as_str() {
                    "name" => json!("Ada"),
                    "some" => json!(["b"]),
                    "some.a" => json!(false),
                    "count" => json!(2),
                    "size" => json!("Large"),
                    "sizes" => json!(["Small", "Large"]),
                    _ => json!(true),
                };
                (name.clone(), value)
            });
            json!({"action": "accept", "content": Value::Object(content.collect())})
        }
        other => panic!("asked for {other}"),
    }
}

/// A request, as `revision` has it.
pub(crate) fn request(
    revision: Revision,
    id: u32,
    method: &str,
    params: Value,
    capabilities: &Value,
) -> Value {
    if revision.traits().sessions {
        message::request(id, method, params)
    } else {
        message::capable(id, method, params, capabilities.clone())
    }
}

/// A client of either transport.
pub(crate) enum Client {
    Stream(Stream),
    Http(Http),
}

impl Client {
    /// One over each transport.
    pub(crate) async fn both(
        server: &Server,
        revision: Revision,
        capabilities: &Value,
    ) -> [Self; 2] {
        [
            Self::Stream(Stream::open(server, revision, capabilities).await),
            Self::Http(Http::open(server, revision, capabilities).await),
        ]
    }

    /// Sends a request, answers whatever it is asked, and gives what it was asked and the last reply.
    pub(crate) async fn play(&mut self, method: &str, params: Value) -> (Vec<Value>, Value) {
        let mut asked = Vec::new();
        let mut next = params.clone();
        loop {
            let reply = match self {
                Self::Stream(stream) => stream.answering(method, next, &mut asked).await,
                Self::Http(http) => http.answering(method, next, &mut asked).await,
            };
            if reply["result"]["resultType"] != "input_required" {
                return (asked, reply);
            }
            next = again(&params, &reply["result"], &mut asked);
        }
    }

    /// Calls a tool, as [`play`](Self::play).
    pub(crate) async fn call(&mut self, tool: &str) -> (Vec<Value>, Value) {
        self.play("tools/call", json!({"name": tool})).await
    }
}

/// The same parameters with the answers to what `result` asks for.
pub(crate) fn again(params: &Value, result: &Value, asked: &mut Vec<Value>) -> Value {
    let mut next = params.clone();
    for (key, question) in result["inputRequests"].as_object().unwrap() {
        next["inputResponses"][key] = answer(question);
        asked.push(question.clone());
    }
    next["requestState"] = result["requestState"].clone();
    next
}

/// Over a byte stream.
pub(crate) struct Stream {
    peer: Peer,
    revision: Revision,
    capabilities: Value,
    last: u32,
}

impl Stream {
    pub(crate) async fn open(server: &Server, revision: Revision, capabilities: &Value) -> Self {
        let mut client = Self {
            peer: Peer::connect(server),
            revision,
            capabilities: capabilities.clone(),
            last: 0,
        };
        if revision != Revision::V2026_07_28 {
            let initialize = initialize_with(revision.as_str(), capabilities.clone());
            assert_eq!(client.peer.ask(&initialize).await["id"], "opens");
        }
        client
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.peer.send(message).await;
    }

    pub(crate) async fn next(&mut self) -> Value {
        self.peer.next().await
    }

    /// Sends a request, and gives its id.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> u32 {
        self.last += 1;
        let request = request(self.revision, self.last, method, params, &self.capabilities);
        self.send(&request).await;
        self.last
    }

    /// Calls a tool, and gives the next message.
    pub(crate) async fn call(&mut self, tool: &str) -> Value {
        self.request("tools/call", json!({"name": tool})).await
    }

    /// Sends a request, and gives the next message.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.start(method, params).await;
        self.next().await
    }

    async fn answering(&mut self, method: &str, params: Value, asked: &mut Vec<Value>) -> Value {
        let mut message = self.request(method, params).await;
        while message.get("method").is_some() {
            if message.get("id").is_some() {
                self.send(&response(&message)).await;
                asked.push(message);
            }
            message = self.next().await;
        }
        message
    }
}

/// What a client answers a request of the server's.
pub(crate) fn response(question: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": question["id"], "result": answer(question)})
}

/// Over HTTP.
pub(crate) struct Http {
    site: Site,
    revision: Revision,
    capabilities: Value,
    session: Option<String>,
    /// Whom an outer layer has found it to be.
    pub(crate) user: Option<&'static str>,
    last: u32,
}

impl Http {
    pub(crate) async fn open(server: &Server, revision: Revision, capabilities: &Value) -> Self {
        let site = Site::serve_users(server.http()).await;
        let mut client = Self {
            site,
            revision,
            capabilities: capabilities.clone(),
            session: None,
            user: None,
            last: 0,
        };
        if revision != Revision::V2026_07_28 {
            let initialize = initialize_with(revision.as_str(), capabilities.clone());
            client.session = Some(client.post(&initialize).await.session());
        }
        client
    }

    pub(crate) async fn post(&self, message: &Value) -> Response {
        let mut headers = headers(message, self.session.as_deref());
        if let Some(user) = self.user {
            headers += &format!("User: {user}\r\n");
        }
        self.site.send("POST /", &headers, message).await
    }

    /// Sends a request, and gives what comes for it.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> Response {
        self.last += 1;
        let request = request(self.revision, self.last, method, params, &self.capabilities);
        self.post(&request).await
    }

    /// Sends a request, and gives the first message that comes for it.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.start(method, params).await.message().await
    }

    pub(crate) async fn end_session(&self) {
        let session = format!("Mcp-Session-Id: {}\r\n", self.session.as_ref().unwrap());
        assert_eq!(self.site.bare("DELETE /", &session, "").await.status, 204);
    }

    /// Answers a question.
    pub(crate) async fn respond(&self, response: &Value) {
        assert_eq!(self.post(response).await.status, 202);
    }

    async fn answering(&mut self, method: &str, params: Value, asked: &mut Vec<Value>) -> Value {
        let mut coming = self.start(method, params).await;
        let mut message = coming.message().await;
        while message.get("method").is_some() {
            if message.get("id").is_some() {
                self.respond(&response(&message)).await;
                asked.push(message);
            }
            message = coming.message().await;
        }
        message
    }
}
