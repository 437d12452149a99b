//! The requests of a legacy server, from arrival to answer. They are answered concurrently up to a
//! limit, once per id. A request is dropped if the server cancels it, or if its stream ends.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use plainly_errors::{InvalidParams, ProtocolError, Revision, Unavailable};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::types::{CancelledParams, InputRequest};
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};

use super::Respondent;
use crate::error::mistakes;
use crate::message::clocks::Clocks;
use crate::message::reply::ServerRequest;
use crate::message::request;
use crate::message::timeouts::{CallQuestions, QuestionPermit};
use plainly_transport::lock::Lock;

/// The requests of the server on one connection.
#[derive(Debug)]
pub(crate) struct ServerQuestions {
    respondent: Arc<Respondent>,
    /// A place for each question that is being answered.
    places: Arc<Semaphore>,
    /// The clocks that are paused while a question is answered that may belong to any call.
    pub(crate) shared: Clocks,
    tasks: Arc<AnswerTasks>,
}

/// The tasks that answer questions, by request id.
type AnswerTasks = Lock<HashMap<RequestId, AbortHandle>>;

/// The entry of a request among those tasks, removed when dropped.
struct QuestionEntry {
    tasks: Arc<AnswerTasks>,
    id: RequestId,
}

impl Drop for QuestionEntry {
    fn drop(&mut self) {
        self.tasks.lock().remove(&self.id);
    }
}

impl ServerQuestions {
    pub(crate) fn new(respondent: Arc<Respondent>, limit: usize) -> Self {
        Self {
            respondent,
            places: Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))),
            shared: Clocks::default(),
            tasks: Arc::default(),
        }
    }

    /// Answers a question through `send`, in one of the `tasks` of the stream that the question
    /// came on. The question counts as open until the permit that `send` gets is dropped, and
    /// counts for the call `of` if that call is known. Returns the answer instead if it is
    /// available at once.
    pub(crate) fn ask<S, F>(
        &self,
        request: ServerRequest,
        revision: Revision,
        of: Option<&CallQuestions<'_>>,
        tasks: &mut JoinSet<()>,
        send: S,
    ) -> Option<Bytes>
    where
        S: FnOnce(Bytes, QuestionPermit) -> F + Send + 'static,
        F: Future<Output = ()> + Send,
    {
        let question = match self.read(&request, revision) {
            Ok(Some(question)) => question,
            Ok(None) => return Some(request::result(&request.raw_id, "{}")),
            Err(error) => return request::refusal(&request.raw_id, &error, revision),
        };
        // The lock is held until the task is in the table, because a task that ends at once must
        // not remove its entry before that.
        let mut answering = self.tasks.lock();
        if answering.contains_key(&request.id) {
            // The server would treat any answer as the answer to the first question.
            tracing::warn!(id = %request.id, "the server asked twice with the same id: answered once");
            return None;
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            let error = Unavailable::Overloaded.into();
            return request::refusal(&request.raw_id, &error, revision);
        };
        let of = of.map_or(&self.shared, CallQuestions::own);
        let open = QuestionPermit::new(of, place);
        let entry = QuestionEntry {
            tasks: Arc::clone(&self.tasks),
            id: request.id.clone(),
        };
        let respondent = Arc::clone(&self.respondent);
        // The set keeps ended tasks until they are removed, and a stream may live for days.
        while tasks.try_join_next().is_some() {}
        let task = tasks.spawn(async move {
            let answer = respondent.answer(question).await;
            let message = match answer {
                Ok(result) => Some(request::result(&request.raw_id, result.get())),
                Err(error) => request::refusal(&request.raw_id, &error, revision),
            };
            // From here on the question can't be cancelled, and the server may use the id again.
            drop(entry);
            if let Some(message) = message {
                send(message, open).await;
            }
        });
        answering.insert(request.id, task);
        None
    }

    /// Drops the question that the server cancels.
    pub(crate) fn cancel(&self, params: &[u8]) {
        let request_id = match serde_json::from_slice(params) {
            Ok(CancelledParams { request_id, .. }) => request_id,
            Err(why) => return mistakes::log(Method::Cancelled, params, &why),
        };
        let task = self.tasks.lock().remove(&request_id);
        if let Some(task) = task {
            // The server gets no answer: a server that cancels a request expects none
            // ("Cancellation", "Behavior Requirements").
            task.abort();
        }
    }

    /// The handlers of the server's questions.
    pub(crate) fn respondent(&self) -> &Respondent {
        &self.respondent
    }

    /// The question; `None` for a ping.
    fn read(
        &self,
        request: &ServerRequest,
        revision: Revision,
    ) -> Result<Option<InputRequest>, ProtocolError> {
        let name = request.method.as_ref().map_err(|error| {
            tracing::warn!(id = %request.id, %error, "the server sent a request that can't be read");
            error.clone()
        })?;
        let method = match Method::find(name, revision) {
            Some(Method::Ping) => return Ok(None),
            Some(method) if self.respondent.answers(method) => method,
            Some(_) | None => return Err(ProtocolError::method_not_found(name)),
        };
        let question = if method == Method::Elicit {
            InputRequest::Elicit(params(request, method)?)
        } else if method == Method::CreateMessage {
            InputRequest::CreateMessage(params(request, method)?)
        } else {
            InputRequest::ListRoots(params(request, method)?)
        };
        Ok(Some(question))
    }
}

fn params<T: DeserializeOwned>(
    request: &ServerRequest,
    method: Method,
) -> Result<T, ProtocolError> {
    serde_json::from_slice(&request.params).map_err(|why| {
        let problems = mistakes::in_params(method, &request.params, &why);
        InvalidParams::Malformed { problems }.into()
    })
}
