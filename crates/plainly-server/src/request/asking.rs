//! Questions to the client on behalf of a handler, in the form of the client's revision. The
//! handler's clock stops meanwhile.

use std::sync::Arc;

use bytes::Bytes;
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::question::{asked, undeclared};
use plainly_protocol::types::{ElicitParams, InputRequest};
use serde::Serialize;
use serde_json::json;
use tokio::time::timeout;

use super::context::Scope;
use crate::answer::AnswerFuture;
use crate::asking::{InputResponse, Question, Questions, SentQuestion, too_many};
use crate::failure::AskError;
use crate::outgoing::notifications;
use crate::random::random_name;
use crate::sessions::session::Session;
use plainly_transport::quota::QuotaPart;

impl Scope {
    /// Asks the client `question` in the form of its revision, and waits for its answer.
    pub(crate) async fn ask(
        &self,
        key: &str,
        question: InputRequest,
    ) -> Result<InputResponse, AskError> {
        if let Some(missing) = undeclared(&question, self.peer()) {
            return Err(AskError::undeclared(missing));
        }
        let questions = self.asked().ok_or_else(AskError::impossible)?;
        let revision = self.peer().revision;
        match self.session() {
            Some(session) => self.send_question(session, questions, key, question).await,
            None => Question::open(questions, revision, key, question)?.await,
        }
    }

    /// Asks the client of `session` by a request of the server, and waits for its answer.
    async fn send_question(
        &self,
        session: &Arc<Session>,
        questions: &Arc<Questions>,
        key: &str,
        question: InputRequest,
    ) -> Result<InputResponse, AskError> {
        let revision = session.peer.revision;
        let request = asked(identified(question.clone()), revision);
        let answer = Question::open(questions, revision, key, question)?;
        let rounds = session.unanswered.rounds;
        // The same limit as for modern clients, because a handler that repeats a question until it
        // likes the answer would keep its slot forever.
        if answer.round > rounds {
            questions.fail_request(too_many(rounds));
            return answer.await;
        }
        let (id, place) = session.unanswered.add(SentQuestion {
            questions: Arc::clone(questions),
            key: answer.key.clone(),
            revision,
        })?;
        // From here on the question is open in the session. If this future is dropped, even while
        // it waits for room, the question must be removed there.
        let mut withdrawal = Withdrawal {
            session,
            scope: self,
            id,
            _place: place,
            is_sent: false,
        };
        let message =
            written(&withdrawal.id, &request).map_err(|error| AskError::unwritable(&error))?;
        self.outbox().send(message).await;
        withdrawal.is_sent = true;
        let _stopped = self.clock().stop();
        let time = session.unanswered.time;
        match timeout(time, answer).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(AskError::unanswered(key, time)),
        }
    }

    /// Closes the questions of `handler` when it ends, so that no task that it left running waits
    /// for answers.
    pub(crate) fn closing(&self, handler: AnswerFuture) -> AnswerFuture {
        let Some(questions) = self.asked() else {
            return handler;
        };
        let closing = ClosesQuestions(Arc::clone(questions));
        Box::pin(async move {
            // Dropped with the handler, whether it ends by itself, by a panic or by its deadline.
            let _closing = closing;
            handler.await
        })
    }
}

/// Completes a question that is sent as a request, because a URL visit needs an id there.
fn identified(mut question: InputRequest) -> InputRequest {
    if let InputRequest::Elicit(ElicitParams::Url(visit)) = &mut question
        && visit.elicitation_id.is_none()
    {
        // Without random bits the question is sent nevertheless, because the client distinguishes
        // questions by the ids of their requests.
        visit.elicitation_id = Some(random_name().unwrap_or_default());
    }
    question
}

/// The request, with the fields of a form in the order in which to ask for them.
fn written(id: &RequestId, question: &InputRequest) -> serde_json::Result<Bytes> {
    #[derive(Serialize)]
    struct QuestionRequest<'a> {
        jsonrpc: &'static str,
        id: &'a RequestId,
        #[serde(flatten)]
        question: &'a InputRequest,
    }
    let jsonrpc = "2.0";
    serde_json::to_vec(&QuestionRequest {
        jsonrpc,
        id,
        question,
    })
    .map(Bytes::from)
}

/// Withdraws a question from the client if it is dropped before there is an answer.
struct Withdrawal<'a> {
    session: &'a Session,
    scope: &'a Scope,
    id: RequestId,
    _place: QuotaPart,
    is_sent: bool,
}

impl Drop for Withdrawal<'_> {
    fn drop(&mut self) {
        let is_open = self.session.unanswered.remove(&self.id);
        if !(is_open && self.is_sent) {
            return;
        }
        let params = json!({"requestId": self.id, "reason": "the answer is no longer needed"});
        if let Ok(message) = notifications::notification(Method::Cancelled, &params) {
            self.scope.outbox().add(message);
        }
    }
}

/// Ends all questions of a request when it is dropped.
struct ClosesQuestions(Arc<Questions>);

impl Drop for ClosesQuestions {
    fn drop(&mut self) {
        self.0.close();
    }
}
