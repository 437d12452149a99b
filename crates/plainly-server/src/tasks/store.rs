//! Task storage behind a trait: in memory, or in a database that several processes share. A store
//! stores records and does not know their transitions.

use std::error::Error;
use std::fmt;
use std::future::Future;

use futures_util::future::BoxFuture;
use plainly_errors::{ProtocolError, Unavailable};

use super::counts::TaskCounts;
use super::record::TaskRecord;

/// Stores the records of tasks, each at least until it [expires](TaskRecord::expires). By default a
/// server uses its own [`MemoryTasks`](super::MemoryTasks).
///
/// The handler of a task runs in the process that created it. Any other process with the same
/// records can report, answer and cancel the task, if the store says that it
/// [is shared](Self::is_shared). A task whose process has ended stays unchanged until it expires,
/// unless the process was one of several replicas: then another one marks the task as failed.
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
    /// `record`. Returns `false` and changes nothing if there is a different record or none.
    fn replace(
        &self,
        record: TaskRecord,
    ) -> impl Future<Output = Result<bool, TaskStoreError>> + Send;

    /// Whether other processes change the records too. In that case the handler of a task checks
    /// every [`poll_interval`](crate::limits::TaskLimits::poll_interval) whether the task was
    /// answered or cancelled by another process.
    fn is_shared(&self) -> bool {
        false
    }

    /// The number of tasks in each state, for [`Server::usage`](crate::Server::usage) and
    /// [`Server::task_counts`](crate::Server::task_counts); `None` if the store can't tell
    /// immediately.
    fn counts(&self) -> Option<TaskCounts> {
        None
    }
}

/// The reason why a task store failed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// There is no room: the client should try again later.
    #[error("no room for more tasks, or for a larger one")]
    Full,
    /// The store can't be reached now, or did not confirm a write: the client should try again
    /// later.
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
            TaskStoreError::Full => {
                let why = "There is no room for another task: try again later";
                Self::from(Unavailable::Overloaded).with_message(why)
            }
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
