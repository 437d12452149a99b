//! Serves tools, resources and prompts, written once, to peers of every revision.
//!
//! ```text
//! bytes ─► envelope ─► resolve ─► dispatch ─► route ─► extract ─► handler ─► reply ─► encode ─► bytes
//! ```

// Definitions, before and while the server runs.
mod builder;
mod registration;

// From bytes to a request, its peer and its session.
mod incoming;
mod resolve;
mod sessions;

// A request while it runs.
mod dispatch;
mod in_flight;
pub mod layer;
mod load;
mod replies;
mod request;

// The method handlers.
mod discovery;
mod features;
mod route;
mod source;
mod subscriptions;
mod tasks;

// The program's handlers.
pub mod extract;
mod handler;
mod handling;
mod panics;
mod state;
mod strings;

mod derived;
mod given;
mod misfit;
mod mistakes;
mod texts;

// From the outcome to bytes.
mod answer;
mod audience;
mod failure;
mod outgoing;
pub mod reply;

// Shared parts.
mod alive;
mod asking;
mod changes;
pub mod limits;
mod operation;
mod permissions;
mod random;
mod replicas;
mod shelves;
mod skills;
mod standing;
pub mod store;
mod usage;

use std::fmt;
use std::sync::{Arc, OnceLock};

use tokio::task::JoinSet;

pub use self::asking::{AskError, AskErrorKind};
use self::audience::ErrorPolicy;
pub use self::builder::ServerBuilder;
pub use self::changes::{Changes, SubscribedResources, Topic, Upstream};
pub use self::failure::{
    ByDeclaration, ByError, ByPointee, DeclaredFailure, DeclaredProblems, Failure, IntoFailure,
    Itself,
};
use self::features::Features;
pub use self::features::{
    App, BuildError, BuildErrors, Prompt, Resource, ResourceTemplate, Tool, ToolAdapter,
};
pub use self::handler::Handler;
pub use self::incoming::serving::Serving;
pub use self::operation::{Operation, OperationOutcome};
pub use self::permissions::Permissions;
pub use self::replicas::ReplicaCount;
pub use self::request::TaskSupport;
use self::sessions::Sessions;
pub use self::sessions::ended::EndedSession;
pub use self::skills::{SkillPage, Skills};
pub use self::source::{Source, SourceRequest};
pub use self::standing::ReplicaStatus;
pub use self::tasks::{MemoryTasks, TaskCounts, TaskRecord, TaskStore, TaskStoreError};
pub use self::usage::Usage;
pub use plainly_cluster::{EngineError, Records, StoredRecord};
pub use plainly_protocol::peer::Principal;
pub use plainly_protocol::trace_context::{TraceContext, TraceParent};
pub use plainly_transport::health::Health;
pub use plainly_transport::seal::{InvalidKeys, KeyFileError, Keys};

/// The interface between replicas: the data that they share, and an engine within one process.
pub mod cluster {
    pub use plainly_cluster::*;
}

/// A server with all its definitions and options. Cheap to clone; all clones are the same server.
///
/// ```
/// use plainly::server::{Server, Tool};
///
/// async fn hello() -> &'static str {
///     "Hello!"
/// }
///
/// let server = Server::builder("greeter", "1.0.0").tool(Tool::new("hello", hello)).build()?;
/// # Ok::<(), plainly::server::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    sources: source::Sources,
    discovery: discovery::Discovery,
    encoder: Arc<outgoing::encode::Encoder>,
    features: Arc<Features>,
    limits: limits::Limits,
    sessions: Sessions,
    pipes: incoming::pipes::Pipes,
    tasks: Arc<tasks::Tasks>,
    subscriptions: Arc<subscriptions::Subscriptions>,
    load: load::Load,
    unsent: outgoing::unsent::UnsentReplies,
    /// The layers in front of every handler, if there are any.
    layers: Option<layer::Next>,
    errors: ErrorPolicy,
    observer: operation::Observer,
    /// The other replicas, if there are any.
    replicas: Option<Arc<replicas::Replicas>>,
    /// The tasks that receive messages from the other replicas.
    hearing: OnceLock<JoinSet<()>>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("implementation", &self.0.discovery.implementation)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Starts building a server with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// The server's limits.
    pub fn limits(&self) -> &limits::Limits {
        &self.0.limits
    }

    /// Ends all subscriptions, each with its result, and all sessions over HTTP with SSE, each with
    /// its running requests. New ones are rejected as unavailable.
    ///
    /// A listening HTTP server and byte streams end their own subscriptions when they stop. Use
    /// this for a server that is mounted in another one: call it when that server is asked to stop,
    /// because it may wait for responses that have no end.
    pub fn end_subscriptions(&self) {
        self.0.subscriptions.end();
        self.0.pipes.end();
    }

    /// Ends all sessions over HTTP, which [`ServerBuilder::on_session_end`] then reports. Call it
    /// when no requests are served any more; otherwise the sessions end with the last clone of this
    /// server. Other servers continue sessions that they share.
    pub fn end_sessions(&self) {
        self.0.sessions.end_all();
    }

    /// Marks the tasks that still run in this process as failed, and stops their handlers. If other
    /// servers share the store of the tasks, call it before the process ends, when no requests are
    /// served any more.
    pub async fn end_tasks(&self) {
        self.0.tasks.end_all().await;
    }
}
