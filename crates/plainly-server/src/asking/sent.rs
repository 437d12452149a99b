//! The questions sent to a legacy client as requests: their ids, their maximum number, and the
//! destinations of the client's responses. [`request`](crate::request) sends them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use plainly_errors::{Mistake, Revision};
use plainly_protocol::envelope::{Outcome, Response};
use plainly_protocol::id::RequestId;
use plainly_protocol::types::RawJson;

use super::questions::Questions;
use crate::failure::AskError;
use crate::limits::Limits;
use crate::replicas::ServerName;
use plainly_transport::lock::Lock;
use plainly_transport::quota::{Holder, Quota, QuotaPart};

/// The questions that one client was sent and has not answered.
#[derive(Debug)]
pub(crate) struct SentQuestions {
    /// The maximum number of open questions.
    most: usize,
    /// The quota of questions in all sessions.
    in_all: Quota,
    /// The client, whose share of the quota the questions use.
    client: Option<Holder>,
    /// The server that asks, for the ids; `None` if no other server asks in the same session.
    server: Option<ServerName>,
    /// The maximum number of rounds of questions for one request.
    pub(crate) rounds: usize,
    /// The time limit for each answer.
    pub(crate) time: Duration,
    state: Lock<SentState>,
}

#[derive(Debug, Default)]
struct SentState {
    /// The number of questions so far, from which their ids are made.
    count: i64,
    open: HashMap<RequestId, SentQuestion>,
    is_closed: bool,
}

/// The destination of the answer to a question, and the data needed to read it.
#[derive(Debug)]
pub(crate) struct SentQuestion {
    pub(crate) questions: Arc<Questions>,
    pub(crate) key: String,
    pub(crate) revision: Revision,
}

impl SentQuestions {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            most: limits.questions.open,
            in_all: Quota::new(limits.questions_in_all()),
            client: None,
            server: None,
            rounds: limits.questions.rounds,
            time: limits.questions.answer,
            state: Lock::default(),
        }
    }

    /// Counts the questions in the quota `in_all`, in the share of `client`.
    pub(crate) fn among(mut self, in_all: &Quota, client: Option<Holder>) -> Self {
        self.in_all = in_all.clone();
        self.client = client;
        self
    }

    /// Adds this server's name to the ids.
    pub(crate) fn of(mut self, server: ServerName) -> Self {
        self.server = Some(server);
        self
    }

    /// Continues the numbering of `before`, so that a late answer to an earlier question matches
    /// none of the new ones.
    pub(crate) fn after(self, before: &Self) -> Self {
        self.state.lock().count = before.state.lock().count;
        self
    }

    /// Adds `question`, if there is room. Returns the id of its request and its part of the quota.
    pub(crate) fn add(&self, question: SentQuestion) -> Result<(RequestId, QuotaPart), AskError> {
        let mut state = self.state.lock();
        if state.is_closed {
            return Err(AskError::over());
        }
        if state.open.len() >= self.most {
            return Err(AskError::too_many(self.most));
        }
        let too_many = |_| AskError::too_many(self.in_all.limit());
        let place = self.in_all.take(self.client.clone(), 1).map_err(too_many)?;
        state.count += 1;
        let id = match &self.server {
            Some(server) => RequestId::from(format!("{server}.{}", state.count)),
            None => RequestId::from(state.count),
        };
        state.open.insert(id.clone(), question);
        Ok((id, place))
    }

    /// Removes the question that was sent as `id`. Returns whether it was still unanswered.
    pub(crate) fn remove(&self, id: &RequestId) -> bool {
        self.state.lock().open.remove(id).is_some()
    }

    /// Accepts an answer of the client. An unexpected one, such as a second answer, is ignored.
    pub(crate) fn answer(&self, response: &Response<'_>) {
        let id = response.id.map(|id| id.to_owned());
        let open = id.and_then(|id| self.state.lock().open.remove(&id));
        let Some(sent) = open else {
            return tracing::debug!("ignored a response to an unknown request");
        };
        let SentQuestion {
            questions,
            key,
            revision,
        } = sent;
        let read = match response.outcome {
            Outcome::Result(result) => RawJson::parse(result)
                .map_err(|_| vec![Mistake::new("", "it is not JSON")])
                .and_then(|result| questions.answer(&key, &result, revision))
                .map_err(|mistakes| AskError::unreadable(&key, &Mistake::list(&mistakes))),
            Outcome::Error(error) => Err(AskError::refused(&key, error)),
        };
        if let Err(error) = read {
            questions.fail(&key, error);
        }
    }

    /// Fails all current and future questions, because the client is gone.
    pub(crate) fn close(&self) {
        let open = {
            let mut state = self.state.lock();
            state.is_closed = true;
            std::mem::take(&mut state.open)
        };
        for sent in open.into_values() {
            sent.questions.fail(&sent.key, AskError::over());
        }
    }
}
