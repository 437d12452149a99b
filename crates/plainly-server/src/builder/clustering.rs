//! The other replicas of the server.

use std::sync::Arc;

use plainly_cluster::Engine;
use plainly_cluster::erased::{ErasedEngine, ErasedRecords};
use tokio::runtime::Handle;

use super::ServerBuilder;
use crate::features::{BuildError, BuildErrors, Definitions};
use crate::limits::Limits;
use crate::replicas::{CountedEngine, Replicas};
use crate::sessions::shared::SharedSessions;
use crate::shelves::Shelves;
use crate::tasks::{ErasedTasks, MemoryTasks, SharedTasks, Tasks};
use plainly_transport::seal::Keys;

impl ServerBuilder {
    /// Makes this server one of several replicas, any of which answers any request. All replicas
    /// share `engine`, and must have the same [keys](Self::keys), name and definitions.
    ///
    /// All replicas report changes that one of them publishes. Each answers legacy sessions that
    /// another opened, as with [`records`](Self::records). Answers, cancellations and messages of
    /// HTTP with SSE reach the right replica, and a stream can be resumed on any. All replicas
    /// report, answer and cancel tasks; if the replica that runs a task is gone, the task fails
    /// after 10 to 40 seconds. All data on the engine is sealed with the keys. Requests of
    /// 2026-07-28 continue to work without the engine.
    ///
    /// ```
    /// use plainly::Server;
    /// use plainly::server::Keys;
    /// use plainly::server::cluster::InProcess;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (engine, keys) = (InProcess::new(), Keys::new([7; 32]));
    /// let replica = || Server::builder("notes", "1.0.0").keys(keys.clone()).cluster(engine.replica());
    /// let (one, other) = (replica().build()?, replica().build()?);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn cluster(mut self, engine: impl Engine) -> Self {
        let engine = Arc::new(CountedEngine::new(Arc::new(engine)));
        self.records = Some(Arc::<CountedEngine>::clone(&engine));
        self.engine = Some(engine);
        self
    }
}

/// The replicas that share this engine; `None` without an engine.
pub(super) fn replicas(
    engine: Option<Arc<CountedEngine>>,
    server: &str,
    keys: Option<&Keys>,
    listed: &Definitions,
) -> Result<Option<Arc<Replicas>>, BuildErrors> {
    let Some(engine) = engine else {
        return Ok(None);
    };
    let mistake = |problem| {
        let errors = vec![BuildError::new("the cluster", problem)];
        BuildErrors::of("the server can't be built", errors)
    };
    let keys = keys.ok_or_else(|| {
        mistake(
            "needs keys that all replicas have: make a file with `openssl rand -hex 32 > keys`, and give it to keys(Keys::file(\"keys\")?)",
        )
    })?;
    if Handle::try_current().is_err() {
        return Err(mistake(
            "needs a Tokio runtime: call build() in an async function",
        ));
    }
    let replicas = Replicas::new(engine, server, keys.clone());
    Ok(Some(Arc::new(replicas.listing(listed.digest()))))
}

/// The shelves of these records, sealed with the keys; `None` without records.
pub(super) fn shelves(
    records: Option<Arc<dyn ErasedRecords>>,
    engine: Option<&Arc<CountedEngine>>,
    server: &str,
    keys: Option<&Keys>,
) -> Option<Arc<Shelves>> {
    let shelves = Shelves::new(records?, server).sealed(keys);
    let engine = engine.map(|engine| Arc::<CountedEngine>::clone(engine) as Arc<dyn ErasedEngine>);
    Some(Arc::new(shelves.within(engine)))
}

/// The tasks on these shelves, or in memory without shelves.
pub(super) fn tasks(shelves: Option<&Arc<Shelves>>, limits: &Limits) -> Arc<dyn ErasedTasks> {
    match shelves {
        Some(shelves) => Arc::new(SharedTasks::new(Arc::clone(shelves))),
        None => Arc::new(MemoryTasks::new(limits)),
    }
}

/// These tasks, as tasks of one of these replicas, if there are any.
pub(super) fn among(replicas: Option<&Arc<Replicas>>, tasks: Tasks) -> Tasks {
    replicas.into_iter().fold(tasks, |tasks, replicas| {
        tasks.of_replica(replicas.id(), Arc::<Replicas>::clone(replicas))
    })
}

/// The sessions on these shelves, which the replicas share; `None` without shelves.
pub(super) fn sessions(
    shelves: Option<Arc<Shelves>>,
    replicas: Option<&Arc<Replicas>>,
    limits: &Limits,
) -> Option<Arc<SharedSessions>> {
    let shared = SharedSessions::new(shelves?, limits);
    Some(Arc::new(
        replicas.into_iter().fold(shared, SharedSessions::among),
    ))
}
