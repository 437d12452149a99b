//! From a call whose handler runs to a task: its record is kept before anybody hears of it, and its handler goes on by
//! itself.

use std::sync::Arc;
use std::time::SystemTime;

use plainly_errors::{ProtocolError, Unavailable};
use plainly_protocol::types::{CreateTaskResult, DetailedTask, ResultType};
use tokio::sync::oneshot;

use super::background::Background;
use super::live::{Alive, Live};
use super::record::{TaskEvent, TaskRecord};
use super::store::{ErasedTasks, TaskStoreError};
use crate::server::Server;
use crate::server::answer::{Answer, MethodResult};
use crate::server::audience::{Asker, Audience};
use crate::server::changes::Topic;
use crate::server::failure::Failure;
use crate::server::incident::chain;
use crate::server::panics::Guarded;
use crate::server::request::{Scope, StatusSink};

/// All tasks of a server.
#[derive(Debug)]
pub(in crate::server) struct Tasks {
    pub(super) store: Arc<dyn ErasedTasks>,
    pub(super) live: Live,
}

impl Tasks {
    /// Tasks whose records are in `store`.
    pub(in crate::server) fn new(store: Arc<dyn ErasedTasks>) -> Self {
        Self {
            store,
            live: Live::default(),
        }
    }
}

/// A call whose handler runs, and all that it takes to tell how it ended.
pub(in crate::server) struct TaskCall {
    pub(in crate::server) scope: Scope,
    pub(in crate::server) audience: Audience,
    pub(in crate::server) asker: Asker,
    pub(in crate::server) handler: Guarded,
}

impl Server {
    /// Makes a task of `call`; its handle is the answer.
    pub(in crate::server) async fn make_task(self, call: TaskCall) -> Result<Answer, Failure> {
        // A store may take its time, and whoever asks be gone by then: what it keeps must come to an end all the same.
        let (asker, made) = oneshot::channel();
        tokio::spawn(self.make(call, asker));
        let unmade = |_| Err(ProtocolError::internal("The task could not be created"));
        let task = made.await.unwrap_or_else(unmade)?;
        let mut handle = CreateTaskResult::from(task);
        let meta = handle.meta.take();
        let result = MethodResult::new(handle, meta);
        Ok(result.of_type(ResultType::Task).into())
    }

    /// Makes a task of `call`, and tells `asker`. One of which nobody was told is cancelled: nobody else knows its name.
    async fn make(
        self,
        call: TaskCall,
        asker: oneshot::Sender<Result<DetailedTask, ProtocolError>>,
    ) {
        let (alive, task) = match self.keep(&call.scope).await {
            Ok(kept) => kept,
            Err(error) => return drop(asker.send(Err(error))),
        };
        let sink = status_sink(self.clone(), Arc::clone(&alive.id));
        call.scope.stage().begun(sink);
        if asker.send(Ok(task)).is_ok() {
            return Background::run(self, alive, call).await;
        }
        drop(call);
        if let Err(error) = self.happened(&alive.id, TaskEvent::Cancelled).await {
            tracing::error!(task = &*alive.id, error = %chain(&error), "a task's outcome could not be stored");
        }
    }

    /// Keeps the record of a task that begins now.
    async fn keep(&self, scope: &Scope) -> Result<(Alive, DetailedTask), ProtocolError> {
        let id = name().map_err(|error| {
            ProtocolError::internal("The task could not be created").with_source(error)
        })?;
        let alive = Live::enter(self, &id).ok_or(Unavailable::Overloaded)?;
        let limits = self.limits();
        let record = TaskRecord::new(
            id,
            principal(scope),
            SystemTime::now(),
            limits.task_ttl,
            limits.task_poll,
        );
        let task = record.task.clone();
        self.0.tasks.store.insert(record).await?;
        Ok((alive, task))
    }

    /// What `event` makes of the task of this name; nothing if there is none. Those who listen hear of it.
    pub(super) async fn happened(
        &self,
        id: &str,
        event: TaskEvent,
    ) -> Result<Option<TaskRecord>, TaskStoreError> {
        let store = &self.0.tasks.store;
        while let Some(record) = store.get(id).await? {
            let Some(next) = record.after(event.clone(), SystemTime::now()) else {
                return Ok(Some(record));
            };
            // Where something else has happened meanwhile, it happens after that.
            if store.replace(next.clone()).await? {
                self.0.changes.publish(&Topic::Task(id.into()));
                return Ok(Some(next));
            }
        }
        Ok(None)
    }
}

/// Keeps what the handler of the task `id` says in its record.
fn status_sink(server: Server, id: Arc<str>) -> StatusSink {
    Arc::new(move |message| {
        let (server, id) = (server.clone(), Arc::clone(&id));
        Box::pin(async move {
            if let Err(error) = server.happened(&id, TaskEvent::Said(message)).await {
                tracing::warn!(task = &*id, error = %chain(&error), "a task's message could not be stored");
            }
        })
    })
}

/// The principal that may ask for the task.
pub(super) fn principal(scope: &Scope) -> Option<String> {
    let principal = scope.peer().principal.as_ref();
    principal.map(|principal| principal.as_str().to_owned())
}

/// 128 bits from the system's random source, in hexadecimal.
fn name() -> Result<String, getrandom::Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bits)))
}
