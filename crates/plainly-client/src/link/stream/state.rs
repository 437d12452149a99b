//! The state shared by callers and the driver: the requests in flight, the queue of messages to
//! send, and the server's process.

use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_protocol::id::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::error::{CloseReason, ConnectionEnd, Error, LocalError};
use crate::link::dispatcher::Dispatcher;
use crate::message::reply::{CallReply, ServerMessage, reply_to_nobody};
use plainly_transport::lock::Lock;
use plainly_transport::pending::PendingRequests;

/// The most messages in the queue. Beyond that, their senders wait.
const QUEUED: usize = 64;

/// The requests in flight, and how the connection ended.
#[derive(Debug)]
pub(super) struct ConnectionState {
    pub(super) pending: Lock<PendingRequests<oneshot::Sender<CallReply>>>,
    pub(super) dispatcher: Dispatcher,
    /// The last message since the last reply that answers no request, in words.
    pub(super) stray: Lock<Option<String>>,
    /// The end of the connection. It is set before the requests in flight are ended.
    end: OnceLock<Arc<ConnectionEnd>>,
}

impl ConnectionState {
    pub(super) fn new(dispatcher: Dispatcher) -> Self {
        Self {
            pending: Lock::default(),
            dispatcher,
            stray: Lock::default(),
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

    /// The error with the reason why the connection has ended.
    pub(super) fn closed(&self) -> Error {
        let end = self.end.get().cloned();
        LocalError::Closed(
            end.unwrap_or_else(|| Arc::new(ConnectionEnd::without_words(CloseReason::Peer))),
        )
        .into()
    }

    pub(super) fn close(&self, closed: ConnectionEnd) {
        self.end.get_or_init(|| Arc::new(closed));
        // Dropping the waiters wakes their requests, which return the reason set above.
        self.pending.lock().close().for_each(drop);
        self.dispatcher.subscriptions.end(&self.closed());
    }

    /// Passes a message to its receiver. Returns the answer to a request if it is available at
    /// once.
    pub(super) fn take(
        &self,
        incoming: ServerMessage,
        answers: &AnswerSender,
        answering: &mut JoinSet<()>,
    ) -> Option<Bytes> {
        match incoming {
            ServerMessage::Reply { id, reply } => {
                self.hand_over(id, reply);
                None
            }
            ServerMessage::Request(request) => {
                let answers = answers.clone();
                // Any call may be waiting for the answer, because all calls share the stream.
                self.dispatcher
                    .request(request, None, answering, |message, open| async move {
                        answers.send(message).await;
                        drop(open);
                    })
            }
            ServerMessage::Notification { method, params } => {
                self.dispatcher.notification(&method, &params, None);
                None
            }
            ServerMessage::NoMessage { .. } => None,
        }
    }

    fn hand_over(&self, id: Option<RequestId>, reply: CallReply) {
        if let Some(id) = &id {
            self.dispatcher.progress.remove(id);
        }
        let mut pending = self.pending.lock();
        let waiter = match &id {
            Some(id) => pending.take(id),
            // A server that couldn't read a request couldn't read its id either. If only one is in
            // flight, the reply is for that one.
            None => pending.take_only(),
        };
        drop(pending);
        match (waiter, id) {
            // Fails if the call has just been dropped.
            (Some(waiter), _) => {
                self.stray.lock().take();
                drop(waiter.send(reply));
            }
            (None, Some(id)) => {
                tracing::debug!(%id, "dropped a reply to an unknown request");
                *self.stray.lock() = Some(reply_to_nobody(&id));
            }
            (None, None) => tracing::warn!(?reply, "the server could not read a request"),
        }
    }
}

/// A message to be sent. Its sender has waited for its place in the queue. A cancellation has no
/// place, because it is sent from `drop`, which can't wait; there is at most one per request.
#[derive(Debug)]
pub(super) struct QueuedMessage {
    pub(super) message: Bytes,
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// The places in the queue of one connection.
pub(super) fn places() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(QUEUED))
}

/// Queues answers to the server's requests. It doesn't keep the queue open, which ends when no more
/// requests can be sent.
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

    /// Queues an answer. Waits for a place first, so that a server that asks without reading
    /// answers is not read any further.
    pub(super) async fn send(&self, message: Bytes) {
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        if let Some(queue) = self.queue.upgrade() {
            // Fails if the connection is ending, which the reader detects.
            let _ended = queue.send(QueuedMessage { message, place });
        }
    }
}

/// The other end of the messages: a process that this client started or, by default, a peer outside
/// of its control.
pub(crate) trait OtherEnd: Send {
    /// Waits until the process has ended. Never returns if there is no process.
    fn exited(&mut self) -> BoxFuture<'_, ()> {
        std::future::pending().boxed()
    }

    /// Gives the process no time to end on its own.
    fn hurry(&mut self) {}

    /// The exit status of the process, if it has ended or is about to, and the end of its standard
    /// error.
    fn last_words(&mut self) -> BoxFuture<'_, (Option<ExitStatus>, String)> {
        std::future::ready((None, String::new())).boxed()
    }

    /// Ends the process, whose input is already closed.
    fn stop(&mut self) -> BoxFuture<'_, ()> {
        std::future::ready(()).boxed()
    }
}

/// A server that this client did not start.
impl OtherEnd for () {}
