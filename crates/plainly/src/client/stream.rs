//! A connection over one byte stream: requests out, replies back in any order, matched by id. One task drives it, reads
//! and writes, and ends with it; whatever ends the stream ends every request in flight at once.
//!
//! Knows messages, not methods.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use plainly_errors::Revision;
use plainly_protocol::id::RequestId;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};

use super::error::{CloseReason, Closed, Error, LocalError};
use super::message::{self, Request};
use super::process::OtherEnd;
use super::reply::{self, Incoming, Reply};
use crate::pending::Pending;
use crate::transport::Escaped;
use crate::transport::lines::{Line, LineReader};

/// The most bytes of one line that are read.
const LINE_BYTES: usize = 32 << 20;
/// Requests that may wait to be written; more wait before that, where nobody has to remember them.
const QUEUED: usize = 64;
/// How long is still read from a stream that can't be written to any more, or whose process has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Our end of the stream. Dropped, it ends the stream, and the process behind it if there is one.
#[derive(Debug)]
pub(super) struct Stream {
    shared: Arc<Shared>,
    /// Where messages are queued, and what stops the driver when it is dropped; `None` once closed.
    queue: Mutex<Option<(mpsc::UnboundedSender<Queued>, oneshot::Sender<()>)>>,
    places: Arc<Semaphore>,
    driver: watch::Receiver<()>,
}

/// What the task that drives the stream and those who call have in common.
#[derive(Debug, Default)]
struct Shared {
    pending: Mutex<Pending<oneshot::Sender<Reply>>>,
    /// The revision that is spoken, once it is known.
    revision: OnceLock<Revision>,
    /// How it ended. Set before the requests in flight learn of it.
    end: OnceLock<Arc<Closed>>,
}

/// A message to be written. A request has a place in the queue, which whoever sends it waits for; a cancellation needs
/// none, since there is at most one for each request, and can be sent where nobody can wait.
#[derive(Debug)]
struct Queued {
    message: Bytes,
    _place: Option<OwnedSemaphorePermit>,
}

impl Stream {
    /// Speaks over these two halves; `other_end` ends with the stream.
    pub(super) fn new<R, W>(reader: R, writer: W, other_end: OtherEnd) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let shared = Arc::<Shared>::default();
        let (queue, queued) = mpsc::unbounded_channel();
        let (ended, driver) = watch::channel(());
        let (stop, stopped) = oneshot::channel();
        let drive = Driver {
            lines: LineReader::new(Box::new(reader), LINE_BYTES),
            answers: queue.downgrade(),
            shared: Arc::clone(&shared),
            other_end,
        };
        tokio::spawn(async move {
            drive.run(write_until(stopped, writer, queued)).await;
            drop(ended);
        });
        Self {
            shared,
            queue: Mutex::new(Some((queue, stop))),
            places: Arc::new(Semaphore::new(QUEUED)),
            driver,
        }
    }

    /// Sets the revision that is spoken from now on.
    pub(super) fn speak(&self, revision: Revision) {
        self.shared.revision.get_or_init(|| revision);
    }

    /// Sends a request and waits for the reply. Dropping the future cancels the request.
    pub(super) async fn call(&self, request: &Request) -> Result<Reply, Error> {
        let place = self.place().await?;
        let queue = self.queue().ok_or_else(|| self.closed())?;
        let (waiter, reply) = oneshot::channel();
        let added = lock(&self.shared.pending).insert(request.id.clone(), waiter);
        if !added {
            return Err(self.closed());
        }
        let _in_flight = InFlight {
            stream: self,
            request,
        };
        let sent = queue.send(Queued {
            message: request.frame.body.clone(),
            _place: Some(place),
        });
        // Only the stream may keep the queue open: a request in flight must not keep it from ending.
        drop(queue);
        sent.map_err(|_closed| self.closed())?;
        reply.await.map_err(|_closed| self.closed())
    }

    /// Sends a message that wants no reply.
    pub(super) async fn notify(&self, message: Bytes) -> Result<(), Error> {
        let _place = Some(self.place().await?);
        let queue = self.queue().ok_or_else(|| self.closed())?;
        queue
            .send(Queued { message, _place })
            .map_err(|_closed| self.closed())
    }

    /// Ends the stream and waits until the process behind it, if any, has ended too.
    pub(super) async fn close(&self) {
        lock(&self.queue).take();
        self.shared.close(Closed::without_words(CloseReason::Ours));
        // An error says that the driver has ended, which is what is waited for.
        let _ended = self.driver.clone().changed().await;
    }

    fn queue(&self) -> Option<mpsc::UnboundedSender<Queued>> {
        lock(&self.queue).as_ref().map(|(queue, _)| queue.clone())
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, Error> {
        let place = Arc::clone(&self.places).acquire_owned();
        let mut driver = self.driver.clone();
        tokio::select! {
            place = place => place.map_err(|_closed| self.closed()),
            _ended = driver.changed() => Err(self.closed()),
        }
    }

    /// Why there is no connection any more.
    fn closed(&self) -> Error {
        let end = self.shared.end.get().cloned();
        LocalError::Closed(
            end.unwrap_or_else(|| Arc::new(Closed::without_words(CloseReason::Peer))),
        )
        .into()
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
            _place: None,
        });
    }
}

impl Shared {
    fn close(&self, closed: Closed) {
        self.end.get_or_init(|| Arc::new(closed));
        // Dropping the waiters wakes their requests, which find the reason above.
        lock(&self.pending).close().for_each(drop);
    }
}

/// Reads and writes until the stream ends, and ends what is behind it.
struct Driver {
    lines: LineReader<Box<dyn AsyncRead + Send + Unpin>>,
    /// Doesn't keep the queue open: it ends when nobody can send requests any more.
    answers: mpsc::WeakUnboundedSender<Queued>,
    shared: Arc<Shared>,
    other_end: OtherEnd,
}

impl Driver {
    async fn run(mut self, writing: impl Future<Output = io::Result<()>> + Send) {
        let reason = self.converse(writing).await;
        let (exit, stderr) = match reason {
            CloseReason::Ours => (None, String::new()),
            CloseReason::LineTooLong { .. } | CloseReason::NotMessages => {
                self.other_end.hurry();
                self.other_end.last_words().await
            }
            CloseReason::Peer | CloseReason::Read(_) | CloseReason::Write(_) => {
                self.other_end.last_words().await
            }
        };
        self.shared.close(Closed {
            reason,
            exit,
            stderr,
        });
        // A server that is still writing must not be held up in ending.
        let rest = async {
            while let Ok(Some(_)) = self.lines.next().await {}
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = self.other_end.stop() => {}
            () = rest => {}
        }
    }

    /// Reads and writes until one of the two ends; what ends the writer closes the stream.
    async fn converse(
        &mut self,
        writing: impl Future<Output = io::Result<()>> + Send,
    ) -> CloseReason {
        let mut reading = pin!(read(&mut self.lines, &self.answers, &self.shared));
        let reason = tokio::select! {
            biased;
            reason = &mut reading => return reason,
            written = writing => match written {
                Ok(()) => return CloseReason::Ours,
                Err(error) => CloseReason::Write(error),
            },
            () = self.other_end.exited() => CloseReason::Peer,
        };
        timeout(LAST_WORDS, reading).await.unwrap_or(reason)
    }
}

/// Writes what is queued, and once stopped only what can be written at once: the peer may not be reading.
async fn write_until(
    stopped: oneshot::Receiver<()>,
    writer: impl AsyncWrite + Send + Unpin,
    queued: mpsc::UnboundedReceiver<Queued>,
) -> io::Result<()> {
    let over = async {
        // An error says that the sender was dropped, which is the signal.
        let _dropped = stopped.await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        written = write(writer, queued) => written,
        () = over => Ok(()),
    }
}

async fn write(
    mut writer: impl AsyncWrite + Send + Unpin,
    mut queued: mpsc::UnboundedReceiver<Queued>,
) -> io::Result<()> {
    while let Some(next) = queued.recv().await {
        let mut line = Vec::with_capacity(next.message.len() + 1);
        line.extend_from_slice(&next.message);
        line.push(b'\n');
        writer.write_all(&line).await?;
        writer.flush().await?;
    }
    // The stream is over either way.
    let _already_closed = writer.shutdown().await;
    Ok(())
}

async fn read(
    lines: &mut LineReader<Box<dyn AsyncRead + Send + Unpin>>,
    answers: &mpsc::WeakUnboundedSender<Queued>,
    shared: &Shared,
) -> CloseReason {
    let mut noise = Noise::default();
    loop {
        let line = match lines.next().await {
            Ok(Some(Line::Message(line))) => line,
            Ok(Some(Line::TooLong)) => return CloseReason::LineTooLong { limit: LINE_BYTES },
            Ok(None) => return CloseReason::Peer,
            Err(error) => return CloseReason::Read(error),
        };
        for incoming in reply::read(&line) {
            if let Incoming::NoMessage { why } = &incoming {
                let text = String::from_utf8_lossy(line.get(..80).unwrap_or(&line));
                tracing::warn!(line = %Escaped(&text), "a line that is no message is skipped: {why}");
                if noise.is_too_much() {
                    return CloseReason::NotMessages;
                }
            }
            if let Some(message) = shared.take(incoming)
                && let Some(queue) = answers.upgrade()
            {
                // Fails where the stream is ending, which the next turn finds out.
                let _ended = queue.send(Queued {
                    message,
                    _place: None,
                });
            }
        }
    }
}

impl Shared {
    /// Hands a message to whom it concerns; returns the answer if it wants one.
    fn take(&self, incoming: Incoming) -> Option<Bytes> {
        match incoming {
            Incoming::Reply { id, reply } => {
                self.hand_over(id, reply);
                None
            }
            Incoming::Request { id, method } => {
                // Who asks before anything is settled is of the legacy era: the modern one has no such requests.
                let revision = self.revision.get().copied();
                let answer =
                    message::answer(&id, &method, revision.unwrap_or(Revision::LATEST_LEGACY));
                if answer.is_none() {
                    tracing::warn!(method = %Escaped(&method), "the server must not send requests: not answered");
                }
                answer
            }
            Incoming::Notification { method } => {
                tracing::debug!(method = %Escaped(&method), "notification ignored");
                None
            }
            Incoming::NoMessage { .. } => None,
        }
    }

    fn hand_over(&self, id: Option<RequestId>, reply: Reply) {
        let waiter = id.as_ref().and_then(|id| lock(&self.pending).take(id));
        match (waiter, id) {
            // Fails where the call has just been given up.
            (Some(waiter), _) => drop(waiter.send(reply)),
            (None, Some(id)) => tracing::debug!(%id, "a reply that nobody waits for is dropped"),
            (None, None) => tracing::warn!(?reply, "the server could not read a request"),
        }
    }
}

/// Counts lines that are no messages.
#[derive(Debug)]
struct Noise {
    since: Instant,
    lines: u32,
}

impl Default for Noise {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            lines: 0,
        }
    }
}

impl Noise {
    /// Counts one more; whether they are so many that the rest will hardly be messages: 100 in 10 s.
    fn is_too_much(&mut self) -> bool {
        const LINES: u32 = 100;
        const WITHIN: Duration = Duration::from_secs(10);
        if self.since.elapsed() > WITHIN {
            *self = Self::default();
        }
        self.lines += 1;
        self.lines >= LINES
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
