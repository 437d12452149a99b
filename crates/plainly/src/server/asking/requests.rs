//! Questions as requests of ours to a legacy client: each goes out on the stream of the request that it is asked for, and is
//! answered by a response somewhere in the session.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use plainly_protocol::envelope::{Outcome, Response};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::question::asked;
use plainly_protocol::types::{ElicitParams, InputRequest, RawJson};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::error::AskError;
use super::questions::Question;
use super::reading::Answer;
use super::rounds::too_many;
use crate::limits::Limits;
use crate::lock::Lock;
use crate::server::notices;
use crate::server::scope::Scope;
use crate::server::session::Session;

/// What one client was asked and has not answered.
#[derive(Debug)]
pub(in crate::server) struct Unanswered {
    /// How many there may be.
    most: usize,
    /// How many there are in all sessions, and may be.
    in_all: Arc<AtomicUsize>,
    most_in_all: usize,
    /// In how many rounds it may be asked for one request.
    rounds: usize,
    /// Time for each answer.
    time: Duration,
    state: Lock<State>,
}

#[derive(Debug, Default)]
struct State {
    /// How many there ever were: the ids.
    count: i64,
    open: HashMap<RequestId, (Scope, String)>,
    is_closed: bool,
}

/// Asks the client of `session`, and waits for its answer.
pub(super) async fn ask(
    scope: &Scope,
    session: &Arc<Session>,
    key: &str,
    question: InputRequest,
) -> Result<Answer, AskError> {
    let request = asked(identified(question.clone()), session.peer.revision);
    let waiting = Question::open(scope, key, question)?;
    let rounds = session.unanswered.rounds;
    if waiting.round > rounds {
        scope.questions().fail_request(too_many(rounds));
        return waiting.await;
    }
    let mut asked = session.unanswered.add(session, scope, &waiting.key)?;
    let message = written(&asked.id, &request).map_err(|error| AskError::unwritable(&error))?;
    scope.outbox().send(message).await;
    asked.is_sent = true;
    let _no_deadline = scope.wait();
    let time = session.unanswered.time;
    match timeout(time, waiting).await {
        Ok(answer) => answer,
        Err(_elapsed) => Err(AskError::unanswered(key, time)),
    }
}

/// A visit must have a name where it is a request.
fn identified(mut question: InputRequest) -> InputRequest {
    if let InputRequest::Elicit(ElicitParams::Url(visit)) = &mut question
        && visit.elicitation_id.is_none()
    {
        let mut bits = [0; 16];
        // Without random bits any name does that is no other's.
        getrandom::fill(&mut bits).ok();
        visit.elicitation_id = Some(format!("{:032x}", u128::from_ne_bytes(bits)));
    }
    question
}

fn written(id: &RequestId, question: &InputRequest) -> serde_json::Result<Bytes> {
    let mut message = serde_json::to_value(question)?;
    message["jsonrpc"] = json!("2.0");
    message["id"] = serde_json::to_value(id)?;
    serde_json::to_string(&message).map(Bytes::from)
}

impl Unanswered {
    pub(in crate::server) fn new(limits: &Limits) -> Self {
        Self {
            most: limits.questions,
            in_all: Arc::default(),
            most_in_all: limits.questions_in_all,
            rounds: limits.rounds,
            time: limits.answer,
            state: Lock::default(),
        }
    }

    /// Counts them together with others.
    pub(in crate::server) fn among(mut self, in_all: &Arc<AtomicUsize>) -> Self {
        self.in_all = Arc::clone(in_all);
        self
    }

    /// Goes on counting where `before` is: a late answer to what was asked there is one to nothing that is asked here.
    pub(in crate::server) fn after(self, before: &Self) -> Self {
        self.state.lock().count = before.state.lock().count;
        self
    }

    /// Takes in a question to the client of `session`, if there is room.
    fn add(&self, session: &Arc<Session>, scope: &Scope, key: &str) -> Result<Asked, AskError> {
        let mut state = self.state.lock();
        if state.is_closed {
            return Err(AskError::over());
        }
        if state.open.len() >= self.most {
            return Err(AskError::too_many(self.most));
        }
        if self.in_all.fetch_add(1, Ordering::Relaxed) >= self.most_in_all {
            self.in_all.fetch_sub(1, Ordering::Relaxed);
            return Err(AskError::too_many(self.most_in_all));
        }
        state.count += 1;
        let id = RequestId::from(state.count);
        state
            .open
            .insert(id.clone(), (scope.clone(), key.to_owned()));
        Ok(Asked {
            session: Arc::clone(session),
            scope: scope.clone(),
            id,
            is_sent: false,
        })
    }

    /// The client answers. What nobody waits for, as a second answer, is ignored.
    pub(in crate::server) fn answer(&self, response: &Response<'_>) {
        let id = response.id.map(|id| id.to_owned());
        let open = id.and_then(|id| self.state.lock().open.remove(&id));
        let Some((scope, key)) = open else {
            return tracing::debug!("ignored a response to nothing that was asked");
        };
        let (questions, revision) = (scope.questions(), scope.peer().revision);
        let read = match response.outcome {
            Outcome::Result(result) => RawJson::parse(result)
                .map_err(|error| error.to_string())
                .and_then(|result| questions.answer(&key, &result, revision))
                .map_err(|why| AskError::unreadable(&key, &why)),
            Outcome::Error(error) => Err(AskError::refused(&key, error)),
        };
        if let Err(error) = read {
            questions.fail(&key, error);
        }
    }

    /// The client is gone: nobody waits any more, or will.
    pub(in crate::server) fn close(&self) {
        let open = {
            let mut state = self.state.lock();
            state.is_closed = true;
            std::mem::take(&mut state.open)
        };
        for (scope, key) in open.into_values() {
            scope.questions().fail(&key, AskError::over());
        }
    }
}

/// A question that was put to a client. Dropped before it is answered, it is withdrawn.
struct Asked {
    session: Arc<Session>,
    scope: Scope,
    id: RequestId,
    is_sent: bool,
}

impl Drop for Asked {
    fn drop(&mut self) {
        let unanswered = &self.session.unanswered;
        unanswered.in_all.fetch_sub(1, Ordering::Relaxed);
        let is_open = unanswered.state.lock().open.remove(&self.id).is_some();
        if !(is_open && self.is_sent) {
            return;
        }
        let params: Value =
            json!({"requestId": self.id, "reason": "the answer is not needed any more"});
        if let Ok(message) = notices::notification(Method::Cancelled, &params) {
            self.scope.outbox().add(message);
        }
    }
}
