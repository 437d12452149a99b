//! Runs a handler that continues after its request was answered, until it ends, its time is over,
//! or its task is cancelled.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use plainly_errors::{Internal, Mistake, ProtocolError};
use plainly_protocol::question::asked;
use plainly_protocol::types::{CallToolResult, Content, InputRequest, RawJson};
use plainly_transport::quota::Quota;
use tokio::time::{sleep, timeout};

use super::Tasks;
use super::local::LocalTask;
use super::record::TaskEvent;
use super::store::TaskStoreError;
use crate::answer::Answer;
use crate::audience::{Audience, HandlerEnd, request_failed};
use crate::changes::{Topic, TopicSubscription};
use crate::failure::incident::chain;
use crate::failure::{Failure, Meaning};
use crate::panics::{GuardedHandler, panicked};
use crate::request::Scope;

/// More bytes than a subscription counts for a task id.
const ROOM: usize = 4 << 10;

/// The maximum number of bytes around the result of a task in a reply.
const AROUND: usize = 4 << 10;

/// The tool call that becomes a task, with all data needed to report the end of its handler.
pub(crate) struct TaskCall {
    pub(crate) scope: Scope,
    pub(crate) audience: Audience,
}

/// A task whose handler continues.
pub(super) struct Background {
    pub(super) tasks: Arc<Tasks>,
    pub(super) task: LocalTask,
    pub(super) call: TaskCall,
}

/// A turn of a running handler.
enum HandlerTurn {
    Ended(Box<HandlerEnd>),
    /// The handler waits for the answers to exactly these questions.
    Asks(QuestionsByKey),
}

/// Questions by their keys.
type QuestionsByKey = BTreeMap<String, InputRequest>;

impl Background {
    /// Runs the handler, and records how it ended. The handler of a cancelled task is dropped.
    pub(super) async fn run(self, handler: GuardedHandler) {
        if let Some(ended) = self.ended(handler).await {
            self.record_end(ended).await;
        }
    }

    /// The end of the handler; `None` if its task was cancelled.
    async fn ended(&self, mut handler: GuardedHandler) -> Option<HandlerEnd> {
        let limits = &self.tasks.limits;
        // A result after the record has expired could not be read by any client.
        let limit = limits.tasks.deadline.min(limits.tasks.ttl);
        let mut time = pin!(sleep(limit));
        let mut open = QuestionsByKey::new();
        let heard = self.heard();
        loop {
            let next = poll_fn(|context| self.poll_next(&mut handler, &open, context));
            let is_wanted = tokio::select! {
                // The client's actions come first, because the handler of a cancelled task must not
                // be polled again.
                biased;
                () = self.something_happens(heard.as_ref()) => self.hear().await,
                next = next => match next {
                    HandlerTurn::Ended(ended) => return Some(*ended),
                    HandlerTurn::Asks(questions) => {
                        open.clone_from(&questions);
                        self.ask(questions).await
                    }
                },
                () = &mut time => return Some(Err(too_late(limit))),
            };
            match is_wanted {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error.into())),
            }
        }
    }

    /// The changes of the task, if other processes can make some.
    fn heard(&self) -> Option<TopicSubscription> {
        let is_shared = self.tasks.store.is_shared();
        let heard = is_shared.then(|| self.tasks.changes.subscribe(Quota::new(ROOM).part(None)))?;
        heard.add([Topic::Task(Arc::clone(&self.task.id))]).ok()?;
        Some(heard)
    }

    /// Waits until the task may have changed, in this process or another.
    async fn something_happens(&self, heard: Option<&TopicSubscription>) {
        let Some(heard) = heard else {
            return self.task.signal.notified().await;
        };
        let changed = poll_fn(|context| heard.poll_next(context));
        // A client may have sent its request to another process, whose changes this one may not
        // receive.
        timeout(self.tasks.look_again(), changed).await.ok();
    }

    /// The next turn of the handler: it ended, or its open questions differ from `asked`.
    fn poll_next(
        &self,
        handler: &mut GuardedHandler,
        asked: &QuestionsByKey,
        context: &mut Context<'_>,
    ) -> Poll<HandlerTurn> {
        if let Poll::Ready(ended) = handler.poll_unpin(context) {
            let ended = ended.map_err(|payload| panicked(&*payload));
            return Poll::Ready(HandlerTurn::Ended(Box::new(ended)));
        }
        let open = self.call.scope.questions().open(context);
        match open == *asked {
            true => Poll::Pending,
            false => Poll::Ready(HandlerTurn::Asks(open)),
        }
    }

    /// Asks the client. Returns whether the task is still active.
    async fn ask(&self, questions: QuestionsByKey) -> Result<bool, TaskStoreError> {
        let revision = self.call.scope.peer().revision;
        let questions = questions.into_iter();
        let questions = questions.map(|(key, question)| (key, asked(question, revision)));
        let event = TaskEvent::Asks(questions.collect());
        let record = self.tasks.record_surely(&self.task.id, event).await?;
        Ok(record.is_some_and(|record| !record.is_over()))
    }

    /// Passes the client's answers to the handler. Returns whether the task is still active.
    async fn hear(&self) -> Result<bool, TaskStoreError> {
        let record = match self.tasks.get(&self.task.id).await {
            // The handler continues until the task is known to be over.
            Err(TaskStoreError::Unavailable(_)) => return Ok(true),
            record => record?,
        };
        let Some(record) = record.filter(|record| !record.is_over()) else {
            return Ok(false);
        };
        let revision = self.call.scope.peer().revision;
        for (key, answer) in record.answers.iter() {
            if let Err(why) = self.call.scope.questions().answer(key, answer, revision) {
                tracing::error!(
                    key,
                    why = Mistake::list(&why),
                    "a stored answer is not valid"
                );
            }
        }
        Ok(true)
    }

    async fn record_end(&self, ended: HandlerEnd) {
        let end = self.event(ended);
        let mut recorded = self.tasks.record_surely(&self.task.id, end).await;
        if let Err(TaskStoreError::Full) = recorded {
            let error = ProtocolError::internal("Internal error: there is no room for the result");
            // Each record is counted with enough bytes from the start to hold an error message (see
            // `MemoryTasks`).
            let failed = self.failed(&error);
            recorded = self.tasks.record_surely(&self.task.id, failed).await;
        }
        if let Err(error) = recorded {
            tracing::error!(
                error = chain(&error),
                "a task's outcome could not be stored"
            );
        }
    }

    /// The task's event for the end of its handler.
    fn event(&self, ended: HandlerEnd) -> TaskEvent {
        let (asker, policy) = (self.call.scope.asker(), self.tasks.errors);
        let outcome = match ended {
            Err(error) => Err(error),
            // A task fails only by a protocol error; every other failure is a tool error ("Task
            // Execution Errors").
            Ok(Err(failure)) if is_protocol_error(&failure) => {
                Err(request_failed(failure, policy.masking))
            }
            ended => self.call.audience.deliver(ended, asker, policy),
        };
        let result = outcome.and_then(|answer| {
            let Answer::Tool(result) = answer else {
                return Err(unexpected());
            };
            self.written(result)
        });
        match result {
            Ok(result) => TaskEvent::Completed(result),
            Err(error) => self.failed(&error),
        }
    }

    /// The result in the form in which it would have been sent.
    fn written(&self, result: CallToolResult) -> Result<RawJson, ProtocolError> {
        let revision = self.call.scope.peer().revision;
        let encoder = &self.tasks.encoder;
        // `tasks/get` must be able to fit the recorded result into a reply.
        let limit = self.tasks.limits.reply_bytes.saturating_sub(AROUND);
        let error = match encoder.result_alone(revision, Answer::Tool(result)) {
            Ok(result) if result.get().len() <= limit => return Ok(result),
            Ok(_) => Internal::ReplyTooLarge {
                limit: limit as u64,
            }
            .into(),
            Err(error) => error,
        };
        tracing::error!(
            error = chain(&error),
            "a task's result could not be written"
        );
        let told = CallToolResult::new([Content::text(error.message())]).is_error(true);
        encoder.result_alone(revision, Answer::Tool(told))
    }

    fn failed(&self, error: &ProtocolError) -> TaskEvent {
        self.tasks.errors.report(self.call.scope.asker(), error);
        let revision = self.call.scope.peer().revision;
        TaskEvent::Failed(self.tasks.encoder.wire(error, revision))
    }
}

fn is_protocol_error(failure: &Failure) -> bool {
    matches!(failure.meaning(), Meaning::Protocol(error) if error.problem().is_none())
}

/// The error for a handler that ends with questions. The client of a task can't send the request
/// again with the answers.
fn unexpected() -> ProtocolError {
    let source = "a handler ended its task with questions: ask them within the task";
    ProtocolError::from(Internal::Failed).with_source(source)
}

fn too_late(limit: Duration) -> ProtocolError {
    let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    Internal::DeadlineExceeded { limit_ms }.into()
}
