//! One end of an in-memory byte stream, on which each line is a message.

use std::borrow::Borrow;
use std::io;
use std::time::Duration;

use axum::http::Extensions;
use plainly::server::{Principal, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::{check_words, message, within};

/// Enough buffer for everything that a test sends before the other end reads.
const ROOM: usize = 1 << 20;

/// The test's end of a stream.
#[derive(Debug)]
pub struct Peer {
    /// The stream, from which the test reads anything that is not a message.
    pub stream: BufReader<DuplexStream>,
    serving: Option<Serving>,
}

/// The task that serves the other end.
#[derive(Debug)]
struct Serving {
    task: JoinHandle<io::Result<()>>,
    stop: Option<oneshot::Sender<()>>,
}

/// A signal to stop serving.
#[derive(Debug)]
pub struct Stop(oneshot::Receiver<()>);

impl Stop {
    /// Waits for the signal; forever if the peer was dropped without sending it.
    pub async fn told(self) {
        if self.0.await.is_err() {
            std::future::pending().await
        }
    }
}

/// Creates both ends of a stream that buffers `bytes`: the peer, and the end for the tested side.
#[must_use]
pub fn pair(bytes: usize) -> (Peer, DuplexStream) {
    let (near, far) = tokio::io::duplex(bytes);
    let stream = BufReader::new(near);
    let serving = None;
    (Peer { stream, serving }, far)
}

/// Connects a client's end of a stream to `server`, split into reader and writer.
#[must_use]
pub fn served(server: &Server) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (near, far) = tokio::io::duplex(ROOM);
    let server = server.clone();
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        server.serve(reader, writer).await
    });
    tokio::io::split(near)
}

impl Peer {
    /// Connects a client to `server`.
    #[must_use]
    pub fn connect(server: &Server) -> Self {
        Self::with_room(server, ROOM)
    }

    /// Connects a client to `server` on a stream that buffers `bytes`.
    #[must_use]
    pub fn with_room(server: &Server, bytes: usize) -> Self {
        let server = server.clone();
        Self::serve(bytes, async move |far, stopped| {
            let (reader, writer) = tokio::io::split(far);
            Ok(server.serve(reader, writer).until(stopped.told()).await?)
        })
    }

    /// Connects a client like [`with_room`](Self::with_room), as an authenticated principal or
    /// anonymously.
    #[must_use]
    pub fn known(server: &Server, principal: Option<&Principal>, bytes: usize) -> Self {
        let mut extensions = Extensions::new();
        principal.map(|principal| extensions.insert(principal.clone()));
        let server = server.clone();
        Self::serve(bytes, async move |far, stopped| {
            let (reader, writer) = tokio::io::split(far);
            let serving = server.serve(reader, writer).extensions(extensions);
            Ok(serving.until(stopped.told()).await?)
        })
    }

    /// Connects a client to `serve` at the other end.
    pub fn serve<S, F>(bytes: usize, serve: S) -> Self
    where
        S: FnOnce(DuplexStream, Stop) -> F,
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let (mut peer, far) = pair(bytes);
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(serve(far, Stop(stopped)));
        let stop = Some(stop);
        peer.serving = Some(Serving { task, stop });
        peer
    }

    /// Sends a message.
    pub async fn send(&mut self, message: impl Borrow<Value>) {
        self.say(&message.borrow().to_string()).await;
    }

    /// Sends a line of any text.
    pub async fn say(&mut self, line: &str) {
        self.write(format!("{line}\n")).await;
    }

    /// Sends messages in one write.
    pub async fn send_all<'a>(&mut self, messages: impl IntoIterator<Item = &'a Value>) {
        let lines = messages.into_iter().map(|message| format!("{message}\n"));
        self.write(lines.collect::<String>()).await;
    }

    /// Writes bytes unchanged. If the other end has closed the stream, its own test reports that.
    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let _hung_up = within(self.stream.write_all(bytes.as_ref())).await;
    }

    /// Reads the next line, without its end; `None` once the other end has closed the stream.
    pub async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        within(self.stream.read_line(&mut line)).await.unwrap();
        line.pop().map(|end| {
            assert_eq!(end, '\n', "the stream ended in {line}");
            line
        })
    }

    /// Reads the next message; `None` once the other end has closed the stream.
    pub async fn message(&mut self) -> Option<Value> {
        let line = self.line().await?;
        let message = serde_json::from_str(&line);
        let message = message.unwrap_or_else(|error| panic!("{error}: {line}"));
        check_words(&message);
        Some(message)
    }

    /// Reads the next message.
    pub async fn next(&mut self) -> Value {
        self.message().await.expect("the other end closed")
    }

    /// Sends a request, and returns the next message as its reply.
    pub async fn ask(&mut self, request: impl Borrow<Value>) -> Value {
        self.send(request).await;
        self.next().await
    }

    /// Reads all messages until the other end closes the stream.
    pub async fn rest(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(message) = self.message().await {
            messages.push(message);
        }
        messages
    }

    /// Reads all messages up to the reply to a new request.
    pub async fn so_far(&mut self) -> Vec<Value> {
        let last = message::modern("so far", "server/discover", json!({}));
        self.send(last).await;
        let mut messages = Vec::new();
        loop {
            match self.next().await {
                reply if reply["id"] == "so far" => return messages,
                message => messages.push(message),
            }
        }
    }

    /// Closes the writing side, but not the reading side.
    pub async fn finish(&mut self) {
        within(self.stream.shutdown()).await.unwrap();
    }

    /// Tells the other end to stop serving.
    pub fn stop(&mut self) {
        let stop = self
            .serving
            .as_mut()
            .and_then(|serving| serving.stop.take());
        stop.unwrap().send(()).unwrap();
    }

    /// The result of serving the other end, once it has ended.
    pub async fn served(&mut self) -> io::Result<()> {
        let serving = self.serving.take().expect("nobody serves");
        within(serving.task).await.unwrap()
    }

    /// Whether serving the other end has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let serving = self.serving.as_ref();
        serving.is_none_or(|serving| serving.task.is_finished())
    }
}

/// The methods of a peer that plays a server.
impl Peer {
    /// Reads the next message, which must have this method.
    pub async fn request(&mut self, method: &str) -> Value {
        let message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// Checks that no message follows, and that the stream ends.
    pub async fn ended(&mut self) {
        assert_eq!(self.message().await, None);
    }

    /// Checks that no message comes for an hour of simulated time.
    pub async fn silent(&mut self) {
        let next = tokio::time::timeout(Duration::from_secs(3600), self.stream.fill_buf());
        assert!(next.await.is_err(), "something came, or the stream ended");
    }

    /// Answers `request`.
    pub async fn reply(&mut self, request: &Value, result: Value) {
        self.send(message::result(request, result)).await;
    }

    /// Answers `request` with an error.
    pub async fn fail(&mut self, request: &Value, code: i64, data: Option<Value>) {
        let mut error = json!({"code": code, "message": "no"});
        if let Some(data) = data {
            error["data"] = data;
        }
        self.send(message::error(request, error)).await;
    }

    /// Answers the next message, which must have this method, with a minimal result.
    pub async fn answer(&mut self, method: &str) {
        self.answer_with(method, message::least(method)).await;
    }

    /// Answers the next message, which must have this method.
    pub async fn answer_with(&mut self, method: &str, result: Value) {
        let request = self.request(method).await;
        self.reply(&request, result).await;
    }

    /// Answers the next message, which must have this method, with an error.
    pub async fn refuse(&mut self, method: &str, code: i64, data: Option<Value>) {
        let request = self.request(method).await;
        self.fail(&request, code, data).await;
    }

    /// Answers a client's first messages like a legacy server, and returns the handshake.
    pub async fn open_session(&mut self, version: &str, capabilities: Value) -> Value {
        self.refuse("server/discover", -32601, None).await;
        self.shake_hands(version, capabilities).await
    }

    /// Answers the handshake of a session, and waits for its last step.
    pub async fn shake_hands(&mut self, version: &str, capabilities: Value) -> Value {
        let handshake = self.request("initialize").await;
        let result = message::initialized(version, capabilities);
        self.reply(&handshake, result).await;
        self.request("notifications/initialized").await;
        handshake
    }
}
