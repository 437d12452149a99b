//! Calls that continue as tasks at the server (extension `io.modelcontextprotocol/tasks`). A handle
//! asks for the state of a task, answers its questions, and waits for its end. `pace` decides when
//! to poll; `news` has the server's own reports.
//!
//! ```text
//! tools/call -> handle -> tasks/get, or news -> working: a pause
//!                                            -> input_required: the handlers, tasks/update
//!                                            -> completed, failed, cancelled: the result or the error of the call
//! ```

mod news;
mod pace;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plainly_errors::{AnsweredRequest, Mistake, WireError};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CallToolResult, CancelTaskParams, CreateTaskResult, DetailedTask, EmptyResult, GetTaskParams,
    InputRequest, InputResponses, RawJson, ResultType, TaskState, TaskStatus, UpdateTaskParams,
};
use serde::Serialize;
use tokio::time::{Instant, timeout};

use self::news::TaskNews;
use self::pace::Pace;
use crate::connect::Client;
use crate::error::{Error, LocalError, Result};
use crate::link::CallExtras;
use crate::message::progress::ProgressListener;
use crate::message::reply::{CallReply, RawResult, ResultReader};

/// The only method whose calls become tasks.
const METHOD: Method = Method::CallTool;

/// A call that continues as a task at the server. The server stores the task for some time,
/// whatever happens to this client: store its [id](Self::id) to ask for it [later](Client::task).
///
/// Dropping the handle changes nothing at the server. Dropping the future of [`wait`](Self::wait)
/// cancels the task if this client started it, unless the handle is [detached](Self::detach).
///
/// ```no_run
/// use plainly::client::{Client, Result, TaskHandle};
/// use plainly::protocol::types::CallToolResult;
///
/// async fn go_on(client: &Client, id: &str) -> Result<CallToolResult> {
///     let mut task: TaskHandle<CallToolResult> = client.task(id);
///     task.get().await?;
///     println!("{:?}: {}", task.status(), task.message().unwrap_or("-"));
///     task.wait().await
/// }
/// ```
pub struct TaskHandle<T> {
    id: String,
    call: Box<FollowedCall<T>>,
    /// The last known status; `None` if there is none.
    status: Option<TaskStatus>,
    message: Option<String>,
    pace: Pace,
    /// The keys of the questions that were answered. During the life of a task, a key stands for
    /// one question.
    answered: BTreeSet<String>,
    /// The number of rounds of questions.
    rounds: usize,
    is_detached: bool,
}

/// The call that became a task.
pub(crate) struct FollowedCall<T> {
    pub(crate) client: Client,
    /// The subject of the call, if it is known.
    pub(crate) subject: Option<String>,
    pub(crate) progress: Option<Arc<ProgressListener>>,
    pub(crate) read: Arc<ResultReader<T>>,
}

impl Client {
    /// The task with this id, which was started before, perhaps by another process. Nothing is sent
    /// yet. The handle is [detached](TaskHandle::detach), because another client may wait for the
    /// task, too.
    ///
    /// # Errors
    ///
    /// Each request for a task that does not exist, has been removed or belongs to another user
    /// ends with an error for which [`is_invalid_params`](Error::is_invalid_params) holds.
    /// [`LocalError::NotInRevision`] on a legacy connection.
    pub fn task(&self, id: impl Into<String>) -> TaskHandle<CallToolResult> {
        let call = FollowedCall {
            client: self.clone(),
            subject: None,
            progress: None,
            read: Arc::new(|result: RawResult| Ok(result.decode(METHOD)?.body)),
        };
        TaskHandle::new(id.into(), call).detach()
    }

    async fn task_request(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
    ) -> Result<RawResult> {
        let extras = CallExtras {
            tasks: true,
            ..CallExtras::default()
        };
        self.result(method, params, extras).await
    }

    async fn cancel_task(&self, id: &str) -> Result<()> {
        let method = Method::CancelTask;
        let result = self
            .task_request(method, &CancelTaskParams::new(id))
            .await?;
        result.decode::<EmptyResult>(method).map(drop)
    }
}

impl<T> TaskHandle<T> {
    fn new(id: String, call: FollowedCall<T>) -> Self {
        Self {
            id,
            call: Box::new(call),
            status: None,
            message: None,
            pace: Pace::new(),
            answered: BTreeSet::new(),
            rounds: 0,
            is_detached: false,
        }
    }

    /// The task that the server started for `call`.
    pub(crate) fn created(created: CreateTaskResult, call: FollowedCall<T>) -> Self {
        let mut task = Self::new(created.task_id, call);
        task.pace.note(created.poll_interval_ms, created.ttl_ms);
        task.say(created.status_message);
        task.status = Some(created.status);
        task
    }

    /// The id of the task at the server. The id may give access to the result: keep it secret.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The status in the server's last report; before the first it counts as working.
    pub fn status(&self) -> TaskStatus {
        self.status.unwrap_or(TaskStatus::Working)
    }

    /// The message in the server's last report, for users or a model.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Leaves the task running when the future of a [`wait`](Self::wait) is dropped.
    #[must_use]
    pub fn detach(self) -> Self {
        Self {
            is_detached: true,
            ..self
        }
    }

    /// Asks once for the state of the task (`tasks/get`), and answers no questions.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::task`] if there is no such task. A failed task is not an error here,
    /// but a state.
    pub async fn get(&mut self) -> Result<DetailedTask> {
        let method = Method::GetTask;
        let params = GetTaskParams::new(self.id.as_str());
        let result = self.call.client.task_request(method, &params).await?;
        // The specification's own examples have the handle's type here.
        if result.fields.result_type != ResultType::Task {
            result.check_final(method)?;
        }
        let task: DetailedTask = result.body(method)?;
        if task.task_id != self.id {
            let mistake = Mistake::new("/taskId", "it is not the task that was asked for");
            let method = method.name();
            return Err(Error::invalid_result(method, &result.json, vec![mistake]));
        }
        self.note(&task);
        Ok(task)
    }

    /// Answers questions of the task (`tasks/update`), by their keys. Each question is answered at
    /// most once, however long the task still lists it. Servers ignore the keys of questions that
    /// are not open, or no longer.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::task`] if there is no such task. An error for which
    /// [`is_invalid_params`](Error::is_invalid_params) holds, too, if the server checks the answers
    /// and one does not fit its question.
    pub async fn answer(&mut self, answers: InputResponses) -> Result<()> {
        let method = Method::UpdateTask;
        let keys: Vec<String> = answers.iter().map(|(key, _)| key.to_owned()).collect();
        // Before the outcome is known, because an answer may have arrived even if its reply is
        // missing.
        self.answered.extend(keys.iter().cloned());
        let params = UpdateTaskParams::new(self.id.as_str(), answers);
        let sent = self.call.client.task_request(method, &params).await;
        if let Err(Error::Protocol(_)) = &sent {
            self.answered.retain(|key| !keys.contains(key));
        }
        sent?.decode::<EmptyResult>(method).map(drop)
    }

    /// Asks the server to stop the task (`tasks/cancel`). The server decides whether to stop it:
    /// the task may still end with a result. A task that has ended does not change.
    ///
    /// # Errors
    ///
    /// The errors of [`Client::task`] if there is no such task.
    pub async fn cancel(&self) -> Result<()> {
        self.call.client.cancel_task(&self.id).await
    }

    /// Waits for the end of the task, and answers its questions with the handlers that the client
    /// was [built](crate::Builder::on_elicitation) with. The result is that of the call, which may
    /// be a tool error.
    ///
    /// The client polls as often as the server suggests, or waits for the server's reports where it
    /// offers them. Where a request fails in a way that [may pass](Error::is_retryable), it polls
    /// again after a pause, up to thirty times in a row. The [timeout](crate::Builder::timeout) is
    /// for each request, the [longest time](crate::Builder::longest) for the whole wait.
    ///
    /// # Errors
    ///
    /// The error of the call, if the task failed. [`LocalError::TaskCancelled`] if it was
    /// cancelled. [`LocalError::TaskLost`] if it did not end in the time for which the server
    /// stores it. [`LocalError::Unanswered`] if it asks a question that this client can't answer:
    /// [answer](Self::answer) it and wait again.
    pub async fn wait(&mut self) -> Result<T> {
        let mut cancellation = self.cancellation();
        if self.is_detached {
            cancellation.disarm();
        }
        let outcome = self.follow(Instant::now()).await;
        // The caller still has the handle.
        cancellation.disarm();
        outcome
    }

    /// Like `wait`, for a call that started at `begun`, and whose handle has no other owner.
    pub(crate) async fn finish(mut self, begun: Instant) -> Result<T> {
        let mut cancellation = self.cancellation();
        let outcome = self.follow(begun).await;
        if self.status().is_terminal() {
            cancellation.disarm();
        }
        outcome
    }

    fn cancellation(&self) -> CancelOnDrop {
        CancelOnDrop(Some((self.call.client.clone(), self.id.clone())))
    }

    async fn follow(&mut self, begun: Instant) -> Result<T> {
        let longest = self.call.client.longest();
        let left = longest.saturating_sub(begun.elapsed());
        timeout(left, self.end()).await.unwrap_or_else(|_elapsed| {
            Err(LocalError::Timeout {
                method: METHOD.name(),
                after: longest,
                instead: None,
            }
            .into())
        })
    }

    /// Waits for the end, without a limit of time.
    async fn end(&mut self) -> Result<T> {
        let mut news = TaskNews::of(&self.call.client, &self.id);
        let mut told = match self.status {
            Some(TaskStatus::Working) => news.within(self.pace.pause(false)).await,
            // There is a question to answer or a result to take, or no state is known yet.
            Some(_) | None => None,
        };
        loop {
            let found = match told {
                Some(task) => {
                    self.note(&task);
                    Ok(task)
                }
                None => self.get().await,
            };
            let pause = match found {
                Ok(task) => {
                    if let Some(result) = self.result(task).await? {
                        return Ok(result);
                    }
                    self.pace.pause(news.is_open())
                }
                // The task may go on although the server does not say so now.
                Err(error) => match self.pace.pause_after(&error) {
                    Some(pause) => pause,
                    None => return Err(self.explain(error)),
                },
            };
            if let Some(ttl) = self.pace.expired() {
                return Err(self.lost(ttl));
            }
            told = news.within(pause).await;
        }
    }

    /// The result of a task that has ended. If it asks a question, answers that.
    async fn result(&mut self, task: DetailedTask) -> Result<Option<T>> {
        match task.state {
            TaskState::Working => {}
            TaskState::InputRequired { input_requests } => {
                self.answer_new(input_requests).await?;
            }
            TaskState::Completed { result } => return self.read(&result).map(Some),
            TaskState::Failed { error } => return Err(self.failure(error)),
            TaskState::Cancelled => {
                let (id, message) = (self.id.clone(), task.status_message);
                return Err(LocalError::TaskCancelled { id, message }.into());
            }
        }
        Ok(None)
    }

    /// Answers the questions that were not answered yet, all in one request.
    async fn answer_new(&mut self, mut asked: BTreeMap<String, InputRequest>) -> Result<()> {
        // The server may still list answered questions, because its view is eventually consistent.
        asked.retain(|key, _| !self.answered.contains(key));
        if asked.is_empty() {
            return Ok(());
        }
        let connected = &self.call.client.connected;
        let limits = connected.limits();
        if asked.len() > limits.questions {
            let why = format!(
                "it asks for more than {} things at a time",
                limits.questions
            );
            return Err(Error::invalid_response(Method::GetTask.name(), why));
        }
        if self.rounds == limits.rounds {
            let (method, limit) = (METHOD.name(), limits.rounds);
            return Err(LocalError::TooManyRounds {
                method,
                limit,
                asked,
            }
            .into());
        }
        self.rounds += 1;
        let respondent = connected.link.dispatcher().respondent();
        let answers = respondent.answer_all(METHOD, &asked).await?;
        self.answer(answers).await
    }

    fn note(&mut self, task: &DetailedTask) {
        self.status = Some(task.state.status());
        self.pace.note(task.poll_interval_ms, task.ttl_ms);
        self.say(task.status_message.clone());
    }

    fn say(&mut self, message: Option<String>) {
        if self.message == message {
            return;
        }
        self.message = message;
        if let (Some(listener), Some(message)) = (&self.call.progress, &self.message) {
            listener.say(message);
        }
    }

    /// Reads the result of the call from the task's result.
    fn read(&self, result: &RawJson) -> Result<T> {
        let reply = CallReply::Result(Bytes::copy_from_slice(result.get().as_bytes()));
        let least = self.call.client.connected.link.least;
        (self.call.read)(reply.result(METHOD, &(), least)?)
    }

    /// The error of the call, with which the task ended.
    fn failure(&self, error: WireError) -> Error {
        let (method, subject) = (METHOD.name(), self.call.subject.as_deref());
        let least = self.call.client.connected.link.least;
        error
            .recognise_as(AnsweredRequest { method, subject }, least)
            .into()
    }

    /// The reason why the server refused to report the task: it may have removed an expired task.
    fn explain(&self, error: Error) -> Error {
        match self.pace.expired() {
            Some(ttl) if error.protocol().is_some() => self.lost(ttl),
            Some(_) | None => error,
        }
    }

    fn lost(&self, ttl: Duration) -> Error {
        let id = self.id.clone();
        LocalError::TaskLost { id, ttl }.into()
    }
}

/// Cancels a task when dropped, unless it was disarmed.
struct CancelOnDrop(Option<(Client, String)>);

impl CancelOnDrop {
    fn disarm(&mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some((client, id)) = self.0.take() else {
            return;
        };
        let connected = Arc::clone(&client.connected);
        connected.bid_farewell(async move {
            // The outcome is ignored, because the server forgets the task in time.
            let _done = client.cancel_task(&id).await;
        });
    }
}

impl<T> fmt::Debug for TaskHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskHandle")
            .field("id", &self.id)
            .field("status", &self.status)
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}
