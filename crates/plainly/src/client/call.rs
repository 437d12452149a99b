//! One call from beginning to end: its deadline, and the new session if the server forgot the old one. What is called is
//! in other files.

use std::sync::Arc;

use plainly_errors::Era;
use plainly_protocol::method::Method;
use plainly_protocol::types::{DiscoverResult, EmptyResult};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::timeout;

use super::connect::{self, Deadline, Options, Server};
use super::error::{Error, LocalError};
use super::link::{Connection, Link};
use super::message::Writer;
use super::reply::Answer;
use super::{Client, Result};

/// What all clones of a client share.
#[derive(Debug)]
pub(super) struct Connected {
    link: Link,
    writer: Writer,
    options: Options,
    pub(super) server: Server,
    /// Held while a lost session is replaced, so that it is replaced once.
    renewal: tokio::sync::Mutex<()>,
}

impl Client {
    pub(super) async fn establish(connection: Connection, options: Options) -> Result<Self> {
        let link = Link::new(connection);
        let server = connect::establish(&link, &options).await?;
        Ok(Self {
            timeout: options.timeout,
            connected: Arc::new(Connected {
                link,
                writer: Writer::new(server.revision, &options.introduction),
                options,
                server,
                renewal: tokio::sync::Mutex::default(),
            }),
        })
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
        match self.revision().era() {
            Era::Legacy => self
                .call::<EmptyResult>(Method::Ping, &json!({}))
                .await
                .map(drop),
            Era::Modern => self.discover().await.map(drop),
        }
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
        let after = self.timeout;
        let reply = timeout(after, self.connected.call(method, params)).await;
        reply.map_err(|_elapsed| LocalError::Timeout {
            method: method.name(),
            after,
        })?
    }
}

impl Connected {
    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
    ) -> Result<Answer<T>> {
        let answer = self.link.call(&self.writer, method, params).await;
        match answer.as_ref().err().and_then(Error::local) {
            Some(LocalError::SessionLost) => {
                self.renew().await?;
                self.link.call(&self.writer, method, params).await
            }
            Some(_) | None => answer,
        }
    }

    /// Opens a new session, unless another call has done so in the meantime.
    async fn renew(&self) -> Result<()> {
        let _one_at_a_time = self.renewal.lock().await;
        if !self.link.is_lost() {
            return Ok(());
        }
        tracing::info!("the server has ended the session: opening a new one");
        let mut options = self.options.clone();
        options.revision = Some(self.server.revision);
        let by = Deadline::of(&options);
        connect::initialize(&self.link, &options, self.server.revision, by).await?;
        Ok(())
    }
}
