//! A connection over [`Messages`]. Replies come back in any order, and are matched to requests by
//! id. A [driver](driver) receives and sends; when the messages end, every request in flight ends
//! at once.
//!
//! Knows messages, not methods.

mod driver;
mod state;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_protocol::method::Method;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};

use self::driver::Driver;
pub(crate) use self::state::OtherEnd;
use self::state::{AnswerSender, ConnectionState, QueuedMessage, places};
use crate::error::{CloseReason, ConnectionEnd, Error};
use crate::link::ClientConnection;
use crate::link::dispatcher::Dispatcher;
use crate::message::reply::CallReply;
use crate::message::request::OutgoingRequest;
use plainly_transport::lock::Lock;
use plainly_transport::{Frame, Messages, Meter};

/// The client's end of the messages. Dropping it ends the connection, and the server's process if
/// there is one.
#[derive(Debug)]
pub(crate) struct MessageConnection {
    state: Arc<ConnectionState>,
    /// The queue of messages to send, and a sender that stops the driver when dropped; `None` once
    /// closed.
    queue: Lock<Option<(mpsc::UnboundedSender<QueuedMessage>, oneshot::Sender<()>)>>,
    places: Arc<tokio::sync::Semaphore>,
    end: watch::Receiver<()>,
    received: Meter,
}

impl MessageConnection {
    /// Creates a connection over `messages`, whose bytes `received` counts. It stops `other_end`
    /// when the messages end.
    pub(crate) fn new(
        messages: impl Messages + 'static,
        received: Meter,
        other_end: impl OtherEnd + 'static,
        dispatcher: Dispatcher,
    ) -> Self {
        let state = Arc::new(ConnectionState::new(dispatcher));
        let (queue, queued) = mpsc::unbounded_channel();
        let (ended, end) = watch::channel(());
        let (stop, stopped) = oneshot::channel();
        let places = places();
        let driver = Driver {
            messages: Lock::new(Box::new(messages)),
            answers: AnswerSender::new(&queue, &places),
            state: Arc::clone(&state),
            other_end: Box::new(other_end),
        };
        tokio::spawn(async move {
            driver.run(queued, stopped).await;
            drop(ended);
        });
        Self {
            state,
            queue: Lock::new(Some((queue, stop))),
            places,
            end,
            received,
        }
    }

    async fn exchange(&self, request: &OutgoingRequest<'_>) -> Result<CallReply, Error> {
        // Before the request is registered: if the call is dropped here, nothing was sent, so there
        // is nothing to cancel.
        let place = self.place().await?;
        let queue = self.queue().ok_or_else(|| self.state.closed())?;
        let mut expected = self.expect(request)?;
        // Fails if the connection is about to end. The reason reaches the callers that wait for
        // replies.
        let _ending = queue.send(QueuedMessage {
            message: request.frame.body.clone(),
            place: Some(place),
        });
        // Only the connection may keep the queue open, because a request in flight must not keep
        // the driver from ending.
        drop(queue);
        expected.reply().await
    }

    /// Expects the reply to `request`, which the caller sends after this.
    pub(crate) fn expect<'a>(
        &'a self,
        request: &'a OutgoingRequest<'a>,
    ) -> Result<ExpectedReply<'a>, Error> {
        let (waiter, reply) = oneshot::channel();
        let added = self.state.pending.lock().insert(request.id.clone(), waiter);
        if !added {
            return Err(self.state.closed());
        }
        Ok(ExpectedReply {
            connection: self,
            request,
            reply,
        })
    }

    fn queue(&self) -> Option<mpsc::UnboundedSender<QueuedMessage>> {
        self.queue.lock().as_ref().map(|(queue, _)| queue.clone())
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, Error> {
        let place = Arc::clone(&self.places).acquire_owned();
        let mut end = self.end.clone();
        tokio::select! {
            place = place => place.map_err(|_closed| self.state.closed()),
            _ended = end.changed() => Err(self.state.closed()),
        }
    }
}

impl ClientConnection for MessageConnection {
    fn call<'a>(
        &'a self,
        request: &'a OutgoingRequest<'a>,
    ) -> BoxFuture<'a, Result<CallReply, Error>> {
        self.exchange(request).boxed()
    }

    fn notify(&self, frame: Frame, _method: Method) -> BoxFuture<'_, Result<(), Error>> {
        async move {
            let place = Some(self.place().await?);
            let queue = self.queue().ok_or_else(|| self.state.closed())?;
            let message = frame.body;
            queue
                .send(QueuedMessage { message, place })
                .map_err(|_closed| self.state.closed())
        }
        .boxed()
    }

    /// Waits until the server's process, if there is one, has ended too.
    fn close(&self) -> BoxFuture<'_, ()> {
        async {
            self.queue.lock().take();
            self.state
                .close(ConnectionEnd::without_words(CloseReason::Ours));
            drop(self.closed().await);
        }
        .boxed()
    }

    fn closed(&self) -> BoxFuture<'_, Error> {
        async {
            // An error means that the driver has ended, as expected.
            let _ended = self.end.clone().changed().await;
            self.state.closed()
        }
        .boxed()
    }

    fn check(&self) -> Result<(), Error> {
        self.state.check()
    }

    fn dispatcher(&self) -> &Dispatcher {
        &self.state.dispatcher
    }

    fn stray(&self) -> Option<String> {
        self.state.stray.lock().clone()
    }

    fn received(&self) -> u64 {
        self.received.bytes()
    }
}

/// The reply to a request that was sent. Dropping it cancels the request, unless the reply has
/// arrived.
#[derive(Debug)]
pub(crate) struct ExpectedReply<'a> {
    connection: &'a MessageConnection,
    request: &'a OutgoingRequest<'a>,
    reply: oneshot::Receiver<CallReply>,
}

impl ExpectedReply<'_> {
    /// Waits for the reply.
    pub(crate) async fn reply(&mut self) -> Result<CallReply, Error> {
        let reply = (&mut self.reply).await;
        reply.map_err(|_closed| self.connection.state.closed())
    }

    /// Drops the expectation, because the request was refused and there is nothing to cancel.
    #[cfg(feature = "http")]
    pub(crate) fn withdraw(self) {
        drop(self.connection.state.pending.lock().take(&self.request.id));
    }
}

impl Drop for ExpectedReply<'_> {
    fn drop(&mut self) {
        let waiter = self.connection.state.pending.lock().take(&self.request.id);
        if waiter.is_none() {
            return;
        }
        if let (Some(message), Some(queue)) = (self.request.cancellation(), self.connection.queue())
        {
            let place = None;
            // Fails if the connection has ended, which also ended the request.
            let _ended = queue.send(QueuedMessage { message, place });
        }
    }
}
