//! A server whose handlers report, ask and become tasks. Its limits hardly exceed the needs of one
//! client, so that a leak is noticed soon.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::limits::Limits;
use plainly::protocol::types::{
    BooleanField, CreateMessageParams, ElicitFormParams, SamplingMessage,
};
use plainly::server::extract::{Ask, Context, State};
use plainly::server::{
    AskError, Changes, MemoryTasks, Server, ServerBuilder, TaskRecord, TaskStore, TaskStoreError,
    TaskSupport, Tool,
};

/// The number of running handlers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<AtomicUsize>);

pub(crate) struct Runs(Running);

impl Drop for Runs {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Running {
    pub(crate) fn one_more(&self) -> Runs {
        self.0.fetch_add(1, Ordering::SeqCst);
        Runs(self.clone())
    }

    /// Waits until no handler runs.
    pub(crate) async fn is_over(&self, why: &str) {
        let waiting = async {
            while self.0.load(Ordering::SeqCst) > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(20), waiting).await;
        waited.unwrap_or_else(|_| panic!("{why}: a handler goes on"));
    }
}

/// Tasks in memory, and the ids of all tasks ever stored.
#[derive(Clone, Debug)]
pub(crate) struct Named(MemoryTasks, pub(crate) Arc<Mutex<Vec<String>>>);

impl TaskStore for Named {
    async fn insert(&self, record: TaskRecord) -> Result<(), TaskStoreError> {
        self.1.lock().unwrap().push(record.id().to_owned());
        self.0.insert(record).await
    }

    async fn get(&self, id: &str) -> Result<Option<TaskRecord>, TaskStoreError> {
        self.0.get(id).await
    }

    async fn replace(&self, record: TaskRecord) -> Result<bool, TaskStoreError> {
        self.0.replace(record).await
    }
}

fn sure() -> ElicitFormParams {
    ElicitFormParams::new("Sure?").field("sure", BooleanField::new())
}

/// Alternates between reports and questions.
async fn talk(
    State(running): State<Running>,
    context: Context,
    ask: Ask,
) -> Result<String, AskError> {
    let _running = running.one_more();
    context.progress(1).await;
    let answer = ask.elicit("sure", sure()).await?;
    context.progress(2).await;
    let params = CreateMessageParams::new([SamplingMessage::user("?")], 5);
    let said = ask.sample("said", params).await?;
    context.progress(3).await;
    Ok(format!("{:?} {}", answer.action, said.text()))
}

/// Asks a question as a task.
async fn work(State(running): State<Running>, ask: Ask) -> Result<String, AskError> {
    let _running = running.one_more();
    let answer = ask.elicit("sure", sure()).await?;
    Ok(format!("{:?}", answer.action))
}

/// Notifies subscribers.
async fn touch(State(changes): State<Changes>) -> &'static str {
    changes.tools_changed();
    "touched"
}

pub(crate) struct Fixture {
    pub(crate) server: Server,
    pub(crate) running: Running,
    pub(crate) tasks: Arc<Mutex<Vec<String>>>,
}

impl Fixture {
    /// Builds the fixture with additional parts.
    pub(crate) fn with(sessions: usize, more: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        let mut limits = Limits::default();
        // One client may use an eighth of each limit.
        (limits.requests, limits.requests_per_connection) = (8 * 6, 6);
        (
            limits.subscriptions.open,
            limits.subscriptions.per_connection,
        ) = (8 * 4, 2);
        limits.questions.open = 1;
        (limits.sessions.open, limits.resumption.events) = (sessions, 4);
        limits.page_entries = 2;
        let (running, changes) = (Running::default(), Changes::new());
        let tasks = Named(MemoryTasks::new(&limits), Arc::default());
        let names = Arc::clone(&tasks.1);
        let builder = Server::builder("cut", "1")
            .limits(limits)
            .state(running.clone())
            .state(changes.clone())
            .changes(changes)
            .task_store(tasks)
            .tool(Tool::new("echo", async || "here"))
            .tool(Tool::new("talk", talk))
            .tool(Tool::new("touch", touch))
            .tool(Tool::new("work", work).task(TaskSupport::Required));
        let server = more(builder).build().unwrap();
        Self {
            server,
            running,
            tasks: names,
        }
    }
}
