//! The client: the state that its clones share, and its facts about the server.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use plainly_errors::Revision;
use plainly_protocol::method::Method;
use plainly_protocol::types::{Implementation, Root, ServerCapabilities};
use plainly_transport::lock::Lock;
use tokio::task::JoinSet;

use super::handshake;
use super::known_tools::KnownTools;
use super::options::ClientOptions;
use super::retries::Retries;
use super::server_description::ServerDescription;
use crate::error::{Error, LocalError, Result};
use crate::link::{BackgroundTask, Link};
use crate::message::deadline::Deadline;
use crate::message::limits::ClientLimits;
use crate::message::request::RequestWriter;

/// The state that all clones of a client share.
#[derive(Debug)]
pub(crate) struct ClientState {
    pub(crate) link: Link,
    /// Writes requests of the revision in use.
    pub(super) writer: Lock<Arc<RequestWriter>>,
    pub(crate) options: ClientOptions,
    pub(crate) server: ServerDescription,
    /// The facts about the server's tools, from listings.
    pub(crate) tools: KnownTools,
    /// Held during a renegotiation, so that it happens once for all calls.
    pub(super) renewal: tokio::sync::Mutex<()>,
    /// The number of sessions that the server has forgotten.
    pub(super) sessions: AtomicU64,
    /// Held while subscribing to or unsubscribing from a resource of a legacy server, so that
    /// neither overtakes the other.
    pub(crate) subscribing: tokio::sync::Mutex<()>,
    /// Wakes the tasks that wait before they open a stream again, because the client is closed.
    pub(crate) closing: tokio::sync::Notify,
    /// Requests that only the end of the connection waits for.
    pub(super) farewells: Lock<JoinSet<()>>,
    /// Keeps the stream open for a legacy server's unsolicited messages, if this client wants them.
    pub(super) server_stream: Lock<Option<BackgroundTask>>,
}

/// A connection to a server. Cheap to clone; all clones share the connection.
///
/// # Errors
///
/// Any call may end with one of these. Methods only list their additional errors.
///
/// - [`Error::Protocol`]: the server refused the call, and [`Error`] says why.
/// - [`LocalError::InvalidResponse`] and [`LocalError::IrregularError`]: the server's answer is no
///   valid result or error of the method. The error contains the whole answer, and each mistake
///   with its place. A tool has run.
/// - [`LocalError::Timeout`]: no reply came in [time](crate::Builder::timeout).
/// - [`LocalError::Closed`]: the connection has ended. Over Streamable HTTP, these errors replace
///   it: [`LocalError::Unreachable`], [`LocalError::Interrupted`] and [`LocalError::SessionLost`].
/// - [`LocalError::HttpStatus`]: over HTTP, the answer came from no MCP server, or the server wants
///   credentials. [`LocalError::Authorization`]: the client's source of credentials failed.
/// - [`LocalError::NotInRevision`] and [`LocalError::NotDeclared`]: the server has no such method;
///   nothing was sent.
/// - [`LocalError::TaskLost`] and [`LocalError::TaskCancelled`]: the call became a task, which has
///   no result. Only of a [`Call`](crate::Call).
/// - [`LocalError::Unanswered`] and [`LocalError::TooManyRounds`]: the server asks questions first.
///   Only of a [`Call`](crate::Call).
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) connected: Arc<ClientState>,
    pub(crate) timeout: Duration,
    pub(crate) retries: Retries,
    /// Whether calls bypass cached results.
    pub(crate) fresh: bool,
}

impl Client {
    /// This connection, with a different timeout for each request.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            timeout,
            ..self.clone()
        }
    }

    /// This connection, with other retries of failed calls.
    #[must_use]
    pub fn with_retries(&self, retries: Retries) -> Self {
        Self {
            retries,
            ..self.clone()
        }
    }

    /// This connection, bypassing the [cache](crate::Builder::cache) and storing the results in it.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self {
            fresh: true,
            ..self.clone()
        }
    }

    /// The revision in use. It changes if the server starts to refuse it and offers another that
    /// this client supports, for example because the server was replaced. A
    /// [pinned](crate::Builder::revision) revision never changes.
    pub fn revision(&self) -> Revision {
        self.connected.revision()
    }

    /// The server's name and version, as the server stated them: for display and logs only.
    pub fn server(&self) -> Option<&Implementation> {
        self.connected.server.implementation.as_ref()
    }

    /// The server's capabilities.
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.connected.server.capabilities
    }

    /// Whether the server declares collections, and metadata without content (the extension
    /// `dev.plainly/resources`, SEP-2093).
    pub fn knows_collections(&self) -> bool {
        self.connected.server.knows_collections()
    }

    /// Whether the server declares that it reports all changes below a collection (the setting
    /// `recursive` of the extension `dev.plainly/resources`).
    pub fn knows_recursion(&self) -> bool {
        self.connected.server.reports_below()
    }

    /// Instructions for the model on how to use the server.
    pub fn instructions(&self) -> Option<&str> {
        self.connected.server.instructions.as_deref()
    }

    /// Waits until the server or this client has ended the connection, and returns the reason.
    /// Later calls fail with the same error.
    ///
    /// Over Streamable HTTP it never returns, because each request has a connection of its own:
    /// only a call can find that the server is gone.
    ///
    /// ```no_run
    /// # use plainly::client::Client;
    /// # async fn example(client: Client) {
    /// tokio::select! {
    ///     end = client.closed() => println!("{end}"),
    ///     () = plainly::shutdown::requested() => client.close().await,
    /// }
    /// # }
    /// ```
    pub async fn closed(&self) -> Error {
        self.connected.link.connection().closed().await
    }

    /// The versions that the server lists as supported: those from discovery, or the one from the
    /// handshake.
    pub fn supported_versions(&self) -> &[String] {
        &self.connected.server.supported_versions
    }
}

impl Client {
    /// A client of the server at the other end of `link`, after both have agreed on a revision
    /// before the deadline `by`.
    pub(crate) async fn establish(
        mut link: Link,
        mut options: ClientOptions,
        by: &Deadline,
    ) -> Result<Self> {
        let declared = &options.introduction.capabilities;
        options.shelf = options.shelf.map(|shelf| shelf.for_capabilities(declared));
        link.least = options.least;
        let server = handshake::establish(&link, &options, by).await?;
        let client = Self {
            timeout: options.timeout,
            retries: options.retries,
            fresh: false,
            connected: Arc::new(ClientState {
                link,
                writer: Lock::new(
                    RequestWriter::new(server.revision, &options.introduction).into(),
                ),
                options,
                server,
                tools: KnownTools::default(),
                renewal: tokio::sync::Mutex::default(),
                sessions: AtomicU64::new(0),
                subscribing: tokio::sync::Mutex::default(),
                closing: tokio::sync::Notify::default(),
                farewells: Lock::default(),
                server_stream: Lock::default(),
            }),
        };
        client.connected.keep_server_stream().await;
        Ok(client)
    }

    /// The number of bytes received from the server so far, over all calls on the connection: for
    /// showing progress.
    pub fn received_bytes(&self) -> u64 {
        self.connected.link.connection().received()
    }

    /// Changes the roots that servers get when they ask. A server before 2026-07-28 is notified, if
    /// the client declared that it announces changes
    /// ([`ListCapability::list_changed`](plainly_protocol::types::ListCapability)); newer servers
    /// ask each time.
    ///
    /// A client that was built without [roots](crate::Builder::roots) has not declared them, and
    /// servers don't ask it for them.
    ///
    /// # Errors
    ///
    /// The errors of the connection, if the server had to be notified. Servers that ask get the new
    /// roots all the same.
    pub async fn set_roots(&self, roots: impl Into<Vec<Root>>) -> Result<()> {
        let connected = &self.connected;
        let respondent = connected.link.dispatcher().respondent();
        respondent.set_roots(roots.into());
        let declared = &connected.options.introduction.capabilities.roots;
        let is_announced = declared
            .as_ref()
            .is_some_and(|it| it.list_changed == Some(true));
        if is_announced && Method::RootsChanged.is_in(self.revision()) {
            let writer = connected.writer();
            connected.link.notify(&writer, Method::RootsChanged).await?;
        }
        Ok(())
    }

    /// Closes the connection, for all clones. First, pending requests that cancel tasks and end
    /// subscriptions are completed, for at most 5 seconds. Then calls in flight fail, a legacy
    /// session over HTTP is ended at the server, and a child process is waited for, asked to
    /// terminate, and finally killed.
    pub async fn close(&self) {
        self.connected.closing.notify_waiters();
        if let Some(shelf) = &self.connected.options.shelf {
            shelf.close();
        }
        let mut farewells = std::mem::take(&mut *self.connected.farewells.lock());
        while farewells.join_next().await.is_some() {}
        self.connected.link.connection().close().await;
    }

    /// Fails if the server did not declare the capability that `method` belongs to.
    pub(crate) fn check_declared(&self, method: Method) -> Result<()> {
        let connected = &self.connected;
        let lacks = connected.server.lacks(method);
        match lacks.filter(|_| connected.options.checks.capabilities) {
            Some(capability) => {
                let method = method.name();
                Err(LocalError::NotDeclared { method, capability }.into())
            }
            None => Ok(()),
        }
    }
}

impl ClientState {
    /// Limits on what the server sends.
    pub(crate) fn limits(&self) -> &ClientLimits {
        &self.options.limits
    }

    pub(crate) fn revision(&self) -> Revision {
        self.writer().revision()
    }

    pub(crate) fn writer(&self) -> Arc<RequestWriter> {
        Arc::clone(&self.writer.lock())
    }
}
