//! Acts as a recorded server, message by message, over any transport.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use plainly::errors::mistake::shortened;
use plainly::errors::{Dialect, ProtocolError, Revision};
use plainly::protocol::meta::{PROGRESS_TOKEN, SUBSCRIPTION_ID};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use super::script::{self, Script, Step, scripts};
use crate::secrets::Mask;
use crate::trace::recording::{Message, Outcome, Recording};

/// The most bytes of the recording in an error.
const NAMED: usize = 1_024;

/// The destination of the server's messages.
pub(super) type Listener = mpsc::UnboundedSender<Bytes>;

/// A recorded server. Clones share their progress.
#[derive(Clone, Debug)]
pub(super) struct Player {
    scripts: Arc<[Arc<Script>]>,
    /// The number of times that each request was received so far, by its key.
    played: Arc<Mutex<BTreeMap<String, usize>>>,
    /// The ids of the server's questions that the client has answered.
    heard: Arc<watch::Sender<BTreeSet<String>>>,
}

/// A request of the live client.
#[derive(Debug)]
pub(super) struct LiveRequest {
    pub(super) method: String,
    id: Box<RawValue>,
    token: Option<Value>,
    key: String,
}

/// A message of the client.
#[derive(Debug)]
pub(super) enum ClientMessage {
    Request(LiveRequest),
    /// A notification, with the key of its recorded consequences.
    Notification(String),
    /// The answer to the question with this id.
    Answer(String),
}

impl Player {
    pub(super) fn new(recording: &Recording) -> Self {
        Self {
            scripts: scripts(recording).into_iter().map(Arc::new).collect(),
            played: Arc::default(),
            heard: Arc::new(watch::Sender::new(BTreeSet::new())),
        }
    }

    /// Reads a message of the client.
    pub(super) fn read(message: &[u8]) -> Result<ClientMessage, ProtocolError> {
        let text = str::from_utf8(message).unwrap_or_default();
        let heard = Message::read(text).map_err(ProtocolError::invalid_request)?;
        // Secrets are masked as in a recording, so that the keys match.
        let masked = Mask::default().json(message);
        let masked = Message::read(masked.as_deref().unwrap_or(text));
        let masked = masked.map_err(ProtocolError::invalid_request)?;
        match (heard, masked) {
            (Message::Request { id, method, params }, Message::Request { params: known, .. }) => {
                let params: Value = params
                    .and_then(|params| serde_json::from_str(params.get()).ok())
                    .unwrap_or_default();
                Ok(ClientMessage::Request(LiveRequest {
                    token: params["_meta"].get(PROGRESS_TOKEN).cloned(),
                    key: script::key(&method, known.as_deref()),
                    id,
                    method,
                }))
            }
            (Message::Notification { .. }, Message::Notification { method, params }) => Ok(
                ClientMessage::Notification(script::key(&method, params.as_deref())),
            ),
            (Message::Response { id: Some(id), .. }, _) => {
                Ok(ClientMessage::Answer(id.get().to_owned()))
            }
            _ => Err(ProtocolError::invalid_request("the message has no id")),
        }
    }

    /// Notes that the client has answered a question.
    pub(super) fn hear(&self, id: String) {
        self.heard.send_modify(|heard| {
            heard.insert(id);
        });
    }

    /// Whether the only consequence of a request is its immediate answer.
    pub(super) fn is_plain(&self, asked: &LiveRequest) -> bool {
        let mut equal = self.scripts.iter().filter(|script| script.key == asked.key);
        equal.all(|script| matches!(*script.steps, [] | [Step::Answer(_)]))
    }

    /// Plays the consequences of a request, to `own` until its answer, and then to `others`. If the
    /// recording has no answer, `own` stays open as long as it has a listener. The turn among equal
    /// requests is determined now, not when the future runs.
    pub(super) fn play(
        self,
        asked: LiveRequest,
        own: Listener,
        others: Listener,
    ) -> impl Future<Output = ()> + Send + 'static {
        let script = self.next(&asked.key);
        async move { self.perform(script.as_deref(), &asked, own, others).await }
    }

    async fn perform(
        &self,
        script: Option<&Script>,
        asked: &LiveRequest,
        own: Listener,
        others: Listener,
    ) {
        let Some(script) = script else {
            // Fails if the listener has gone, here and below.
            let _gone = own.send(refusal(&asked.id, &self.unrecorded(asked)));
            return;
        };
        if script.outcome().is_none() && script.steps.is_empty() {
            let why = "the recorded server did not answer this request";
            let _gone = own.send(refusal(&asked.id, &ProtocolError::internal(why)));
            return;
        }
        // This is dropped at the answer, which ends its stream.
        let mut own = Some(own);
        for step in &script.steps {
            match step {
                Step::Say(message) => {
                    let message = renamed(message, script, asked);
                    let listener = own.as_ref().unwrap_or(&others);
                    let _gone = listener.send(message.to_string().into());
                }
                Step::Hear(id) => {
                    let listener = own.as_ref().unwrap_or(&others);
                    tokio::select! {
                        () = self.wait_for(id) => {}
                        // The client that could answer has gone.
                        () = listener.closed() => return,
                    }
                }
                Step::Answer(outcome) => {
                    let listener = own.take();
                    let _gone = listener.map(|own| own.send(answer(&asked.id, outcome)));
                }
            }
        }
        if let Some(own) = own {
            own.closed().await;
        }
    }

    /// Plays the consequences of a notification, whose turn is determined now.
    pub(super) fn follow(
        self,
        key: &str,
        others: Listener,
    ) -> impl Future<Output = ()> + Send + use<> {
        let script = self.next(key);
        async move {
            for step in script.iter().flat_map(|script| &script.steps) {
                match step {
                    Step::Say(message) => {
                        let _gone = others.send(message.to_string().into());
                    }
                    Step::Hear(id) => self.wait_for(id).await,
                    Step::Answer(_) => {}
                }
            }
        }
    }

    async fn wait_for(&self, id: &str) {
        let mut heard = self.heard.subscribe();
        // Fails only without a sender, and `self` holds it.
        let _heard = heard.wait_for(|heard| heard.contains(id)).await.map(drop);
        self.heard.send_modify(|heard| {
            heard.remove(id);
        });
    }

    /// The consequences of the next message with this key. Equal messages take turns, and the last
    /// one's consequences are repeated.
    fn next(&self, key: &str) -> Option<Arc<Script>> {
        let mut equal = self.scripts.iter().filter(|script| script.key == key);
        let count = equal.clone().count();
        let mut played = self.played();
        let turn = played.get(key).copied().unwrap_or_default();
        if turn >= count && equal.clone().any(|script| script.is_handshake()) {
            // Another client has connected, so the recording starts again.
            played.clear();
            played.insert(key.to_owned(), 1);
            return equal.next().cloned();
        }
        played.insert(key.to_owned(), turn + 1);
        equal.nth(turn.min(count.checked_sub(1)?)).cloned()
    }

    fn played(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error for an unrecorded request, which names what is recorded instead.
    fn unrecorded(&self, asked: &LiveRequest) -> ProtocolError {
        let requests = || self.scripts.iter().filter(|script| script.id.is_some());
        let alike: Vec<String> = requests()
            .filter(|script| script.method == asked.method)
            .map(|script| {
                let (_, params) = script.key.split_once(' ').unwrap_or((&script.key, "{}"));
                format!("{params} (line {})", script.line)
            })
            .collect();
        if alike.is_empty() {
            let methods: BTreeSet<&str> = requests().map(|script| &*script.method).collect();
            let methods: Vec<&str> = methods.into_iter().collect();
            let message = format!(
                "{} is not recorded: the recording has {}",
                asked.method,
                shortened(&methods.join(", "), NAMED)
            );
            // Some clients hide the error for an unknown method from their users, as if a listing
            // were empty. Only in a handshake do they need that error.
            return match script::is_handshake(&asked.method) {
                true => ProtocolError::method_not_found(&asked.method).with_message(message),
                false => ProtocolError::invalid_params(message),
            };
        }
        ProtocolError::invalid_params(format!(
            "{} is not recorded with these parameters: the recording has {}",
            asked.method,
            shortened(&alike.join(", "), NAMED)
        ))
    }
}

/// The recorded message, with the ids of the current request.
fn renamed(message: &Value, script: &Script, asked: &LiveRequest) -> Value {
    let mut message = message.clone();
    let id = serde_json::from_str(asked.id.get()).ok();
    let names = [
        (
            format!("/params/{PROGRESS_TOKEN}"),
            &script.token,
            &asked.token,
        ),
        (
            format!("/params/_meta/{}", SUBSCRIPTION_ID.replace('/', "~1")),
            &script.id,
            &id,
        ),
        ("/params/requestId".to_owned(), &script.id, &id),
    ];
    for (place, recorded, now) in names {
        if let (Some(name), Some(now)) = (message.pointer_mut(&place), now)
            && Some(&*name) == recorded.as_ref()
        {
            *name = now.clone();
        }
    }
    message
}

fn answer(id: &RawValue, outcome: &Outcome) -> Bytes {
    let (member, json) = match outcome {
        Outcome::Result(json) => ("result", json),
        Outcome::Error(json) => ("error", json),
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{json}}}"#).into()
}

/// The answer to a rejected request.
fn refusal(id: &RawValue, error: &ProtocolError) -> Bytes {
    error_response(Some(id), error)
}

/// The answer to an unreadable message.
pub(super) fn error_response(id: Option<&RawValue>, error: &ProtocolError) -> Bytes {
    let error = Dialect::default().encode(error, Revision::LATEST);
    json!({"jsonrpc": "2.0", "id": id, "error": error})
        .to_string()
        .into()
}
