//! Serves tools, resources and prompts, written once, to peers of every revision.
//!
//! ```text
//! bytes ─► envelope ─► resolve ─► dispatch ─► route ─► extract ─► handler ─► reply ─► encode ─► bytes
//! ```

mod builder;

mod request;
mod resolve;
mod session;
mod sessions;

mod dispatch;
mod handling;
pub mod layer;
mod load;

mod outbox;
mod outgoing;
mod panics;
mod replies;
mod route;
mod running;

mod announcements;
mod discovery;
mod features;
mod registering;
mod seal;
mod source;
mod tasks;

pub mod extract;
mod handler;
mod state;
mod strings;

mod failure;
mod incident;
pub mod reply;

mod answer;
mod audience;
mod encode;
mod malformed;
mod unsent;

mod asking;

mod changes;
mod listeners;
mod listening;
mod news;
mod notices;
mod watching;

mod batch;
mod in_flight;

mod connection;
mod exchange;
#[cfg(feature = "http-server")]
mod http;
mod pipes;
mod serving;
#[cfg(feature = "stdio")]
mod stdio;
mod streams;

use std::sync::Arc;

pub use self::asking::{AskError, AskErrorKind};
pub use self::builder::ServerBuilder;
pub use self::changes::Changes;
pub use self::failure::{ByError, ByPointee, Failure, IntoFailure, Itself};
use self::features::Features;
pub use self::features::{BuildError, BuildErrors, Prompt, Resource, ResourceTemplate, Tool};
pub use self::handler::Handler;
pub use self::request::TaskSupport;
pub use self::seal::{InvalidKeys, Keys};
pub use self::serving::Serving;
use self::sessions::Sessions;
pub use self::source::{Source, SourceRequest};
pub use self::tasks::{MemoryTasks, TaskRecord, TaskStore, TaskStoreError};
pub use plainly_protocol::peer::Principal;

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
#[derive(Clone, Debug)]
pub struct Server(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    sources: source::Sources,
    discovery: discovery::Discovery,
    announcements: announcements::Announcements,
    encoder: encode::Encoder,
    features: Arc<Features>,
    limits: crate::limits::Limits,
    sessions: Sessions,
    pipes: pipes::Pipes,
    tasks: tasks::Tasks,
    load: load::Load,
    unsent: unsent::Unsent,
    changes: Changes,
    listeners: listeners::Listeners,
    watching: watching::Watching,
    /// What stands before every handler, if anything does.
    layers: Option<layer::Next>,
    masking: bool,
}

impl Server {
    /// Starts building a server with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// The server's limits.
    pub fn limits(&self) -> &crate::limits::Limits {
        &self.0.limits
    }
}
