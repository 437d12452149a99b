//! Answers out of a recording: what its client declared, and what it said when its server asked.

use std::collections::{BTreeMap, VecDeque};
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use plainly::client::Builder;
use plainly::errors::ProtocolError;
use plainly::protocol::types::{ClientCapabilities, ElicitAction, ElicitResult, ListRootsResult};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::secrets::MASK;
use crate::trace::recording::{Message, Outcome, Recording, Side};

/// Where a request declares them in its metadata, as a JSON Pointer.
const IN_METADATA: &str = "/_meta/io.modelcontextprotocol~1clientCapabilities";

/// Answers in their order; `None` for what was refused, or has a masked secret.
type RecordedAnswers = VecDeque<Option<Box<RawValue>>>;

/// The client of a recording, as its server knew it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordedClient {
    capabilities: Arc<ClientCapabilities>,
    /// Its answers to the questions of each method.
    answers: Arc<Mutex<BTreeMap<String, RecordedAnswers>>>,
}

impl RecordedClient {
    pub(crate) fn of(recording: &Recording) -> Self {
        let mut capabilities = Value::Null;
        let mut questions = BTreeMap::new();
        let mut answers = BTreeMap::<_, RecordedAnswers>::new();
        for recorded in &recording.messages {
            match (recorded.from, &recorded.message) {
                (Side::Client, Message::Request { params, .. }) => {
                    add(&mut capabilities, declared(params.as_deref()));
                }
                (Side::Server, Message::Request { id, method, .. }) => {
                    questions.insert(id.get(), method);
                }
                (
                    Side::Client,
                    Message::Response {
                        id: Some(id),
                        outcome,
                    },
                ) => {
                    let answer = match outcome {
                        Outcome::Result(result) => Some(result.clone()),
                        Outcome::Error(_) => None,
                    };
                    if let Some(method) = questions.remove(id.get()) {
                        let all = answers.entry(method.clone()).or_default();
                        all.push_back(answer.filter(|answer| !answer.get().contains(MASK)));
                    }
                }
                _ => {}
            }
        }
        Self {
            capabilities: Arc::new(
                ClientCapabilities::deserialize(capabilities).unwrap_or_default(),
            ),
            answers: Arc::new(Mutex::new(answers)),
        }
    }

    /// Has the client declare what the recorded one did, and answer as that one did. What was asked more often is refused.
    pub(crate) fn answering<T>(&self, builder: Builder<T>) -> Builder<T> {
        let mut builder = builder.capabilities(ClientCapabilities::clone(&self.capabilities));
        if let Some(elicitation) = &self.capabilities.elicitation {
            if elicitation.form.is_some() || elicitation.url.is_none() {
                let own = self.clone();
                builder = builder.on_elicitation(move |_| {
                    let answer = own.next("elicitation/create");
                    ready(answer.unwrap_or_else(ElicitResult::cancel))
                });
            }
            if elicitation.url.is_some() {
                let own = self.clone();
                builder = builder.on_visit(move |_| {
                    let answer: Option<ElicitResult> = own.next("elicitation/create");
                    ready(answer.map_or(ElicitAction::Cancel, |answer| answer.action))
                });
            }
        }
        if self.capabilities.sampling.is_some() {
            let own = self.clone();
            builder = builder.on_sampling(move |_| {
                let missing = || ProtocolError::internal("the recording has no other answer");
                ready(own.next("sampling/createMessage").ok_or_else(missing))
            });
        }
        if self.capabilities.roots.is_some() {
            let own = self.clone();
            builder = builder.on_roots(move || {
                let listed: Option<ListRootsResult> = own.next("roots/list");
                ready(listed.map(|listed| listed.roots).unwrap_or_default())
            });
        }
        builder
    }

    fn next<T: DeserializeOwned>(&self, method: &str) -> Option<T> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.get_mut(method)?.pop_front()??;
        serde_json::from_str(answer.get()).ok()
    }
}

/// The capabilities that a request declares: in its metadata, or as the first one of a legacy session.
fn declared(params: Option<&RawValue>) -> Value {
    let params = params.and_then(|params| serde_json::from_str(params.get()).ok());
    let mut params: Value = params.unwrap_or_default();
    if let Some(declared) = params.pointer_mut(IN_METADATA) {
        return declared.take();
    }
    params
        .get_mut("capabilities")
        .map(Value::take)
        .unwrap_or_default()
}

/// Adds what some requests declare only.
fn add(all: &mut Value, more: Value) {
    match (all, more) {
        (Value::Object(all), Value::Object(more)) => {
            for (name, value) in more {
                add(all.entry(name).or_insert(Value::Null), value);
            }
        }
        (all @ Value::Null, more) => *all = more,
        (_, _) => {}
    }
}
