//! What those who call and the task that drives the messages have in common: the requests in flight, what is to be sent,
//! and what is behind the messages.

use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_protocol::id::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::client::dispatcher::Dispatcher;
use crate::client::error::{CloseReason, Closed, Error, LocalError};
use crate::client::reply::{CallReply, Incoming};
use crate::lock::Lock;
use crate::pending::Pending;

/// Messages that may wait to be sent; more wait before that, where nobody has to remember them.
const QUEUED: usize = 64;

/// The requests in flight, and how the connection ended.
#[derive(Debug)]
pub(super) struct ConnectionState {
    pub(super) pending: Lock<Pending<oneshot::Sender<CallReply>>>,
    pub(super) dispatcher: Dispatcher,
    /// How it ended. Set before the requests in flight learn of it.
    end: OnceLock<Arc<Closed>>,
}

impl ConnectionState {
    pub(super) fn new(dispatcher: Dispatcher) -> Self {
        Self {
            pending: Lock::default(),
            dispatcher,
            end: OnceLock::new(),
        }
    }

    /// Fails if the connection has ended.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.end.get() {
            Some(_) => Err(self.closed()),
            None => Ok(()),
        }
    }

    /// Why there is no connection any more.
    pub(super) fn closed(&self) -> Error {
        let end = self.end.get().cloned();
        LocalError::Closed(
            end.unwrap_or_else(|| Arc::new(Closed::without_words(CloseReason::Peer))),
        )
        .into()
    }

    pub(super) fn close(&self, closed: Closed) {
        self.end.get_or_init(|| Arc::new(closed));
        // Dropping the waiters wakes their requests, which find the reason above.
        self.pending.lock().close().for_each(drop);
        self.dispatcher.subscriptions.end(|| self.closed());
    }

    /// Hands a message to whom it concerns; returns the answer if it wants one that is there.
    pub(super) fn take(
        &self,
        incoming: Incoming,
        answers: &AnswerSender,
        answering: &mut JoinSet<()>,
    ) -> Option<Bytes> {
        match incoming {
            Incoming::Reply { id, reply } => {
                self.hand_over(id, reply);
                None
            }
            Incoming::Request(request) => {
                let answers = answers.clone();
                self.dispatcher
                    .request(request, answering, |message, open| async move {
                        answers.send(message).await;
                        drop(open);
                    })
            }
            Incoming::Notification { method, params } => {
                self.dispatcher.notification(&method, &params, None);
                None
            }
            Incoming::NoMessage { .. } => None,
        }
    }

    fn hand_over(&self, id: Option<RequestId>, reply: CallReply) {
        if let Some(id) = &id {
            self.dispatcher.progress.remove(id);
        }
        let mut pending = self.pending.lock();
        let waiter = match &id {
            Some(id) => pending.take(id),
            // Whoever couldn't read a request couldn't read its id either: which it was is plain if there is but one.
            None => pending.take_only(),
        };
        drop(pending);
        match (waiter, id) {
            // Fails where the call has just been given up.
            (Some(waiter), _) => drop(waiter.send(reply)),
            (None, Some(id)) => tracing::debug!(%id, "dropped a reply to an unknown request"),
            (None, None) => tracing::warn!(?reply, "the server could not read a request"),
        }
    }
}

/// A message to be sent. It has a place in the queue, which whoever sends it waits for; but for a cancellation: there is at
/// most one for each request, and it must be sent where nobody can wait.
#[derive(Debug)]
pub(super) struct QueuedMessage {
    pub(super) message: Bytes,
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// The places in the queue of one connection.
pub(super) fn places() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(QUEUED))
}

/// Queues answers to the server's requests. Doesn't keep the queue open: it ends when nobody can send requests any more.
#[derive(Clone, Debug)]
pub(super) struct AnswerSender {
    queue: mpsc::WeakUnboundedSender<QueuedMessage>,
    places: Arc<Semaphore>,
}

impl AnswerSender {
    pub(super) fn new(
        queue: &mpsc::UnboundedSender<QueuedMessage>,
        places: &Arc<Semaphore>,
    ) -> Self {
        Self {
            queue: queue.downgrade(),
            places: Arc::clone(places),
        }
    }

    /// Queues an answer. A server that asks and does not read is read no further.
    pub(super) async fn send(&self, message: Bytes) {
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        if let Some(queue) = self.queue.upgrade() {
            // Fails where the connection is ending, which the reader finds out.
            let _ended = queue.send(QueuedMessage { message, place });
        }
    }
}

/// What is at the other end of the messages: a process of ours, or, as by default, nothing that we know of.
pub(in crate::client) trait OtherEnd: Send {
    /// Waits until the process has ended; for ever, if there is none.
    fn exited(&mut self) -> BoxFuture<'_, ()> {
        std::future::pending().boxed()
    }

    /// Gives the process no time to end by itself.
    fn hurry(&mut self) {}

    /// How the process ended, if it has or does so at once, and what it last wrote to standard error.
    fn last_words(&mut self) -> BoxFuture<'_, (Option<ExitStatus>, String)> {
        std::future::ready((None, String::new())).boxed()
    }

    /// Ends the process, whose input is closed.
    fn stop(&mut self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

/// A server that is no process of ours.
impl OtherEnd for () {}
