//! Converts a running call to a task. The record is stored before the task's id is sent, and the
//! handler continues by itself.

use std::sync::Arc;
use std::time::SystemTime;

use plainly_errors::ProtocolError;
use plainly_protocol::types::{CreateTaskResult, DetailedTask, ResultType};
use tokio::sync::oneshot;

use super::background::{Background, TaskCall};
use super::local::LocalTask;
use super::record::{TaskEvent, TaskRecord};
use super::store::TaskStoreError;
use super::{Tasks, principal};
use crate::answer::{Answer, MethodResult};
use crate::failure::Failure;
use crate::failure::incident::chain;
use crate::panics::GuardedHandler;
use crate::random::random_name;
use crate::request::{Scope, StatusSink};

impl Tasks {
    /// Creates a task from `call`, whose `handler` is running, and answers with its handle.
    pub(crate) async fn create(
        self: Arc<Self>,
        call: TaskCall,
        handler: GuardedHandler,
    ) -> Result<Answer, Failure> {
        // The store may be slow and the request over by the time it is done, but the stored record
        // must be completed nevertheless.
        let (asker, created) = oneshot::channel();
        tokio::spawn(self.create_and_run(call, handler, asker));
        let task = created
            .await
            .unwrap_or_else(|_| Err(ProtocolError::internal("The task could not be created")))
            .map_err(Failure::of_server)?;
        let mut handle = CreateTaskResult::from(task);
        let meta = handle.meta.take();
        let result = MethodResult::new(handle, meta);
        Ok(result.of_type(ResultType::Task).into())
    }

    /// Creates a task from `call`, answers `asker`, and runs its handler to the end. If `asker` is
    /// gone, the task is cancelled, because no client knows its id.
    async fn create_and_run(
        self: Arc<Self>,
        call: TaskCall,
        handler: GuardedHandler,
        asker: oneshot::Sender<Result<DetailedTask, ProtocolError>>,
    ) {
        let (task, record) = match self.insert(&call.scope).await {
            Ok(inserted) => inserted,
            Err(error) => return drop(asker.send(Err(error))),
        };
        let sink = status_sink(&self, &task.id);
        call.scope.stage().begun(sink);
        if asker.send(Ok(record)).is_ok() {
            let tasks = self;
            return Background { tasks, task, call }.run(handler).await;
        }
        // Cancelled only after its handler was dropped.
        drop((call, handler));
        if let Err(error) = self.record(&task.id, TaskEvent::Cancelled).await {
            tracing::error!(
                error = chain(&error),
                "a task's outcome could not be stored"
            );
        }
    }

    /// Stores the record of a new task that a request began.
    async fn insert(&self, scope: &Scope) -> Result<(LocalTask, DetailedTask), ProtocolError> {
        let not_random =
            |error| ProtocolError::internal("The task could not be created").with_source(error);
        let id = random_name().map_err(not_random)?;
        // A slot in this process before a record in the store, because a record without a handler
        // would wait until it expires.
        let local = self.local.admit(&id, self.limits.tasks.stored);
        let local = local.ok_or(TaskStoreError::Full)?;
        let (ttl, poll) = (self.limits.tasks.ttl, self.limits.tasks.poll_interval);
        let principal = principal(scope.peer());
        let mut record = TaskRecord::new(id, principal, SystemTime::now(), ttl, poll);
        record.holder = scope.caller();
        let watched = self.watched.as_ref();
        record.runner = watched.map(|watched| watched.own.to_string());
        let task = record.task.clone();
        self.store.insert(record).await?;
        Ok((local, task))
    }
}

/// Stores the status messages of the handler of the task `id`.
fn status_sink(tasks: &Arc<Tasks>, id: &Arc<str>) -> StatusSink {
    let (tasks, id) = (Arc::clone(tasks), Arc::clone(id));
    Arc::new(move |message| {
        let (tasks, id) = (Arc::clone(&tasks), Arc::clone(&id));
        Box::pin(async move {
            if let Err(error) = tasks.record(&id, TaskEvent::Said(message)).await {
                tracing::warn!(
                    error = chain(&error),
                    "a task's message could not be stored"
                );
            }
        })
    })
}
