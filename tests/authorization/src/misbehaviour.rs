//! The attacks of a hostile server, each of which is one switch.

use std::sync::Mutex;

use serde_json::Value;

use crate::Answer;

/// An attack.
#[derive(Clone, Debug)]
pub enum Misbehaviour {
    /// The metadata has these members instead of its own; null removes a member.
    Metadata(Value),
    /// This endpoint always sends this response.
    Answers(Endpoint, Answer),
    /// This endpoint sends this response once.
    AnswersOnce(Endpoint, Answer),
    /// The normal response of this endpoint has these members instead of its own; null removes a
    /// member.
    Members(Endpoint, Value),
    /// The error of this endpoint repeats the whole request.
    Repeats(Endpoint),
    /// The browser returns with this query; `{code}`, `{state}` and `{iss}` are replaced by the
    /// normal values.
    Callback(&'static str),
    /// The server rejects every token with this status and these challenges.
    Refuses(u16, Vec<String>),
    /// The server always demands another scope.
    WantsMoreForEver,
    /// Both servers always demand another nonce.
    NonceForEver,
    /// This is the error for every poll of a login on another device.
    DevicePolled(&'static str),
}

/// An endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The metadata of either server.
    Metadata,
    /// The registration endpoint.
    Registration,
    /// The token endpoint.
    Token,
    /// The revocation endpoint.
    Revocation,
    /// The device authorization endpoint.
    Device,
    /// The MCP server itself.
    Server,
}

/// The attacks that are turned on.
#[derive(Debug, Default)]
pub(crate) struct Switches(Mutex<Vec<Misbehaviour>>);

impl Switches {
    pub(crate) fn set(&self, misbehaviour: Misbehaviour) {
        self.0.lock().unwrap().push(misbehaviour);
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    /// The first result of `look`.
    pub(crate) fn find<T>(&self, look: impl Fn(&Misbehaviour) -> Option<T>) -> Option<T> {
        self.0.lock().unwrap().iter().find_map(look)
    }

    /// The response that replaces the endpoint's normal one.
    pub(crate) fn answer(&self, endpoint: Endpoint) -> Option<Answer> {
        let mut all = self.0.lock().unwrap();
        let is_once =
            |it: &Misbehaviour| matches!(it, Misbehaviour::AnswersOnce(at, _) if *at == endpoint);
        if let Some(at) = all.iter().position(is_once)
            && let Misbehaviour::AnswersOnce(_, answer) = all.remove(at)
        {
            return Some(answer);
        }
        drop(all);
        self.find(|it| {
            let Misbehaviour::Answers(at, answer) = it else {
                return None;
            };
            (*at == endpoint).then(|| answer.clone())
        })
    }

    /// Changes the members of a normal response.
    pub(crate) fn bend(&self, endpoint: Endpoint, members: &mut Value) {
        for misbehaviour in &*self.0.lock().unwrap() {
            let Some((at, changes)) = misbehaviour.changes() else {
                continue;
            };
            for (name, value) in changes
                .as_object()
                .filter(|_| at == endpoint)
                .into_iter()
                .flatten()
            {
                if value.is_null() {
                    members.as_object_mut().unwrap().remove(name);
                } else {
                    members[name] = value.clone();
                }
            }
        }
    }
}

impl Misbehaviour {
    /// The endpoint whose response is changed, and the changed members.
    fn changes(&self) -> Option<(Endpoint, &Value)> {
        if let Self::Metadata(changes) = self {
            return Some((Endpoint::Metadata, changes));
        }
        let Self::Members(at, changes) = self else {
            return None;
        };
        Some((*at, changes))
    }
}
