//! What a hostile server does: each attack is one switch.

use std::sync::Mutex;

use serde_json::Value;

use crate::Answer;

/// An attack.
#[derive(Clone, Debug)]
pub enum Misbehaviour {
    /// The metadata has these members, in place of its own; null leaves one out.
    Metadata(Value),
    /// This endpoint answers so, whatever it is asked.
    Answers(Endpoint, Answer),
    /// The next answer of this endpoint is this, and no later one.
    AnswersOnce(Endpoint, Answer),
    /// The good answer of this endpoint has these members, in place of its own; null leaves one out.
    Members(Endpoint, Value),
    /// This endpoint refuses with all that it was sent.
    Repeats(Endpoint),
    /// A person's browser comes back with this query; `{code}`, `{state}` and `{iss}` are what a good one has.
    Callback(&'static str),
    /// The server refuses every token so: with this status and these challenges.
    Refuses(u16, Vec<String>),
    /// The server refuses every token for want of yet another scope.
    WantsMoreForEver,
    /// Every proof is refused for want of another nonce, at both servers.
    NonceForEver,
    /// Whoever asks whether a person has logged in at another device is told this.
    DevicePolled(&'static str),
}

/// A place that is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The metadata, of either server.
    Metadata,
    /// Where clients register.
    Registration,
    /// Where tokens are given.
    Token,
    /// Where tokens are given back.
    Revocation,
    /// Where logins at another device begin.
    Device,
    /// The MCP server itself.
    Server,
}

/// The attacks that are under way.
#[derive(Debug, Default)]
pub(crate) struct Switches(Mutex<Vec<Misbehaviour>>);

impl Switches {
    pub(crate) fn set(&self, misbehaviour: Misbehaviour) {
        self.0.lock().unwrap().push(misbehaviour);
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    /// What the first that `look` finds something in has.
    pub(crate) fn find<T>(&self, look: impl Fn(&Misbehaviour) -> Option<T>) -> Option<T> {
        self.0.lock().unwrap().iter().find_map(look)
    }

    /// What this endpoint answers instead.
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

    /// Changes the members of a good answer.
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
    /// Which members of which good answer it changes.
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
