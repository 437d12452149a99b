//! A connection of either kind, and the ids of the requests on it: what a call needs before and after it is known which
//! revision is spoken.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use plainly_errors::Revision;
use plainly_protocol::method::Method;
use plainly_protocol::types::{EmptyResult, InputResponseParams, ListenParams, SubscriptionFilter};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Error;
use super::inbox::Inbox;
use super::listeners::Listeners;
use super::message::{Extras, Request, Writer};
use super::mirror::Mirror;
use super::progress::Signs;
use super::reception::Reception;
use super::reply::{Answer, Reply};
#[cfg(feature = "http-client")]
use super::session::Session;
use super::stream::Stream;

/// A connection and its ids.
#[derive(Debug)]
pub(super) struct Link {
    connection: Connection,
    last_id: AtomicI64,
    /// `None`: there are no headers.
    mirror: Option<Mirror>,
}

/// What goes with one call beside its parameters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Besides<'a> {
    /// What the server asked for before.
    pub(super) inputs: Option<&'a InputResponseParams>,
    /// Where it is told how far the call has come, if it is to be.
    pub(super) signs: Option<&'a Arc<Signs>>,
}

#[derive(Debug)]
pub(super) enum Connection {
    Stream(Stream),
    #[cfg(feature = "http-client")]
    Http(Arc<Session>),
}

impl Link {
    pub(super) fn new(connection: Connection) -> Self {
        let mirror = match &connection {
            Connection::Stream(_) => None,
            #[cfg(feature = "http-client")]
            Connection::Http(_) => Some(Mirror::default()),
        };
        Self {
            connection,
            last_id: AtomicI64::new(0),
            mirror,
        }
    }

    /// Calls `method` and reads the result. Dropping the future cancels the request.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        writer: &Writer,
        method: Method,
        params: &(impl Serialize + Sync),
    ) -> Result<Answer<T>, Error> {
        let reply = self.ask(writer, method, params, Besides::default()).await?;
        reply.decode(method.name())
    }

    /// Calls `method` and leaves the reply unread. Dropping the future cancels the request.
    pub(super) async fn ask(
        &self,
        writer: &Writer,
        method: Method,
        params: &(impl Serialize + Sync),
        besides: Besides<'_>,
    ) -> Result<Reply, Error> {
        let extras = Extras {
            progress: besides.signs.is_some(),
            inputs: besides.inputs,
            mirror: self.mirror(),
        };
        let request = writer.request(self.next_id(), method, params, extras)?;
        let underway = &self.reception().underway;
        let _followed = besides
            .signs
            .map(|signs| underway.follow(&request.id, signs));
        self.send(&request).await
    }

    /// Listens until the subscription ends. Dropping the future cancels it.
    pub(super) async fn listen(
        &self,
        writer: &Writer,
        filter: SubscriptionFilter,
        inbox: &Arc<Inbox>,
    ) -> Result<(), Error> {
        let method = Method::Listen;
        let params = ListenParams::new(filter);
        let request = writer.request(self.next_id(), method, &params, Extras::default())?;
        let _listening = self.listeners().add(Some(request.id.clone()), inbox);
        let reply = self.send(&request).await?;
        reply.decode::<EmptyResult>(method.name()).map(drop)
    }

    /// Where what is no reply goes.
    pub(super) fn reception(&self) -> &Reception {
        match &self.connection {
            Connection::Stream(stream) => stream.reception(),
            #[cfg(feature = "http-client")]
            Connection::Http(session) => session.reception(),
        }
    }

    /// Which arguments headers repeat, where there are headers.
    pub(super) fn mirror(&self) -> Option<&Mirror> {
        self.mirror.as_ref()
    }

    /// Who is told of changes.
    pub(super) fn listeners(&self) -> &Arc<Listeners> {
        &self.reception().listeners
    }

    /// The connection itself.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    async fn send(&self, request: &Request) -> Result<Reply, Error> {
        match &self.connection {
            Connection::Stream(stream) => stream.call(request).await,
            #[cfg(feature = "http-client")]
            Connection::Http(session) => session.call(request).await,
        }
    }

    /// Sends a notification without parameters.
    pub(super) async fn notify(&self, writer: &Writer, method: Method) -> Result<(), Error> {
        let frame = writer.notification(method);
        match &self.connection {
            Connection::Stream(stream) => stream.notify(frame.body).await,
            #[cfg(feature = "http-client")]
            Connection::Http(session) => session.notify(frame, method.name()).await,
        }
    }

    /// Sets the revision that is spoken from now on.
    pub(super) fn speak(&self, revision: Revision) {
        self.reception().revision.set(revision);
    }

    /// How many bytes have arrived.
    pub(super) fn received(&self) -> u64 {
        match &self.connection {
            Connection::Stream(stream) => stream.received(),
            #[cfg(feature = "http-client")]
            Connection::Http(session) => session.received(),
        }
    }

    /// Whether the server has forgotten the session.
    pub(super) fn is_lost(&self) -> bool {
        match &self.connection {
            Connection::Stream(_) => false,
            #[cfg(feature = "http-client")]
            Connection::Http(session) => session.is_lost(),
        }
    }

    /// Ends the connection and every call in flight on it.
    pub(super) async fn close(&self) {
        match &self.connection {
            Connection::Stream(stream) => stream.close().await,
            #[cfg(feature = "http-client")]
            Connection::Http(session) => session.close().await,
        }
    }
}
