//! Tools that take their time: they report progress, log, and can be cancelled.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainly::protocol::types::LoggingLevel;
use plainly::server::ServerBuilder;
use plainly::server::extract::Progress;
use plainly::{Context, State, Tool};
use tokio::time::sleep;

/// The pause after each message of a tool. Some clients drop messages that come together with the
/// reply.
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

/// Only a client that gave a token hears of it.
async fn progress(context: Context) -> &'static str {
    for done in [0, 50, 100] {
        context.progress(Progress::new(done).of(100)).await;
        sleep(PAUSE).await;
    }
    "The tool has come to its end."
}

/// Only a client that wishes for logs of this level hears of it.
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

/// A client that can fetch the reply later, on another connection, need not hold this one open until then.
async fn reconnection(context: Context) -> &'static str {
    context.close_stream();
    sleep(PAUSE).await;
    "The client has come back."
}

/// The number of waiting handlers.
#[derive(Clone, Debug, Default)]
struct Waiting(Arc<AtomicUsize>);

/// A waiting handler. A client that gives up a call drops its handler, and all values in it.
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
