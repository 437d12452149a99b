//! A handler that goes on after its request was answered: until it ends, its time is over, or nobody wants it any more.

use std::pin::pin;
use std::time::Duration;

use plainly_errors::{ErrorKind, Internal, ProtocolError};
use plainly_protocol::types::{CallToolResult, Content, RawJson};
use tokio::time::sleep;

use super::live::Alive;
use super::making::Call;
use super::record::Event;
use super::store::TaskStoreError;
use crate::server::Server;
use crate::server::answer::Answer;
use crate::server::audience::{Asker, Audience, Ended, panicked};
use crate::server::failure::Meaning;
use crate::server::handling::Guarded;
use crate::server::incident::chain;

/// What a reply has around the result of a task, at most.
const AROUND: usize = 4 << 10;

/// What it takes to tell how a handler that goes on has ended.
pub(super) struct Background {
    server: Server,
    alive: Alive,
    audience: Audience,
    asker: Asker,
}

impl Background {
    /// Runs the handler of `call`, and keeps how it ended. One that was cancelled is dropped where it stands.
    pub(super) async fn run(server: Server, alive: Alive, call: Call) {
        let Call {
            scope,
            audience,
            asker,
            handler,
        } = call;
        let background = Self {
            server,
            alive,
            audience,
            asker,
        };
        let ended = background.ended(handler).await;
        drop(scope);
        if let Some(ended) = ended {
            background.keep(ended).await;
        }
    }

    /// How the handler ends; nothing if nobody wants it any more.
    async fn ended(&self, mut handler: Guarded) -> Option<Ended> {
        let limits = self.server.limits();
        let limit = limits.task_deadline.min(limits.task_ttl);
        let mut time = pin!(sleep(limit));
        loop {
            tokio::select! {
                biased;
                () = self.alive.news.notified() => {
                    if self.is_over().await {
                        return None;
                    }
                }
                ended = &mut handler => {
                    return Some(ended.map_err(|payload| panicked(&*payload)));
                }
                () = &mut time => return Some(Err(too_late(limit))),
            }
        }
    }

    /// Whether the task has ended without its handler. What can't be looked up goes on.
    async fn is_over(&self) -> bool {
        match self.server.0.tasks.store.get(&self.alive.id).await {
            Ok(record) => record.is_none_or(|record| record.is_over()),
            Err(error) => {
                self.log(&error);
                false
            }
        }
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
        tracing::error!(task = &*self.alive.id, error = %chain(error), "a task's end was not kept");
    }

    /// What becomes of the task.
    fn event(&self, ended: Ended) -> Event {
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
        match outcome.and_then(|answer| self.written(answer)) {
            Ok(result) => Event::Completed(result),
            Err(error) => self.failed(&error),
        }
    }

    fn delivered(&self, ended: Ended) -> Result<Answer, ProtocolError> {
        let masking = self.server.0.masking;
        self.audience.deliver(ended, &self.asker, masking)
    }

    /// The result as it would have been sent.
    fn written(&self, answer: Answer) -> Result<RawJson, ProtocolError> {
        let revision = self.asker.peer.revision;
        let encoder = &self.server.0.encoder;
        let limit = self.server.limits().reply_bytes.saturating_sub(AROUND);
        let error = match encoder.result_alone(revision, answer) {
            Ok(result) if result.get().len() <= limit => return Ok(result),
            Ok(_) => Internal::ReplyTooLarge {
                limit: limit as u64,
            }
            .into(),
            Err(error) => error,
        };
        tracing::error!(task = &*self.alive.id, error = %chain(&error), "a task's result could not be written");
        let told = CallToolResult::new([Content::text(error.message())]).is_error(true);
        encoder.result_alone(revision, Answer::CallTool(told))
    }

    fn failed(&self, error: &ProtocolError) -> Event {
        if let ErrorKind::Internal(detail) = error.kind()
            && !matches!(detail, Internal::Incident { .. })
        {
            tracing::error!(task = &*self.alive.id, error = %chain(error), "a task failed inside the server");
        }
        let revision = self.asker.peer.revision;
        Event::Failed(self.server.0.encoder.wire(error, revision))
    }
}

fn too_late(limit: Duration) -> ProtocolError {
    let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    Internal::DeadlineExceeded { limit_ms }.into()
}
