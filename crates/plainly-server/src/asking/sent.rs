//! The questions that a legacy client was sent as requests: their ids, how many may be open, and where the client's
//! responses go. How they are sent is the business of [`request`](crate::request).

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
    /// The number of open questions allowed.
    most: usize,
    /// Questions of all sessions count here.
    in_all: Quota,
    /// The client, of whose share they take.
    client: Option<Holder>,
    /// The server that asks, in the ids; `None` if no other asks in the same session.
    server: Option<ServerName>,
    /// The number of rounds of questions for one request.
    pub(crate) rounds: usize,
    /// Time for each answer.
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

/// The destination of the answer to a question, and how it is read.
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

    /// Counts them together with others, as those of `client`.
    pub(crate) fn among(mut self, in_all: &Quota, client: Option<Holder>) -> Self {
        self.in_all = in_all.clone();
        self.client = client;
        self
    }

    /// Names this server in their ids.
    pub(crate) fn of(mut self, server: ServerName) -> Self {
        self.server = Some(server);
        self
    }

    /// Goes on counting where `before` is, so that a late answer to an earlier question fits none of the new ones.
    pub(crate) fn after(self, before: &Self) -> Self {
        self.state.lock().count = before.state.lock().count;
        self
    }

    /// Takes in `question`, if there is room. Returns the id of its request, and its place among the questions of all sessions.
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

    /// Forgets the question that was sent as `id`. Returns whether it was still unanswered.
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

    /// The client is gone: every question fails, now and from now on.
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
