//! A server that plays tasks by a script, and records the client's messages and their times.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::Client;
use plainly::client::{Builder, Over};
use plainly_peer::{Peer, message};
use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};
use tokio::time::Instant;

pub(crate) type Unconnected = Builder<Over<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>>;

/// An answer of the server.
pub(crate) enum Say {
    Result(Value),
    Error(i64),
    /// A complete error object.
    Refusal(Value),
    Nothing,
}

/// A message of the client.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Duration,
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// All messages of the client after the handshake.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<Sent>>>);

impl Log {
    /// Returns the requests of this method so far.
    pub(crate) fn of(&self, method: &str) -> Vec<Sent> {
        let all = self.0.lock().unwrap();
        all.iter()
            .filter(|sent| sent.method == method)
            .cloned()
            .collect()
    }

    /// Returns the number of requests of this method.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.of(method).len()
    }

    /// Returns the pauses between the call and each poll of the task.
    pub(crate) fn pauses(&self) -> Vec<Duration> {
        let begun = self.of("tools/call").first().map(|call| call.at);
        let asked = self.of("tasks/get").into_iter().map(|sent| sent.at);
        let times: Vec<_> = begun.into_iter().chain(asked).collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

/// Returns the task `t`, with these members added or replaced.
pub(crate) fn task(members: Value) -> Value {
    let mut task = json!({
        "taskId": "t", "status": "working", "createdAt": "2025-11-25T10:30:00Z", "lastUpdatedAt": "2025-11-25T10:40:00Z",
        "ttlMs": null, "resultType": "complete",
    });
    for (name, value) in members.as_object().unwrap() {
        task[name] = value.clone();
    }
    task
}

/// Returns the handle of the task.
pub(crate) fn handle(members: Value) -> Value {
    let mut handle = task(members);
    handle["resultType"] = "task".into();
    handle
}

pub(crate) fn working() -> Value {
    task(json!({}))
}

pub(crate) fn completed() -> Value {
    task(json!({"status": "completed", "result": {"content": [{"type": "text", "text": "done"}]}}))
}

/// Returns a task that asks these questions, each as a form.
pub(crate) fn asks(keys: &[&str]) -> Value {
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}});
    let question = |key: &&str| {
        let question = json!({"method": "elicitation/create", "params": form});
        ((*key).to_owned(), question)
    };
    let questions: serde_json::Map<_, _> = keys.iter().map(question).collect();
    task(json!({"status": "input_required", "inputRequests": questions}))
}

/// Answers a call with a handle, and each poll with the next state. The last state is repeated.
pub(crate) fn through(
    handle: Value,
    states: impl IntoIterator<Item = Value>,
) -> impl FnMut(&str, &Value) -> Say + Send + 'static {
    let mut states: Vec<_> = states.into_iter().collect();
    states.reverse();
    move |method, _| match method {
        "tools/call" => Say::Result(handle.clone()),
        "tasks/get" if states.len() > 1 => Say::Result(states.pop().unwrap()),
        "tasks/get" => Say::Result(states[0].clone()),
        "tasks/update" | "tasks/cancel" => Say::Result(json!({"resultType": "complete"})),
        _ => Say::Error(-32601),
    }
}

/// Connects a client to a modern server, and returns both.
pub(crate) async fn modern(set: impl FnOnce(Unconnected) -> Unconnected) -> (Client, Peer) {
    let (mut peer, far) = plainly_peer::pair(1 << 16);
    let (reader, writer) = tokio::io::split(far);
    let discovered = message::discovered(json!({"tools": {}, "resources": {}, "prompts": {}}));
    let (client, ()) = tokio::join!(
        set(Client::over(reader, writer)).connect(),
        peer.answer_with("server/discover", discovered)
    );
    (client.unwrap(), peer)
}

/// Connects a client to a server that answers by `script`.
pub(crate) async fn play(
    set: impl FnOnce(Unconnected) -> Unconnected,
    mut script: impl FnMut(&str, &Value) -> Say + Send + 'static,
) -> (Client, Log) {
    let (client, mut peer) = modern(set).await;
    let log = Log::default();
    let noted = log.clone();
    let start = Instant::now();
    tokio::spawn(async move {
        while let Some(message) = peer.message().await {
            let method = message["method"].as_str().unwrap().to_owned();
            let params = message["params"].clone();
            let said = message.get("id").map(|_| script(&method, &params));
            let at = start.elapsed();
            noted.0.lock().unwrap().push(Sent { at, method, params });
            match said {
                Some(Say::Result(result)) => peer.reply(&message, result).await,
                Some(Say::Error(code)) => peer.fail(&message, code, None).await,
                Some(Say::Refusal(error)) => peer.send(message::error(&message, error)).await,
                Some(Say::Nothing) | None => {}
            }
        }
    });
    (client, log)
}

/// Connects a client without a handler for questions, whose task has these states.
pub(crate) async fn follow(states: impl IntoIterator<Item = Value>) -> (Client, Log) {
    play(|builder| builder, through(handle(json!({})), states)).await
}

/// Lets everything that is due happen.
pub(crate) async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
