//! Questions that a server asks the client before it can answer (Multi Round-Trip Requests, from
//! 2026-07-28), and the answers. The questions themselves have separate pages, and are the same as
//! those that a legacy server sends as requests.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

use super::elicitation::{ElicitFormParams, ElicitParams, ElicitUrlParams};
use super::json::{Meta, RawJson, unique_members};
use super::object::ObjectOnly;
use super::record::{record, variants};
use super::roots::ListRootsParams;
use super::sampling::CreateMessageParams;
use crate::method::Method;

record! {
    /// The result of a request that the client must send again, with answers to these questions and
    /// the state unchanged.
    pub struct InputRequiredResult {
        /// The questions. Each answer must have the same key as its question. May be empty if there
        /// is a state.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub input_requests: BTreeMap<String, InputRequest>,
        /// A state that the client must return unchanged and can't read.
        pub request_state: Option<String>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }
}

impl InputRequiredResult {
    /// A result with these questions.
    pub fn new<K: Into<String>, Q: Into<InputRequest>>(
        input_requests: impl IntoIterator<Item = (K, Q)>,
    ) -> Self {
        let requests = input_requests.into_iter();
        Self {
            input_requests: requests
                .map(|(key, one)| (key.into(), one.into()))
                .collect(),
            request_state: None,
            meta: None,
        }
    }
}

/// One request of the server to the client.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// A question to the user.
    Elicit(ElicitParams),
    /// A question to the model.
    CreateMessage(CreateMessageParams),
    /// A request for the roots.
    ListRoots(ListRootsParams),
}

impl InputRequest {
    /// The method of this question in a legacy session.
    #[must_use]
    pub fn method(&self) -> Method {
        match self {
            Self::Elicit(_) => Method::Elicit,
            Self::CreateMessage(_) => Method::CreateMessage,
            Self::ListRoots(_) => Method::ListRoots,
        }
    }
}

variants! {
    InputRequest:
    Elicit(ElicitParams, ElicitFormParams, ElicitUrlParams),
    CreateMessage(CreateMessageParams),
    ListRoots(ListRootsParams),
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WireQuestion<'a, P: Serialize> {
            method: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            params: Option<&'a P>,
        }
        fn wire<P: Serialize>(method: Method, params: Option<&P>) -> WireQuestion<'_, P> {
            let method = method.name();
            WireQuestion { method, params }
        }
        match self {
            Self::Elicit(params) => wire(self.method(), Some(params)).serialize(serializer),
            Self::CreateMessage(params) => wire(self.method(), Some(params)).serialize(serializer),
            Self::ListRoots(params) => {
                // The parameters are optional here, and are empty without metadata.
                let params = params.meta.is_some().then_some(params);
                wire(self.method(), params).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct ReadQuestion<'a> {
            #[serde(borrow)]
            method: Cow<'a, str>,
            params: Option<RawJson>,
        }
        fn read(wire: &RawJson) -> serde_json::Result<InputRequest> {
            let ObjectOnly(ReadQuestion { method, params }) = wire.decode()?;
            let text = params.as_ref().map_or("{}", RawJson::get);
            // By the method only, because parameters of different methods can look alike.
            if method == Method::Elicit.name() {
                serde_json::from_str(text).map(InputRequest::Elicit)
            } else if method == Method::CreateMessage.name() {
                serde_json::from_str(text).map(InputRequest::CreateMessage)
            } else if method == Method::ListRoots.name() {
                serde_json::from_str(text).map(InputRequest::ListRoots)
            } else {
                let message = format_args!("`{method}` can't be asked of a client").to_string();
                Err(de::Error::custom(message))
            }
        }
        read(&RawJson::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

record! {
    /// The answers to an [`InputRequiredResult`]: members of the parameters of the repeated
    /// request.
    #[derive(Eq, Default)]
    pub struct InputResponseParams {
        /// The answers.
        #[serde(default, skip_serializing_if = "InputResponses::is_empty")]
        pub input_responses: InputResponses,
        /// The state that the server sent, if it sent one.
        pub request_state: Option<String>,
    }

    /// Parameters with these answers.
    pub fn new(input_responses: InputResponses);
}

/// Answers by the keys of their questions. The type of an answer depends on its question, so each
/// is kept as it was written. Reading rejects a repeated key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct InputResponses(BTreeMap<String, RawJson>);

impl InputResponses {
    /// No answers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The answer to the question with this key, unparsed.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&RawJson> {
        self.0.get(key)
    }

    /// The answer to the question with this key, as `T`: `None` if there is none, an error if it is
    /// not a `T`.
    pub fn read<T: de::DeserializeOwned>(&self, key: &str) -> serde_json::Result<Option<T>> {
        self.get(key).map(RawJson::decode).transpose()
    }

    /// Adds an answer, or replaces the one with the same key.
    pub fn insert(&mut self, key: impl Into<String>, answer: RawJson) {
        self.0.insert(key.into(), answer);
    }

    /// All keys with their answers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(key, answer)| (key.as_str(), answer))
    }

    /// The number of answers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no answers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Into<String>> FromIterator<(K, RawJson)> for InputResponses {
    fn from_iter<I: IntoIterator<Item = (K, RawJson)>>(answers: I) -> Self {
        let answers = answers.into_iter();
        Self(answers.map(|(key, answer)| (key.into(), answer)).collect())
    }
}

impl<'de> Deserialize<'de> for InputResponses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        unique_members(deserializer, "an object of answers").map(Self::from_iter)
    }
}
