//! The reactions of a recorded server to each message of its client, in order. Messages that answer
//! no request belong to the request that they name, or else to the last one before them.

use std::collections::BTreeMap;

use plainly::protocol::meta::{PROGRESS_TOKEN, SUBSCRIPTION_ID};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::trace::recording::{Message, Outcome, RecordedMessage, Recording, Side};

/// The requests that introduce a client. Their parameters are ignored, because the client makes no
/// difference to the server.
const HANDSHAKES: [&str; 2] = ["initialize", "server/discover"];

/// A message of the client, and its consequences.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) method: String,
    /// The key that identifies the message.
    pub(super) key: String,
    /// The line in the recording.
    pub(super) line: usize,
    /// The id, if it is a request.
    pub(super) id: Option<Value>,
    /// The token of the request's progress.
    pub(super) token: Option<Value>,
    pub(super) steps: Vec<Step>,
}

/// One consequence of a message.
#[derive(Debug)]
pub(super) enum Step {
    /// The server sends a message.
    Say(Value),
    /// The client answers the server's request with this id, as JSON.
    Hear(String),
    /// The server answers.
    Answer(Outcome),
}

impl Script {
    fn new(
        recorded: &RecordedMessage,
        id: Option<Value>,
        method: &str,
        params: Option<&RawValue>,
    ) -> Self {
        let decoded = decode(params);
        Self {
            method: method.to_owned(),
            key: key(method, params),
            line: recorded.line,
            id,
            token: decoded["_meta"].get(PROGRESS_TOKEN).cloned(),
            steps: Vec::new(),
        }
    }

    /// The answer, if the recording has one.
    pub(super) fn outcome(&self) -> Option<&Outcome> {
        self.steps.iter().find_map(|step| match step {
            Step::Answer(outcome) => Some(outcome),
            Step::Say(_) | Step::Hear(_) => None,
        })
    }

    /// Whether the message opens a connection.
    pub(super) fn is_handshake(&self) -> bool {
        is_handshake(&self.method)
    }

    /// Whether a message of the server names this request.
    fn is_named(&self, params: &Value) -> bool {
        let named = |own: &Option<Value>, other: &Value| own.as_ref() == Some(other);
        named(&self.token, &params[PROGRESS_TOKEN])
            || named(&self.id, &params["_meta"][SUBSCRIPTION_ID])
            || named(&self.id, &params["requestId"])
    }
}

/// Whether a method opens a connection.
pub(super) fn is_handshake(method: &str) -> bool {
    HANDSHAKES.contains(&method)
}

/// The key that identifies a request: its method and parameters, without the members that differ
/// each time.
pub(super) fn key(method: &str, params: Option<&RawValue>) -> String {
    if is_handshake(method) {
        return method.to_owned();
    }
    let mut params = decode(params);
    if let Some(members) = params.as_object_mut() {
        members.remove("_meta");
    }
    // The parameters are sorted by name, because clients write them in any order.
    match params.as_object().is_none_or(serde_json::Map::is_empty) {
        true => method.to_owned(),
        false => format!("{method} {params}"),
    }
}

fn decode(params: Option<&RawValue>) -> Value {
    let decoded = params.map(|params| serde_json::from_str(params.get()));
    decoded.and_then(Result::ok).unwrap_or_default()
}

/// The scripts of a recording, in the order of the client's messages.
pub(super) fn scripts(recording: &Recording) -> Vec<Script> {
    let mut scripts: Vec<Script> = Vec::new();
    // The requests without an answer yet, and the server's questions without an answer yet.
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for recorded in &recording.messages {
        match (recorded.from, &recorded.message) {
            (Side::Client, Message::Request { id, method, params }) => {
                open.insert(id.get().to_owned(), scripts.len());
                let decoded = serde_json::from_str(id.get()).ok();
                scripts.push(Script::new(recorded, decoded, method, params.as_deref()));
            }
            (Side::Client, Message::Notification { method, params }) => {
                scripts.push(Script::new(recorded, None, method, params.as_deref()));
            }
            (Side::Client, Message::Response { id: Some(id), .. }) => {
                let script = asked.remove(id.get()).and_then(|at| scripts.get_mut(at));
                if let Some(script) = script {
                    script.steps.push(Step::Hear(id.get().to_owned()));
                }
            }
            (
                Side::Server,
                Message::Response {
                    id: Some(id),
                    outcome,
                },
            ) => {
                let script = open.remove(id.get()).and_then(|at| scripts.get_mut(at));
                if let Some(script) = script {
                    script.steps.push(Step::Answer(outcome.clone()));
                }
            }
            (Side::Server, Message::Request { id, method, params }) => {
                let decoded: Value = serde_json::from_str(id.get()).unwrap_or_default();
                let params = decode(params.as_deref());
                let message =
                    json!({"jsonrpc": "2.0", "id": decoded, "method": method, "params": params});
                // A question most likely belongs to the last open request.
                let about = open.values().max().copied();
                if let Some(at) = say(message, about, &mut scripts) {
                    asked.insert(id.get().to_owned(), at);
                }
            }
            (Side::Server, Message::Notification { method, params }) => {
                let params = decode(params.as_deref());
                let about = scripts.iter().rposition(|script| script.is_named(&params));
                let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
                say(message, about, &mut scripts);
            }
            // The request of such a response is unknown.
            (_, Message::Response { id: None, .. }) => {}
        }
    }
    scripts
}

/// Adds a message of the server to the script at `about`, or else to the last one, if there is any.
fn say(mut message: Value, about: Option<usize>, scripts: &mut [Script]) -> Option<usize> {
    if let Some(members) = message.as_object_mut() {
        // Messages without parameters were recorded with null.
        members.retain(|name, value| name != "params" || !value.is_null());
    }
    let at = about.or(scripts.len().checked_sub(1))?;
    scripts.get_mut(at)?.steps.push(Step::Say(message));
    Some(at)
}
