//! One call from beginning to end: its deadline, and a new session or revision for a server that has forgotten the
//! session or now refuses the revision. The methods to call are in other files.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use plainly_errors::{ErrorKind, ProtocolError, Revision};
use plainly_protocol::method::Method;
use plainly_protocol::types::{CallToolResult, DiscoverResult, EmptyResult, RawJson, Root};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::cache::Fetch;
use super::connect::{self, ClientOptions, ConnectDeadline};
use super::error::{Error, LocalError};
use super::known_tools::KnownTools;
use super::link::{BackgroundTask, CallExtras, ClientConnection, Link};
use super::message::{self, RequestWriter};
use super::operation::Operation;
use super::reply::{self, RawResult, TypedResult};
use super::retries::{Tries, is_reading};
use super::server_description::ServerDescription;
use super::timeouts::{CallQuestions, FAREWELL, Timeouts};
use super::{Client, Result};
use crate::limits::ClientLimits;
use plainly_transport::lock::Lock;

/// The state that all clones of a client share.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) link: Link,
    /// Writes requests of the revision that is spoken.
    writer: Lock<Arc<RequestWriter>>,
    options: ClientOptions,
    pub(super) server: ServerDescription,
    /// What its listings said of its tools.
    pub(super) tools: KnownTools,
    /// Held during a renegotiation, so that it happens once for all calls.
    renewal: tokio::sync::Mutex<()>,
    /// Held while subscribing to or unsubscribing from a resource of a legacy server, so that neither overtakes the
    /// other.
    pub(super) subscribing: tokio::sync::Mutex<()>,
    /// Wakes those who wait before they open a stream again: it is closed.
    pub(super) closing: tokio::sync::Notify,
    /// Requests that nobody waits for, except whoever closes the connection.
    farewells: Lock<JoinSet<()>>,
    /// Keeps the stream open for a legacy server's unsolicited messages, if this client wants them.
    server_stream: Lock<Option<BackgroundTask>>,
}

impl Client {
    /// A client of the server at the other end of `connection`, once they agree on a revision, `by` then at the latest.
    pub(super) async fn establish(
        connection: impl ClientConnection + 'static,
        mut options: ClientOptions,
        by: &ConnectDeadline,
    ) -> Result<Self> {
        let declared = &options.introduction.capabilities;
        options.shelf = options.shelf.map(|shelf| shelf.for_capabilities(declared));
        let link = Link::new(Arc::new(connection), options.least);
        let server = connect::establish(&link, &options, by).await?;
        let client = Self {
            timeout: options.timeout,
            retries: options.retries,
            fresh: false,
            connected: Arc::new(Connected {
                link,
                writer: Lock::new(
                    RequestWriter::new(server.revision, &options.introduction).into(),
                ),
                options,
                server,
                tools: KnownTools::default(),
                renewal: tokio::sync::Mutex::default(),
                subscribing: tokio::sync::Mutex::default(),
                closing: tokio::sync::Notify::default(),
                farewells: Lock::default(),
                server_stream: Lock::default(),
            }),
        };
        client.connected.keep_server_stream().await;
        Ok(client)
    }

    /// The number of bytes received from the server so far, over all calls on the connection: for showing progress.
    pub fn received_bytes(&self) -> u64 {
        self.connected.link.connection().received()
    }

    /// Asks a modern server again what it supports (`server/discover`), unless its answer is [cached](super::Builder::cache).
    ///
    /// # Errors
    ///
    /// [`LocalError::NotInRevision`] on a legacy connection.
    pub async fn discover(&self) -> Result<DiscoverResult> {
        Ok(self.call(Method::Discover, &json!({})).await?.body)
    }

    /// Checks whether the server still answers, with `ping`, or with `server/discover` on modern servers, which no
    /// longer have `ping`. An error for which [`is_timeout`](Error::is_timeout) or [`is_closed`](Error::is_closed) holds
    /// says that it does not.
    pub async fn ping(&self) -> Result<()> {
        if Method::Ping.is_in(self.revision()) {
            self.call::<EmptyResult>(Method::Ping, &json!({}))
                .await
                .map(drop)
        } else {
            self.fresh().discover().await.map(drop)
        }
    }

    /// Forwards a request: parameters and result are JSON, and nothing is lost that this crate has no type for. If the
    /// result asks for input (`resultType` `input_required`), the caller has to answer it. Of `_meta` in the parameters,
    /// the members that introduce the sender or ask for progress or log messages are replaced by this client's.
    ///
    /// # Errors
    ///
    /// [`LocalError::Parameters`] if the parameters, or their `_meta`, are not a JSON object. What the server declared is not
    /// looked at, and of the result only the fields that all results have are read.
    pub async fn forward(&self, method: Method, params: &RawJson) -> Result<RawJson> {
        let (params, meta) = message::split_meta(params).map_err(|_no_object| {
            let (method, source) = (method.name(), None);
            LocalError::Parameters { method, source }
        })?;
        let extras = CallExtras {
            meta: meta.as_ref(),
            ..CallExtras::default()
        };
        let result = self.result(method, &*params, extras).await?;
        let json = str::from_utf8(&result.json).expect("what was scanned as JSON is text");
        Ok(RawJson::parse(json).expect("it was scanned as JSON"))
    }

    /// Changes the roots that servers are told when they ask. If it was declared that changes are announced
    /// ([`ListCapability::list_changed`](plainly_protocol::types::ListCapability)), a server before 2026-07-28 is told of this
    /// one; newer servers ask each time.
    ///
    /// A client that was built without [roots](super::Builder::roots) has not declared any, and is not asked for them.
    ///
    /// # Errors
    ///
    /// Those of the connection, if the server was to be told: servers that ask get the new roots all the same.
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

    /// Closes the connection, for all clones: calls in flight fail, a legacy session over HTTP is ended at the server,
    /// and a child process is waited for, asked to terminate, and finally killed. Before that, tasks are cancelled and subscriptions
    /// ended, as far as that was begun and takes no more than 5 seconds.
    pub async fn close(&self) {
        self.connected.closing.notify_waiters();
        if let Some(shelf) = &self.connected.options.shelf {
            shelf.close();
        }
        let mut farewells = std::mem::take(&mut *self.connected.farewells.lock());
        while farewells.join_next().await.is_some() {}
        self.connected.link.connection().close().await;
    }

    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
    ) -> Result<TypedResult<T>> {
        self.check_declared(method)?;
        let result = self.result(method, params, CallExtras::default()).await?;
        result.decode(method)
    }

    /// Fails if the server did not declare the capability that `method` belongs to.
    pub(super) fn check_declared(&self, method: Method) -> Result<()> {
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

    /// The result of a call, whatever its `resultType`, tried as often as [`Retries`](super::Retries) say.
    pub(super) async fn result(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
    ) -> Result<RawResult> {
        let mut tries = Tries::begin();
        let result = self.try_again(method, params, extras, &mut tries).await;
        self.report(method, &tries, result.as_ref().err());
        result
    }

    /// Tells the observer what a call came to.
    pub(super) fn report(&self, method: Method, tries: &Tries, error: Option<&Error>) {
        let connected = &self.connected;
        connected.options.observer.report(|| Operation {
            method: method.name(),
            error,
            revision: connected.revision(),
            transport: connected.link.connection().transport(),
            duration: tries.start.elapsed(),
            tries: tries.count(),
        });
    }

    /// The same after these tries.
    pub(super) async fn try_again(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
        tries: &mut Tries,
    ) -> Result<RawResult> {
        let fetch = self.fetch(method, params, &extras).await;
        if let Some(kept) = fetch.as_ref().and_then(|fetch| fetch.find()) {
            return RawResult::kept(method, kept, fetch);
        }
        let extras = extras.kept_by(fetch.as_deref());
        loop {
            tries.begin_another();
            let error = match self.attempt(method, params, extras).await {
                Ok(result) => return Ok(result.keep_for(fetch)),
                Err(error) => self.connected.link.tell_stray(error),
            };
            let pause = tries.pause_after(&error, self.retries);
            // State that the server gave out with its questions may be good for one use.
            let may_repeat = extras.inputs.is_none() && self.is_repeatable(method, params);
            let Some(pause) = pause.filter(|_| may_repeat) else {
                let stale = fetch.as_ref().and_then(|fetch| fetch.instead_of(&error));
                let stale = stale.ok_or(error)?;
                return RawResult::kept(method, stale, fetch);
            };
            tracing::debug!(%error, method = method.name(), ?pause, "trying again");
            sleep(pause).await;
        }
    }

    /// A call for the cache; `None` if there is none, or there is more to the call than its parameters.
    async fn fetch(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: &CallExtras<'_>,
    ) -> Option<Box<Fetch>> {
        let connected = &self.connected;
        let shelf = connected.options.shelf.as_ref()?;
        if extras.inputs.is_some() || extras.meta.is_some_and(|meta| !meta.is_empty()) {
            return None;
        }
        let fetch = shelf.fetch(connected.revision(), method, params, self.fresh)?;
        // If they can't be had, the call itself tells why.
        let credentials = connected.link.credentials(self.timeout).await?;
        Some(Box::new(fetch.by(&credentials)))
    }

    /// The time for one call, however often the server gives a sign of life.
    pub(super) fn longest(&self) -> Duration {
        self.connected.options.longest.max(self.timeout)
    }

    fn is_repeatable(&self, method: Method, params: &impl Serialize) -> bool {
        let is_safe_tool = || {
            let name = reply::subject(method, params);
            name.is_some_and(|name| self.connected.tools.is_repeatable(&name))
        };
        is_reading(method) || method == Method::CallTool && is_safe_tool()
    }

    async fn attempt(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
    ) -> Result<RawResult> {
        let timeouts = Timeouts {
            idle: self.timeout,
            total: self.longest(),
            clocks: &self.connected.options.clocks,
        };
        let shared = &self.connected.link.dispatcher().questions.shared;
        let questions = CallQuestions::new(shared);
        let extras = CallExtras {
            questions: Some(&questions),
            ..extras
        };
        let progress = extras.progress.map(|listener| &**listener);
        let calling = self.connected.call(method, params, extras);
        timeouts
            .wait_for(method, progress, &questions, calling)
            .await
    }
}

impl Connected {
    /// Checks the structured output of a tool against its schema, if both are known.
    pub(super) fn check_output(
        &self,
        tool: &str,
        result: CallToolResult,
    ) -> Result<CallToolResult> {
        let checks = self.options.checks.output;
        let mistakes = checks.then(|| self.tools.mistakes(tool, &result));
        match mistakes.filter(|mistakes| !mistakes.is_empty()) {
            Some(mistakes) => Err(LocalError::InvalidOutput {
                tool: tool.to_owned(),
                mistakes,
                result: Box::new(result),
            }
            .into()),
            None => Ok(result),
        }
    }

    /// Limits on what the server sends.
    pub(super) fn limits(&self) -> &ClientLimits {
        &self.options.limits
    }

    pub(super) fn revision(&self) -> Revision {
        self.writer().revision()
    }

    async fn call(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
    ) -> Result<RawResult> {
        let writer = self.writer();
        let reply = self.link.ask(&writer, method, params, extras).await;
        let least = self.link.least;
        let error = match reply.and_then(|reply| reply.result(method, params, least)) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        if !self.is_mended(&error, writer.revision()).await? {
            return Err(error);
        }
        // Once more, but not in a loop: a server that refuses every new session would be called for ever.
        let writer = self.writer();
        let reply = self.link.ask(&writer, method, params, extras).await?;
        reply.result(method, params, least)
    }

    /// Resolves the cause of `error`, with which a call of `revision` was refused, if possible. Returns whether the
    /// call may succeed now.
    pub(super) async fn is_mended(&self, error: &Error, revision: Revision) -> Result<bool> {
        let mended = match (error.local(), error.protocol().map(ProtocolError::kind)) {
            // The specification has the client open a new session then (2025-11-25, "Session Management").
            (Some(LocalError::SessionLost), _) => self.renew().await.map(|()| true),
            // Within a session, the version is settled.
            (_, Some(ErrorKind::UnsupportedProtocolVersion { supported, .. }))
                if !revision.traits().sessions =>
            {
                self.change(revision, supported).await
            }
            _ => Ok(false),
        };
        match mended {
            // It is about the handshake: as the answer to this call it would mean something else.
            Err(Error::Protocol(refusal)) => {
                tracing::debug!(%refusal, "the server refused another handshake");
                Ok(false)
            }
            mended => mended,
        }
    }

    /// Opens a new session, unless another call already has.
    async fn renew(&self) -> Result<()> {
        let _one_at_a_time = self.renewal.lock().await;
        if !self.link.connection().is_lost() {
            return Ok(());
        }
        tracing::info!("the server has ended the session: opening a new one");
        // The new session knows nothing of them: each subscribes again by itself.
        let lost = LocalError::SessionLost.into();
        self.link.subscriptions().end(&lost);
        let revision = self.revision();
        let mut options = self.options.clone();
        // The same revision as before, since the writer that all calls share is not replaced here.
        options.revision = Some(revision);
        let by = ConnectDeadline::new(&options);
        connect::initialize(&self.link, &options, revision, &by).await?;
        self.keep_server_stream().await;
        Ok(())
    }

    /// Keeps the server's stream open, if its era has one and this client wants the messages on it.
    async fn keep_server_stream(&self) {
        let is_wanted = self.link.dispatcher().wants_server_messages();
        if self.revision().traits().sessions && is_wanted {
            let connection = Arc::clone(self.link.connection());
            let stream = connection.keep_server_stream().await;
            *self.server_stream.lock() = stream;
        }
    }

    /// Switches to another revision than the `refused` one, unless another call already has. Returns whether there is
    /// one.
    async fn change(&self, refused: Revision, offered: &[String]) -> Result<bool> {
        let _one_at_a_time = self.renewal.lock().await;
        if self.revision() != refused {
            return Ok(true);
        }
        let agreed = connect::change(&self.link, &self.options, refused, offered).await?;
        let Some(revision) = agreed else {
            return Ok(false);
        };
        tracing::info!(%refused, %revision, "the server refused the revision: using another");
        let writer = RequestWriter::new(revision, &self.options.introduction);
        *self.writer.lock() = writer.into();
        self.keep_server_stream().await;
        Ok(true)
    }

    /// Lets a request be made that nobody waits for, and that the connection is kept for, but not for long.
    pub(super) fn bid_farewell(&self, request: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let mut farewells = self.farewells.lock();
        while farewells.try_join_next().is_some() {}
        farewells.spawn_on(timeout(FAREWELL, request).map(drop), &runtime);
    }

    pub(super) fn writer(&self) -> Arc<RequestWriter> {
        Arc::clone(&self.writer.lock())
    }
}
