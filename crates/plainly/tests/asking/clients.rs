//! Clients that speak in raw messages, each over one transport and in one era, and know how to answer.

use axum::body::{Body, BodyDataStream};
use futures_util::StreamExt;
use http::{Request, StatusCode};
use plainly::Revision;
use plainly::server::{Principal, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tower_service::Service;

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
    mut params: Value,
    capabilities: &Value,
) -> Value {
    if revision == Revision::V2026_07_28 {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = revision.as_str().into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn initialize(revision: Revision, capabilities: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": revision.as_str(),
        "capabilities": capabilities,
        "clientInfo": {"name": "raw", "version": "1"},
    }})
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

/// The text of a tool's answer.
pub(crate) fn text(reply: &Value) -> &str {
    let text = &reply["result"]["content"][0]["text"];
    text.as_str().unwrap_or_else(|| panic!("{reply}"))
}

/// Over a byte stream.
pub(crate) struct Stream {
    stream: BufReader<DuplexStream>,
    revision: Revision,
    capabilities: Value,
    last: u32,
}

impl Stream {
    pub(crate) async fn open(server: &Server, revision: Revision, capabilities: &Value) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(far);
        let server = server.clone();
        tokio::spawn(async move { server.serve(reader, writer).await });
        let mut client = Self {
            stream: BufReader::new(near),
            revision,
            capabilities: capabilities.clone(),
            last: 0,
        };
        if revision != Revision::V2026_07_28 {
            client.send(&initialize(revision, capabilities)).await;
            assert_eq!(client.next().await["id"], 0);
        }
        client
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.stream.write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"))
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
    server: Server,
    revision: Revision,
    capabilities: Value,
    session: Option<String>,
    /// Whom an outer layer has found it to be.
    pub(crate) principal: Option<Principal>,
    last: u32,
}

/// What comes for one request.
pub(crate) struct Coming {
    is_stream: bool,
    body: BodyDataStream,
    text: String,
}

impl Http {
    pub(crate) async fn open(server: &Server, revision: Revision, capabilities: &Value) -> Self {
        let mut client = Self {
            server: server.clone(),
            revision,
            capabilities: capabilities.clone(),
            session: None,
            principal: None,
            last: 0,
        };
        if revision != Revision::V2026_07_28 {
            let initialize = initialize(revision, capabilities);
            let response = client.post(&initialize).await;
            let session = response.headers()["mcp-session-id"].to_str().unwrap();
            client.session = Some(session.to_owned());
        }
        client
    }

    pub(crate) async fn post(
        &self,
        message: &Value,
    ) -> http::Response<plainly::transport::http::Body> {
        let mut request = Request::post("/")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if self.revision == Revision::V2026_07_28 {
            let params = &message["params"];
            let name = params["name"].as_str().or(params["uri"].as_str()).unwrap();
            request = request
                .header("mcp-protocol-version", self.revision.as_str())
                .header("mcp-method", message["method"].as_str().unwrap())
                .header("mcp-name", name);
        }
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session);
        }
        let mut request = request.body(Body::from(message.to_string())).unwrap();
        if let Some(principal) = &self.principal {
            request.extensions_mut().insert(principal.clone());
        }
        self.server.http().call(request).await.unwrap()
    }

    /// Sends a request, and gives what comes for it.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> Coming {
        self.last += 1;
        let request = request(self.revision, self.last, method, params, &self.capabilities);
        let response = self.post(&request).await;
        let content_type = response.headers().get("content-type");
        Coming {
            is_stream: content_type.is_some_and(|kind| kind == "text/event-stream"),
            body: Body::new(response.into_body()).into_data_stream(),
            text: String::new(),
        }
    }

    /// Sends a request, and gives the first message that comes for it.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.start(method, params).await.next().await
    }

    pub(crate) async fn end_session(&self) {
        let request = Request::delete("/")
            .header("host", "localhost")
            .header("mcp-session-id", self.session.as_ref().unwrap())
            .body(Body::empty())
            .unwrap();
        let response = self.server.http().call(request).await.unwrap();
        assert!(response.status().is_success());
    }

    /// Answers a question.
    pub(crate) async fn respond(&self, response: &Value) {
        assert_eq!(self.post(response).await.status(), StatusCode::ACCEPTED);
    }

    async fn answering(&mut self, method: &str, params: Value, asked: &mut Vec<Value>) -> Value {
        let mut coming = self.start(method, params).await;
        let mut message = coming.next().await;
        while message.get("method").is_some() {
            if message.get("id").is_some() {
                self.respond(&response(&message)).await;
                asked.push(message);
            }
            message = coming.next().await;
        }
        message
    }
}

impl Coming {
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            if let Some(message) = self.take() {
                return message;
            }
            match self.body.next().await {
                Some(bytes) => self.text += std::str::from_utf8(&bytes.unwrap()).unwrap(),
                None => return serde_json::from_str(&self.text).unwrap_or_default(),
            }
        }
    }

    /// The next event that is whole.
    fn take(&mut self) -> Option<Value> {
        if !self.is_stream {
            return None;
        }
        let (event, rest) = self.text.split_once("\n\n")?;
        let data = event.lines().filter_map(|line| line.strip_prefix("data: "));
        let data: String = data.collect();
        self.text = rest.to_owned();
        serde_json::from_str(&data).ok()
    }
}
