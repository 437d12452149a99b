//! One call from beginning to end: its deadline, and what to agree on anew with a server that forgot the session or came to
//! refuse the revision. What is called is in other files.

use std::sync::{Arc, Mutex, PoisonError};

use plainly_errors::{ErrorKind, ProtocolError, Revision};
use plainly_protocol::method::Method;
use plainly_protocol::types::{DiscoverResult, EmptyResult};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::connect::{self, Deadline, Options, Server};
use super::error::{Error, LocalError};
use super::link::{Besides, Connection, Link};
use super::message::Writer;
use super::news::{self, Task};
use super::patience::Patience;
use super::reply::{Answer, Unread};
use super::{Client, Result};
use crate::limits::ClientLimits;

/// What all clones of a client share.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) link: Link,
    /// Of the revision that is spoken.
    writer: Mutex<Arc<Writer>>,
    options: Options,
    pub(super) server: Server,
    /// Held while something is agreed on anew, so that it is once for all calls.
    renewal: tokio::sync::Mutex<()>,
    /// Held while a legacy server is subscribed to a resource, or unsubscribed from one: neither overtakes the other.
    pub(super) subscribing: tokio::sync::Mutex<()>,
    /// Has what a legacy server says unasked come in, where that is heard.
    hearing: Mutex<Option<Task>>,
}

impl Client {
    pub(super) async fn establish(connection: Connection, options: Options) -> Result<Self> {
        let link = Link::new(connection);
        let server = connect::establish(&link, &options).await?;
        let client = Self {
            timeout: options.timeout,
            connected: Arc::new(Connected {
                link,
                writer: Mutex::new(Writer::new(server.revision, &options.introduction).into()),
                options,
                server,
                renewal: tokio::sync::Mutex::default(),
                subscribing: tokio::sync::Mutex::default(),
                hearing: Mutex::default(),
            }),
        };
        client.connected.hear().await;
        Ok(client)
    }

    /// How many bytes have come from the server so far, on all calls of the connection: for showing progress.
    pub fn received_bytes(&self) -> u64 {
        self.connected.link.received()
    }

    /// Asks a modern server again what it supports (`server/discover`).
    ///
    /// # Errors
    ///
    /// [`LocalError::NotInRevision`] on a legacy connection.
    pub async fn discover(&self) -> Result<DiscoverResult> {
        Ok(self.call(Method::Discover, &json!({})).await?.body)
    }

    /// Whether the server still answers: `ping`, which the modern revision has no more; there it is `server/discover`,
    /// which every modern server has.
    pub async fn ping(&self) -> Result<()> {
        if Method::Ping.is_in(self.revision()) {
            let answer: Answer<EmptyResult> = self.call(Method::Ping, &json!({})).await?;
            drop(answer);
        } else {
            self.discover().await?;
        }
        Ok(())
    }

    /// Ends the connection, for all clones: calls in flight fail, a legacy session over HTTP is ended at the server, and
    /// a child process is waited for, asked to terminate, and killed.
    pub async fn close(&self) {
        self.connected.link.close().await;
    }

    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
    ) -> Result<Answer<T>> {
        let result = self.result(method, params, Besides::default()).await?;
        result.decode(method.name())
    }

    /// The result of a call, whatever type it says that it is of.
    pub(super) async fn result(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        besides: Besides<'_>,
    ) -> Result<Unread> {
        let patience = Patience {
            after: self.timeout,
            most: self.connected.options.longest.max(self.timeout),
        };
        let busy = &self.connected.link.reception().questions.busy;
        let signs = besides.signs.map(|signs| &**signs);
        let calling = self.connected.call(method, params, besides);
        patience.within(method, signs, busy, calling).await
    }
}

impl Connected {
    /// How much is taken of the server.
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
        besides: Besides<'_>,
    ) -> Result<Unread> {
        let writer = self.writer();
        let reply = self.link.ask(&writer, method, params, besides).await;
        let error = match reply.and_then(|reply| reply.result(method.name())) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        if !self.is_mended(&error, writer.revision()).await? {
            return Err(error);
        }
        let writer = self.writer();
        let reply = self.link.ask(&writer, method, params, besides).await?;
        reply.result(method.name())
    }

    /// Whether a call of `revision` that ended with `error`, and with which the server did nothing, may do better now.
    pub(super) async fn is_mended(&self, error: &Error, revision: Revision) -> Result<bool> {
        if let Some(LocalError::SessionLost) = error.local() {
            self.renew().await?;
            return Ok(true);
        }
        match error.protocol().map(ProtocolError::kind) {
            // Within a session the version is settled.
            Some(ErrorKind::UnsupportedProtocolVersion { supported, .. })
                if !revision.traits().sessions =>
            {
                self.change(revision, supported).await
            }
            _ => Ok(false),
        }
    }

    /// Opens a new session, unless another call has done so in the meantime.
    async fn renew(&self) -> Result<()> {
        let _one_at_a_time = self.renewal.lock().await;
        if !self.link.is_lost() {
            return Ok(());
        }
        tracing::info!("the server has ended the session: opening a new one");
        let revision = self.revision();
        let mut options = self.options.clone();
        options.revision = Some(revision);
        let by = Deadline::of(&options);
        connect::initialize(&self.link, &options, revision, by).await?;
        self.hear().await;
        Ok(())
    }

    /// Hears what the server says unasked, if it is of the era that does and there is who wants it.
    async fn hear(&self) {
        if self.revision().traits().sessions && self.link.reception().is_all_ears() {
            let hearing = news::hear(self.link.connection()).await;
            *self.hearing.lock().unwrap_or_else(PoisonError::into_inner) = hearing;
        }
    }

    /// Speaks another revision than the `refused` one from now on, unless another call has seen to that in the meantime.
    async fn change(&self, refused: Revision, offered: &[String]) -> Result<bool> {
        let _one_at_a_time = self.renewal.lock().await;
        if self.revision() != refused {
            return Ok(true);
        }
        let agreed = connect::change(&self.link, &self.options, refused, offered).await?;
        let Some(revision) = agreed else {
            return Ok(false);
        };
        tracing::info!(%refused, %revision, "the server refuses the revision: speaking another");
        let writer = Writer::new(revision, &self.options.introduction);
        *self.writer.lock().unwrap_or_else(PoisonError::into_inner) = writer.into();
        self.hear().await;
        Ok(true)
    }

    pub(super) fn writer(&self) -> Arc<Writer> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&writer)
    }
}
