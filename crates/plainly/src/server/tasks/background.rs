//! A handler that goes on after its request was answered: until it ends, its time is over, or nobody wants it any more.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use plainly_errors::{ErrorKind, Internal, ProtocolError};
use plainly_protocol::question::asked;
use plainly_protocol::types::{CallToolResult, Content, InputRequest, RawJson};
use tokio::time::{sleep, timeout};

use super::live::Alive;
use super::making::TaskCall;
use super::record::TaskEvent;
use super::store::TaskStoreError;
use crate::server::Server;
use crate::server::answer::Answer;
use crate::server::audience::{Asker, Audience, Ended};
use crate::server::failure::Meaning;
use crate::server::incident::chain;
use crate::server::panics::{Guarded, panicked};
use crate::server::request::Scope;

/// What a reply has around the result of a task, at most.
const AROUND: usize = 4 << 10;

/// A task whose handler goes on, and what it takes to tell how that ends.
pub(super) struct Background {
    server: Server,
    alive: Alive,
    scope: Scope,
    audience: Audience,
    asker: Asker,
}

/// What a handler comes to.
enum HandlerTurn {
    Ended(Box<Ended>),
    /// It waits for the answers to these, and for no others.
    Asks(QuestionsByKey),
}

/// Questions by their keys.
type QuestionsByKey = BTreeMap<String, InputRequest>;

impl Background {
    /// Runs the handler of `call`, and keeps how it ended. One that was cancelled is dropped where it stands.
    pub(super) async fn run(server: Server, alive: Alive, call: TaskCall) {
        let TaskCall {
            scope,
            audience,
            asker,
            handler,
        } = call;
        let background = Self {
            server,
            alive,
            scope,
            audience,
            asker,
        };
        if let Some(ended) = background.ended(handler).await {
            background.keep(ended).await;
        }
    }

    /// How the handler ends; nothing if nobody wants it any more.
    async fn ended(&self, mut handler: Guarded) -> Option<Ended> {
        let limits = self.server.limits();
        let limit = limits.task_deadline.min(limits.task_ttl);
        let mut time = pin!(sleep(limit));
        let mut open = QuestionsByKey::new();
        loop {
            let next = poll_fn(|context| self.poll_next(&mut handler, &open, context));
            let is_wanted = tokio::select! {
                biased;
                () = self.something_happens() => self.hear().await,
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

    /// Waits until something may have happened to the task, here or elsewhere.
    async fn something_happens(&self) {
        let news = self.alive.news.notified();
        if self.server.0.tasks.store.is_shared() {
            // That nothing was told here says nothing of elsewhere.
            timeout(self.server.limits().task_poll, news).await.ok();
        } else {
            news.await;
        }
    }

    /// What the handler comes to that was known to have asked these.
    fn poll_next(
        &self,
        handler: &mut Guarded,
        asked: &QuestionsByKey,
        context: &mut Context<'_>,
    ) -> Poll<HandlerTurn> {
        if let Poll::Ready(ended) = handler.poll_unpin(context) {
            let ended = ended.map_err(|payload| panicked(&*payload));
            return Poll::Ready(HandlerTurn::Ended(Box::new(ended)));
        }
        let open = self.scope.questions().open(context);
        match open == *asked {
            true => Poll::Pending,
            false => Poll::Ready(HandlerTurn::Asks(open)),
        }
    }

    /// Asks the client. Whether the task is still wanted.
    async fn ask(&self, questions: QuestionsByKey) -> Result<bool, TaskStoreError> {
        let revision = self.asker.peer.revision;
        let questions = questions.into_iter();
        let questions = questions.map(|(key, question)| (key, asked(question, revision)));
        let event = TaskEvent::Asks(questions.collect());
        let record = self.server.happened(&self.alive.id, event).await?;
        Ok(record.is_some_and(|record| !record.is_over()))
    }

    /// Something happened to the task: an answer of the client, or its end. Whether it is still wanted.
    async fn hear(&self) -> Result<bool, TaskStoreError> {
        let record = self.server.0.tasks.store.get(&self.alive.id).await?;
        let Some(record) = record.filter(|record| !record.is_over()) else {
            return Ok(false);
        };
        let revision = self.asker.peer.revision;
        for (key, answer) in record.answers.iter() {
            if let Err(why) = self.scope.questions().answer(key, answer, revision) {
                tracing::error!(
                    task = &*self.alive.id,
                    key,
                    why,
                    "a stored answer is not valid"
                );
            }
        }
        Ok(true)
    }

    async fn keep(&self, ended: Ended) {
        let event = self.event(ended);
        let kept = match self.server.happened(&self.alive.id, event).await {
            Err(TaskStoreError::Full) => {
                let error =
                    ProtocolError::internal("Internal error: there is no room for the result");
                let failed = self.failed(&error);
                self.server.happened(&self.alive.id, failed).await
            }
            kept => kept,
        };
        if let Err(error) = kept {
            self.log(&error);
        }
    }

    fn log(&self, error: &TaskStoreError) {
        tracing::error!(task = &*self.alive.id, error = %chain(error), "a task's outcome could not be stored");
    }

    /// What becomes of the task.
    fn event(&self, ended: Ended) -> TaskEvent {
        let outcome = match ended {
            Err(error) => Err(error),
            Ok(Err(failure)) => match failure.meaning() {
                // An error of the protocol is what a failed task is there for; all others are the tool's.
                Meaning::Protocol(error) if error.problem().is_none() => Err(error.clone()),
                Meaning::Protocol(_)
                | Meaning::Problem(_)
                | Meaning::Problems(_)
                | Meaning::Text(_)
                | Meaning::Unknown(_) => self.delivered(Ok(Err(failure))),
            },
            Ok(Ok(answer)) => self.delivered(Ok(Ok(answer))),
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

    fn delivered(&self, ended: Ended) -> Result<Answer, ProtocolError> {
        let masking = self.server.0.masking;
        self.audience.deliver(ended, &self.asker, masking)
    }

    /// The result as it would have been sent.
    fn written(&self, result: CallToolResult) -> Result<RawJson, ProtocolError> {
        let revision = self.asker.peer.revision;
        let encoder = &self.server.0.encoder;
        let limit = self.server.limits().reply_bytes.saturating_sub(AROUND);
        let error = match encoder.result_alone(revision, Answer::Tool(result)) {
            Ok(result) if result.get().len() <= limit => return Ok(result),
            Ok(_) => Internal::ReplyTooLarge {
                limit: limit as u64,
            }
            .into(),
            Err(error) => error,
        };
        tracing::error!(task = &*self.alive.id, error = %chain(&error), "a task's result could not be written");
        let told = CallToolResult::new([Content::text(error.message())]).is_error(true);
        encoder.result_alone(revision, Answer::Tool(told))
    }

    fn failed(&self, error: &ProtocolError) -> TaskEvent {
        if let ErrorKind::Internal(detail) = error.kind()
            && !matches!(detail, Internal::Incident { .. })
        {
            tracing::error!(task = &*self.alive.id, error = %chain(error), "a task failed inside the server");
        }
        let revision = self.asker.peer.revision;
        TaskEvent::Failed(self.server.0.encoder.wire(error, revision))
    }
}

/// What a handler can answer a request with, but not end a task with: that it be sent again.
fn unexpected() -> ProtocolError {
    let source = "a handler ended its task with questions: ask them within the task";
    ProtocolError::from(Internal::Failed).with_source(source)
}

fn too_late(limit: Duration) -> ProtocolError {
    let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    Internal::DeadlineExceeded { limit_ms }.into()
}
