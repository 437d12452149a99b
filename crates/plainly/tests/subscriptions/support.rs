//! A store whose changes are those that a test sends, and clients that speak in raw messages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use plainly::limits::Limits;
use plainly::protocol::types::{Resource, ResourceContents};
use plainly::server::{Changes, Prompt, Server, Tool};
use plainly::store::{Change, ListQuery, Page, Store, StoreError};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// No messages.
pub(crate) const NOTHING: [Value; 0] = [];
pub(crate) const ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Serves every URI that begins with `db://`; those that end with `/gone` don't exist.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    can_watch: bool,
    watchers: Arc<Mutex<Vec<mpsc::UnboundedSender<Change>>>>,
}

impl Source {
    pub(crate) fn new() -> Self {
        Self {
            can_watch: true,
            watchers: Arc::default(),
        }
    }

    pub(crate) fn blind() -> Self {
        Self {
            can_watch: false,
            ..Self::new()
        }
    }

    /// How many watch.
    pub(crate) fn watchers(&self) -> usize {
        let mut watchers = self.watchers.lock().unwrap();
        watchers.retain(|watcher| !watcher.is_closed());
        watchers.len()
    }

    /// Waits until so many watch.
    pub(crate) async fn watched_by(&self, count: usize) {
        within(async {
            while self.watchers() != count {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    pub(crate) fn updated(&self, uri: &str) {
        self.tell(&Change::Resource(uri.to_owned()));
    }

    pub(crate) fn listed(&self) {
        self.tell(&Change::Listing);
    }

    fn tell(&self, change: &Change) {
        for watcher in self.watchers.lock().unwrap().iter() {
            // One that has gone needs to hear nothing.
            watcher.send(change.clone()).ok();
        }
    }
}

impl Store for Source {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("db://")
    }

    async fn list(&self, _query: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        match uri.ends_with("/gone") {
            true => Err(StoreError::NotFound),
            false => Ok(Resource::new(uri, "row").is_collection(false)),
        }
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let resource = self.metadata(uri).await?;
        Ok(vec![ResourceContents::new(resource, "x")])
    }

    fn watch(&self) -> Option<BoxStream<'static, Change>> {
        if !self.can_watch {
            return None;
        }
        let (sender, mut receiver) = mpsc::unbounded_channel();
        self.watchers.lock().unwrap().push(sender);
        Some(futures_util::stream::poll_fn(move |context| receiver.poll_recv(context)).boxed())
    }
}

/// A server of such a store.
pub(crate) fn server(source: &Source) -> Server {
    let builder = Server::builder("test", "1").store(source.clone());
    builder
        .tool(Tool::new("hello", async || "Hello!"))
        .build()
        .unwrap()
}

pub(crate) fn limited(source: &Source, change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    let builder = Server::builder("test", "1").store(source.clone());
    builder.limits(limits).build().unwrap()
}

/// A server whose author tells what changes.
pub(crate) fn telling(changes: &Changes) -> Server {
    let builder = Server::builder("test", "1").store(Source::blind());
    builder
        .tool(Tool::new("hello", async || "Hello!"))
        .prompt(Prompt::new("greet", async || "Greet me."))
        .changes(changes.clone())
        .build()
        .unwrap()
}

/// A test that hangs fails.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .expect("took too long")
}

/// A request of 2026-07-28.
pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub(crate) fn listen(id: impl Into<Value>, notifications: &Value) -> Value {
    modern(
        id,
        "subscriptions/listen",
        json!({"notifications": notifications}),
    )
}

pub(crate) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn initialize(revision: &str) -> Value {
    let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    request(0, "initialize", &params)
}

pub(crate) fn acknowledged(id: impl Into<Value>, notifications: &Value) -> Value {
    let params = json!({"_meta": {ID: id.into()}, "notifications": notifications});
    notification("subscriptions/acknowledged", params)
}

pub(crate) fn updated(id: impl Into<Value>, uri: &str) -> Value {
    let params = json!({"_meta": {ID: id.into()}, "uri": uri});
    notification("resources/updated", params)
}

pub(crate) fn changed(id: impl Into<Value>, list: &str) -> Value {
    let params = json!({"_meta": {ID: id.into()}});
    notification(&format!("{list}/list_changed"), params)
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
}

pub(crate) fn ended(id: impl Into<Value>) -> Value {
    let id = id.into();
    let meta = json!({
        "io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1"},
        ID: id,
    });
    json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": meta}})
}

/// A client over a byte stream.
pub(crate) struct Peer {
    writer: WriteHalf<DuplexStream>,
    reader: Lines<BufReader<ReadHalf<DuplexStream>>>,
    stop: Option<oneshot::Sender<()>>,
    pub(crate) serving: JoinHandle<std::io::Result<()>>,
}

impl Peer {
    pub(crate) fn connect(server: &Server) -> Self {
        Self::with_buffer(server, 1 << 20)
    }

    pub(crate) fn with_buffer(server: &Server, bytes: usize) -> Self {
        let (near, far) = tokio::io::duplex(bytes);
        let (reader, writer) = tokio::io::split(far);
        let (stop, stopped) = oneshot::channel();
        let server = server.clone();
        let serving = tokio::spawn(async move {
            let stopped = async {
                if stopped.await.is_err() {
                    std::future::pending().await
                }
            };
            server.serve_until(reader, writer, stopped).await
        });
        let (reader, writer) = tokio::io::split(near);
        Self {
            writer,
            reader: BufReader::new(reader).lines(),
            stop: Some(stop),
            serving,
        }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn send_text(&mut self, message: &str) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    /// Sends all at once.
    pub(crate) async fn send_all(&mut self, messages: &[&Value]) {
        let lines: String = messages
            .iter()
            .map(|message| format!("{message}\n"))
            .collect();
        self.writer.write_all(lines.as_bytes()).await.unwrap();
    }

    /// Says that nothing more will be sent.
    pub(crate) async fn finish(&mut self) {
        self.writer.shutdown().await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> Value {
        let line = within(self.reader.next_line()).await.unwrap();
        serde_json::from_str(&line.expect("the server closed")).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.next().await
    }

    /// What came so far, up to the reply to a request that is sent now.
    pub(crate) async fn so_far(&mut self) -> Vec<Value> {
        let ping = modern("so far", "server/discover", json!({}));
        self.send(&ping).await;
        let mut messages = Vec::new();
        loop {
            match self.next().await {
                reply if reply["id"] == "so far" => return messages,
                message => messages.push(message),
            }
        }
    }

    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// All that still comes, until the server closes.
    pub(crate) async fn rest(&mut self) -> VecDeque<Value> {
        let mut messages = VecDeque::new();
        while let Some(line) = within(self.reader.next_line()).await.unwrap() {
            messages.push_back(serde_json::from_str(&line).unwrap());
        }
        messages
    }
}
