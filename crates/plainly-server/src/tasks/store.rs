//! Task storage, behind a trait: in memory, or in a database that several processes share. A store
//! keeps records and knows nothing about their transitions.

use std::error::Error;
use std::fmt;
use std::future::Future;

use futures_util::future::BoxFuture;
use plainly_errors::{ProtocolError, Unavailable};

use super::counts::TaskCounts;
use super::record::TaskRecord;

/// Keeps the records of tasks, each at least until it [expires](TaskRecord::expires). By default a
/// server has a [`MemoryTasks`](super::MemoryTasks) of its own.
///
/// The handler of a task runs in the process that made it. Any other that has the same records can
/// say how far the task is, take answers for it and stop it, if the store says that it
/// [is shared](Self::is_shared). A task whose process has ended stays as it was until it expires,
/// unless it was one of several replicas: another one puts it as failed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task store",
    label = "not a store of tasks",
    note = "a store of tasks has the methods `insert`, `get` and `replace`"
)]
pub trait TaskStore: Send + Sync + fmt::Debug + 'static {
    /// Stores the record of a new task. Once it returns, [`get`](Self::get) finds it.
    fn insert(&self, record: TaskRecord)
    -> impl Future<Output = Result<(), TaskStoreError>> + Send;

    /// The record of the task with this id. An expired one may be missing.
    fn get(
        &self,
        id: &str,
    ) -> impl Future<Output = Result<Option<TaskRecord>, TaskStoreError>> + Send;

    /// Replaces the previous record, whose [version](TaskRecord::version) is one less, with
    /// `record`: returns `false`, and changes nothing, if there is a different one or none.
    fn replace(
        &self,
        record: TaskRecord,
    ) -> impl Future<Output = Result<bool, TaskStoreError>> + Send;

    /// Whether other processes change its records too. The handler of a task then checks every
    /// [`poll_interval`](crate::limits::TaskLimits::poll_interval) whether the task was answered or
    /// cancelled elsewhere.
    fn is_shared(&self) -> bool {
        false
    }

    /// The number of tasks in each state, for [`Server::usage`](crate::Server::usage) and
    /// [`Server::task_counts`](crate::Server::task_counts); `None` if the store does not know it at
    /// once.
    fn counts(&self) -> Option<TaskCounts> {
        None
    }
}

/// The reason why a task store can't do its work.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// There is no room: the client is to try again later.
    #[error("no room for more tasks, or for a larger one")]
    Full,
    /// The store can't be reached now, or did not confirm a write: the client is to try again later.
    #[error("the task store can't be reached at the moment")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
    /// An internal failure; the log has the whole error.
    #[error("the task store can't be reached")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

plainly_errors::debug_with_causes!(TaskStoreError);

impl From<TaskStoreError> for ProtocolError {
    fn from(error: TaskStoreError) -> Self {
        match error {
            TaskStoreError::Full => Unavailable::Overloaded.into(),
            TaskStoreError::Unavailable(_) => {
                let unavailable = Self::from(Unavailable::Overloaded);
                let why = "The task store can't be reached at the moment: try again later";
                unavailable.with_message(why).with_source(error)
            }
            TaskStoreError::Failed(_) => {
                Self::internal("Internal error: the task store can't be reached").with_source(error)
            }
        }
    }
}

/// [`TaskStore`] with its futures boxed.
pub(crate) trait ErasedTasks: Send + Sync + fmt::Debug {
    fn insert(&self, record: TaskRecord) -> BoxFuture<'_, Result<(), TaskStoreError>>;
    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<TaskRecord>, TaskStoreError>>;
    fn replace(&self, record: TaskRecord) -> BoxFuture<'_, Result<bool, TaskStoreError>>;
    fn is_shared(&self) -> bool;
    fn counts(&self) -> Option<TaskCounts>;
}

impl<S: TaskStore> ErasedTasks for S {
    fn insert(&self, record: TaskRecord) -> BoxFuture<'_, Result<(), TaskStoreError>> {
        Box::pin(TaskStore::insert(self, record))
    }

    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<TaskRecord>, TaskStoreError>> {
        Box::pin(TaskStore::get(self, id))
    }

    fn replace(&self, record: TaskRecord) -> BoxFuture<'_, Result<bool, TaskStoreError>> {
        Box::pin(TaskStore::replace(self, record))
    }

    fn is_shared(&self) -> bool {
        TaskStore::is_shared(self)
    }

    fn counts(&self) -> Option<TaskCounts> {
        TaskStore::counts(self)
    }
}
