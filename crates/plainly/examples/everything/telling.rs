//! Tools that take a while: they report progress, write logs, and can be cancelled.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainly::protocol::types::LoggingLevel;
use plainly::server::ServerBuilder;
use plainly::server::extract::Progress;
use plainly::{Context, State, Tool};
use tokio::time::sleep;

/// The pause after each message of a tool, because some clients drop messages that arrive together
/// with the reply.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    server
        .state(Waiting::default())
        .tool(Tool::new("test_tool_with_progress", progress).description("Tells of its progress"))
        .tool(Tool::new("test_tool_with_logging", logging).description("Logs what it does"))
        .tool(Tool::new("test_logging_tool", logging).description("Logs what it does too"))
        .tool(Tool::new("test_reconnection", reconnection).description("Has the client come back"))
        .tool(Tool::new("test_wait", wait).description("Waits until it is given up"))
        .tool(Tool::new("test_waiting", waiting).description("Tells how many wait"))
}

/// Reports progress, which only a client that sent a progress token receives.
async fn progress(context: Context) -> &'static str {
    for done in [0, 50, 100] {
        context.progress(Progress::new(done).of(100)).await;
        sleep(PAUSE).await;
    }
    "The tool has come to its end."
}

/// Writes logs, which only a client that wants logs of this level receives.
async fn logging(context: Context) -> &'static str {
    for what in [
        "execution started",
        "processing data",
        "execution completed",
    ] {
        context
            .log(LoggingLevel::Info, format!("Tool {what}"))
            .await;
        sleep(PAUSE).await;
    }
    "The tool has logged what it did."
}

/// Closes the stream before the reply. A client that can fetch the reply later need not keep the
/// connection open.
async fn reconnection(context: Context) -> &'static str {
    context.close_stream();
    sleep(PAUSE).await;
    "The client has come back."
}

/// The number of waiting handlers.
#[derive(Clone, Debug, Default)]
struct Waiting(Arc<AtomicUsize>);

/// A waiting handler. When a client cancels a call, its handler is dropped, with all its values.
struct Waiter(Waiting);

impl Waiter {
    fn new(waiting: Waiting) -> Self {
        waiting.0.fetch_add(1, Ordering::Relaxed);
        Self(waiting)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn wait(State(waiting): State<Waiting>) -> &'static str {
    let _waiter = Waiter::new(waiting);
    pending().await
}

async fn waiting(State(waiting): State<Waiting>) -> String {
    waiting.0.load(Ordering::Relaxed).to_string()
}
