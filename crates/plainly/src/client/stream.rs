//! A connection over one byte stream: requests out, replies back in any order, matched by id. A [driver](super::driver)
//! reads and writes; whatever ends the stream ends every request in flight at once.
//!
//! Knows messages, not methods.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};

use super::driver::{self, Driver};
use super::error::{CloseReason, Closed, Error, LocalError};
use super::message::Request;
use super::process::OtherEnd;
use super::reception::Reception;
use super::reply::Reply;
use crate::pending::Pending;
use crate::transport::Meter;

/// Messages that may wait to be written; more wait before that, where nobody has to remember them.
const QUEUED: usize = 64;

/// Our end of the stream. Dropped, it ends the stream, and the process behind it if there is one.
#[derive(Debug)]
pub(super) struct Stream {
    shared: Arc<Shared>,
    /// Where messages are queued, and what stops the driver when it is dropped; `None` once closed.
    queue: Mutex<Option<(mpsc::UnboundedSender<Queued>, oneshot::Sender<()>)>>,
    places: Arc<Semaphore>,
    end: watch::Receiver<()>,
    received: Meter,
}

/// What the task that drives the stream and those who call have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) pending: Mutex<Pending<oneshot::Sender<Reply>>>,
    pub(super) reception: Reception,
    /// How it ended. Set before the requests in flight learn of it.
    end: OnceLock<Arc<Closed>>,
}

/// A message to be written. It has a place in the queue, which whoever sends it waits for; but for a cancellation: there
/// is at most one for each request, and it must be sent where nobody can wait.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) message: Bytes,
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// Where answers to the server's requests are queued. Doesn't keep the queue open: it ends when nobody can send requests
/// any more.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    queue: mpsc::WeakUnboundedSender<Queued>,
    places: Arc<Semaphore>,
}

impl Answers {
    /// Queues an answer. A server that asks and does not read is read no further.
    pub(super) async fn send(&self, message: Bytes) {
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        if let Some(queue) = self.queue.upgrade() {
            // Fails where the stream is ending, which the reader finds out.
            let _ended = queue.send(Queued { message, place });
        }
    }
}

impl Stream {
    /// Speaks over these two halves; `other_end` ends with the stream.
    pub(super) fn new<R, W>(reader: R, writer: W, other_end: OtherEnd, reception: Reception) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let shared = Arc::new(Shared {
            reception,
            pending: Mutex::default(),
            end: OnceLock::new(),
        });
        let (queue, queued) = mpsc::unbounded_channel();
        let (ended, end) = watch::channel(());
        let (stop, stopped) = oneshot::channel();
        let places = Arc::new(Semaphore::new(QUEUED));
        let answers = Answers {
            queue: queue.downgrade(),
            places: Arc::clone(&places),
        };
        let received = Meter::default();
        let reader = received.count(reader);
        let driver = Driver::new(reader, Arc::clone(&shared), answers, other_end);
        tokio::spawn(async move {
            driver
                .run(driver::write_until(stopped, writer, queued))
                .await;
            drop(ended);
        });
        Self {
            shared,
            queue: Mutex::new(Some((queue, stop))),
            places,
            end,
            received,
        }
    }

    /// How many bytes have arrived.
    pub(super) fn received(&self) -> u64 {
        self.received.bytes()
    }

    /// Sends a request and waits for the reply. Dropping the future cancels the request.
    pub(super) async fn call(&self, request: &Request) -> Result<Reply, Error> {
        let place = self.place().await?;
        let queue = self.queue().ok_or_else(|| self.shared.closed())?;
        let (waiter, reply) = oneshot::channel();
        let added = lock(&self.shared.pending).insert(request.id.clone(), waiter);
        if !added {
            return Err(self.shared.closed());
        }
        let _in_flight = InFlight {
            stream: self,
            request,
        };
        let sent = queue.send(Queued {
            message: request.frame.body.clone(),
            place: Some(place),
        });
        // Only the stream may keep the queue open: a request in flight must not keep it from ending.
        drop(queue);
        sent.map_err(|_closed| self.shared.closed())?;
        reply.await.map_err(|_closed| self.shared.closed())
    }

    /// Where what is no reply goes.
    pub(super) fn reception(&self) -> &Reception {
        &self.shared.reception
    }

    /// Fails if the stream has ended.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.shared.end.get() {
            Some(_) => Err(self.shared.closed()),
            None => Ok(()),
        }
    }

    /// Sends a message that wants no reply.
    pub(super) async fn notify(&self, message: Bytes) -> Result<(), Error> {
        let place = Some(self.place().await?);
        let queue = self.queue().ok_or_else(|| self.shared.closed())?;
        queue
            .send(Queued { message, place })
            .map_err(|_closed| self.shared.closed())
    }

    /// Ends the stream and waits until the process behind it, if any, has ended too.
    pub(super) async fn close(&self) {
        lock(&self.queue).take();
        self.shared.close(Closed::without_words(CloseReason::Ours));
        // An error says that the driver has ended, which is what is waited for.
        let _ended = self.end.clone().changed().await;
    }

    fn queue(&self) -> Option<mpsc::UnboundedSender<Queued>> {
        lock(&self.queue).as_ref().map(|(queue, _)| queue.clone())
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, Error> {
        let place = Arc::clone(&self.places).acquire_owned();
        let mut end = self.end.clone();
        tokio::select! {
            place = place => place.map_err(|_closed| self.shared.closed()),
            _ended = end.changed() => Err(self.shared.closed()),
        }
    }
}

/// A request that was sent and not answered. Whoever drops it has given up waiting, unless the reply has come.
struct InFlight<'a> {
    stream: &'a Stream,
    request: &'a Request,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if lock(&self.stream.shared.pending)
            .take(&self.request.id)
            .is_none()
        {
            return;
        }
        let (Some(message), Some(queue)) = (self.request.cancellation(), self.stream.queue())
        else {
            return;
        };
        // Fails where the stream has ended, and the request with it.
        let _ended = queue.send(Queued {
            message,
            place: None,
        });
    }
}

impl Shared {
    /// Why there is no connection any more.
    fn closed(&self) -> Error {
        let end = self.end.get().cloned();
        LocalError::Closed(
            end.unwrap_or_else(|| Arc::new(Closed::without_words(CloseReason::Peer))),
        )
        .into()
    }

    pub(super) fn close(&self, closed: Closed) {
        self.end.get_or_init(|| Arc::new(closed));
        // Dropping the waiters wakes their requests, which find the reason above.
        lock(&self.pending).close().for_each(drop);
        self.reception.listeners.end(|| self.closed());
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
