//! Clients without sockets: of the newest revision, of an older one with a session, and listening
//! ones.

#![expect(clippy::unwrap_used, reason = "what fails here fails the measurement")]

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use http::{HeaderMap, HeaderName};
use plainly::Server;
use plainly::transport::{Event, Exchange, Feed, Frame, Reply, ReplyBody};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinSet;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &str)| {
        (HeaderName::from_static(name), value.parse().unwrap())
    };
    all.iter().map(pair).collect()
}

pub(crate) async fn modern(
    server: &Server,
    name: Option<&str>,
    method: &str,
    mut params: Value,
) -> Reply {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": { "io.modelcontextprotocol/tasks": {} },
        },
    });
    let mut all = headers(&[("mcp-protocol-version", MODERN), ("mcp-method", method)]);
    if let Some(name) = name {
        all.insert("mcp-name", name.parse().unwrap());
    }
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    server
        .exchange(&Frame::new(all, message.to_string().into()))
        .await
}

pub(crate) async fn whole(reply: Reply) -> Value {
    match reply.body {
        ReplyBody::Whole(body) => serde_json::from_slice(&body).unwrap(),
        ReplyBody::Feed(mut feed) => next(&mut feed).await.1,
    }
}

/// The next event with a message.
async fn next(feed: &mut Box<dyn Feed>) -> (Event, Value) {
    let event = next_unparsed(feed).await;
    let message = serde_json::from_slice(&event.data).unwrap();
    (event, message)
}

/// The next event with a message, which is not parsed.
async fn next_unparsed(feed: &mut Box<dyn Feed>) -> Event {
    loop {
        let event = poll_fn(|context| feed.poll_event(context)).await.unwrap();
        if !event.data.is_empty() {
            return event;
        }
    }
}

pub(crate) async fn modern_call(server: &Server, tool: &str) -> Value {
    let params = json!({ "name": tool, "arguments": { "text": "hello" } });
    whole(modern(server, Some(tool), "tools/call", params).await).await
}

pub(crate) async fn task_call(server: &Server, id: &str) -> Value {
    let params = json!({ "taskId": id });
    whole(modern(server, Some(id), "tasks/get", params).await).await
}

/// A session of an older client.
pub(crate) struct Session(HeaderMap);

impl Session {
    pub(crate) async fn try_open(server: &Server) -> Option<Self> {
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": { "roots": {} },
            "clientInfo": { "name": "figures", "version": "1" },
        } });
        let frame = Frame::new(HeaderMap::new(), hello.to_string().into());
        let reply = server.exchange(&frame).await;
        let name = reply.headers.get("mcp-session-id")?.to_str().unwrap();
        let all = [("mcp-protocol-version", LEGACY), ("mcp-session-id", name)];
        Some(Self(headers(&all)))
    }

    pub(crate) async fn open(server: &Server) -> Self {
        Self::try_open(server).await.unwrap()
    }

    pub(crate) async fn send(&self, server: &Server, message: &Value) -> Reply {
        let frame = Frame::new(self.0.clone(), message.to_string().into());
        server.exchange(&frame).await
    }

    async fn calling(&self, server: &Server, tool: &str, arguments: Value) -> Reply {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        self.send(server, &call).await
    }

    pub(crate) async fn call(&self, server: &Server, tool: &str) {
        let arguments = json!({ "text": "hello" });
        let reply = whole(self.calling(server, tool, arguments).await).await;
        assert_eq!(reply["result"]["content"][0]["text"], "hello", "{reply}");
    }

    /// Calls a tool that asks the client.
    pub(crate) async fn ask(&self, server: &Server, arguments: Value) -> Asked<'_> {
        let ReplyBody::Feed(mut feed) = self.calling(server, "roots", arguments).await.body else {
            panic!("the tool asks");
        };
        let (event, question) = next(&mut feed).await;
        Asked {
            session: self,
            feed,
            event,
            question,
        }
    }
}

/// A call that waits for the answer to a question.
pub(crate) struct Asked<'a> {
    session: &'a Session,
    feed: Box<dyn Feed>,
    event: Event,
    question: Value,
}

impl Asked<'_> {
    /// Sends the answer to a server, and returns the tool's reply.
    pub(crate) async fn answer(mut self, server: &Server) -> Value {
        let roots = json!({ "roots": [{ "uri": "file:///home/ada" }] });
        let answer = json!({ "jsonrpc": "2.0", "id": self.question["id"], "result": roots });
        let accepted = self.session.send(server, &answer).await;
        assert_eq!(accepted.status.as_u16(), 202);
        let (_, reply) = next(&mut self.feed).await;
        assert_eq!(reply["id"], 1);
        reply
    }

    /// Resumes the stream at a server.
    pub(crate) async fn resume(self, server: &Server) -> Self {
        let mut all = self.session.0.clone();
        let id = self.event.id.as_deref().unwrap();
        all.insert("last-event-id", id.parse().unwrap());
        let reply = server
            .open_stream(&Frame::new(all, Vec::new().into()))
            .await;
        let ReplyBody::Feed(feed) = reply.body else {
            panic!("{}", reply.status);
        };
        Self { feed, ..self }
    }
}

/// Listening clients, distributed over the servers. They parse no notification, and only the last of
/// them wakes the caller, because a measurement would include that.
pub(crate) struct Listeners {
    told: Arc<Told>,
    _reading: JoinSet<()>,
}

struct Told {
    /// Whether each client was notified.
    each: Vec<AtomicBool>,
    /// The number of clients that were not.
    missing: AtomicUsize,
    all: Notify,
}

impl Listeners {
    pub(crate) async fn begin(servers: &[&Server], count: usize) -> Self {
        let told = Arc::new(Told {
            each: (0..count).map(|_| AtomicBool::new(false)).collect(),
            missing: AtomicUsize::new(count),
            all: Notify::new(),
        });
        let mut reading = JoinSet::new();
        for number in 0..count {
            let asked = json!({ "notifications": { "toolsListChanged": true } });
            let server = servers[number % servers.len()];
            let reply = modern(server, None, "subscriptions/listen", asked).await;
            let ReplyBody::Feed(mut feed) = reply.body else {
                panic!("{}", reply.status);
            };
            next(&mut feed).await;
            let told = Arc::clone(&told);
            reading.spawn(async move {
                loop {
                    next_unparsed(&mut feed).await;
                    told.add(number);
                }
            });
        }
        Self {
            told,
            _reading: reading,
        }
    }

    /// Waits until each client was notified.
    pub(crate) async fn all_told(&mut self) {
        self.told.all.notified().await;
        self.told.begin_again();
    }
}

impl Told {
    fn add(&self, number: usize) {
        let is_first = !self.each[number].swap(true, Ordering::SeqCst);
        if is_first && self.missing.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.all.notify_one();
        }
    }

    fn begin_again(&self) {
        // First of all, so that it only reaches zero once each was notified again.
        self.missing.store(self.each.len(), Ordering::SeqCst);
        for one in &self.each {
            one.store(false, Ordering::SeqCst);
        }
    }
}
