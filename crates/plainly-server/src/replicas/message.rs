//! The messages between replicas, as JSON. A replica ignores unknown kinds.

use plainly_protocol::id::RequestId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::changes::Topic;

/// A message with its number among those of its sender.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Numbered<T> {
    pub(super) number: u64,
    pub(super) content: T,
}

impl<T> Numbered<T> {
    pub(super) fn new(number: u64, content: T) -> Self {
        Self { number, content }
    }
}

/// A message of possibly unknown kind.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct AnyKind(Box<RawValue>);

impl AnyKind {
    /// The message, if its kind is known.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        decode(self.0.get().as_bytes())
    }
}

/// An event for all replicas.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReplicaEvent {
    /// A topic has changed.
    Changed(ToldTopic),
    /// A client has cancelled a request of its session.
    Cancelled { session: String, id: RequestId },
    /// A client has ended its session.
    Ended { session: String },
    /// The sender wants to contact all other replicas.
    Who,
}

/// A question to one replica.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReplicaQuestion {
    /// Is the replica running?
    Runs,
    /// Asks for the data about the replica.
    Meet,
    /// Does the replica accept this client's answer to a question that it asked in a session?
    Answer { session: String, response: String },
    /// Does the replica have the stream of this session?
    Holds { session: String },
    /// Can the replica read the record of this session again?
    CatchUp { session: String },
    /// Can the replica end its side of this stream of the session, which the client continues to
    /// read from another replica?
    Taken { session: String, stream: u64 },
    /// Does the replica accept this message of a principal for a session over HTTP with SSE?
    Put {
        pipe: String,
        principal: Option<String>,
        message: String,
    },
    /// Can the replica read a question that is too large to be sent, from the record with this
    /// name?
    Stored { name: String },
}

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReplicaAnswer {
    Yes,
    No,
    /// The replica can't do it now.
    Busy,
}

/// A [`Topic`] in the form for sending.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToldTopic {
    Tools,
    Prompts,
    Resources,
    Resource(String),
    Below(String),
    Task(String),
}

impl From<Topic> for ToldTopic {
    fn from(topic: Topic) -> Self {
        match topic {
            Topic::Tools => Self::Tools,
            Topic::Prompts => Self::Prompts,
            Topic::Resources => Self::Resources,
            Topic::Resource(uri) => Self::Resource(uri.as_ref().into()),
            Topic::Below(uri) => Self::Below(uri.as_ref().into()),
            Topic::Task(id) => Self::Task(id.as_ref().into()),
        }
    }
}

impl From<ToldTopic> for Topic {
    fn from(topic: ToldTopic) -> Self {
        match topic {
            ToldTopic::Tools => Self::Tools,
            ToldTopic::Prompts => Self::Prompts,
            ToldTopic::Resources => Self::Resources,
            ToldTopic::Resource(uri) => Self::Resource(uri.into()),
            ToldTopic::Below(uri) => Self::Below(uri.into()),
            ToldTopic::Task(id) => Self::Task(id.into()),
        }
    }
}

pub(super) fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("texts and numbers can be written")
}

pub(super) fn decode<T: DeserializeOwned>(message: &[u8]) -> Option<T> {
    serde_json::from_slice(message).ok()
}
