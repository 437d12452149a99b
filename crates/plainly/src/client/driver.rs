//! Reads and writes a byte stream until it ends, and ends what is behind it. One task for each connection; it knows lines
//! and messages, and hands each reply to whom it belongs.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plainly_protocol::id::RequestId;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::error::{CloseReason, Closed};
use super::process::OtherEnd;
use super::reply::{self, Incoming, Reply};
use super::stream::{Answers, Queued, Shared, lock};
use crate::transport::Escaped;
use crate::transport::lines::{Line, LineReader};

/// How long is still read from a stream that can't be written to any more, or whose process has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Reads and writes until the stream ends, and ends what is behind it.
pub(super) struct Driver {
    lines: Lines,
    answers: Answers,
    shared: Arc<Shared>,
    other_end: OtherEnd,
}

type Lines = LineReader<Box<dyn AsyncRead + Send + Unpin>>;

impl Driver {
    pub(super) fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        shared: Arc<Shared>,
        answers: Answers,
        other_end: OtherEnd,
    ) -> Self {
        Self {
            lines: LineReader::new(Box::new(reader), shared.reception.limits.message_bytes),
            answers,
            shared,
            other_end,
        }
    }

    /// Drives the stream, together with what writes to it.
    pub(super) async fn run(mut self, writing: impl Future<Output = io::Result<()>> + Send) {
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
pub(super) async fn write_until(
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
        drop(next.place);
    }
    // The stream is over either way.
    let _already_closed = writer.shutdown().await;
    Ok(())
}

async fn read(lines: &mut Lines, answers: &Answers, shared: &Shared) -> CloseReason {
    let mut noise = Noise::default();
    // They end with the stream: there is nobody left to answer.
    let mut answering = JoinSet::new();
    loop {
        let line = match lines.next().await {
            Ok(Some(Line::Message(line))) => line,
            Ok(Some(Line::TooLong)) => {
                let limit = shared.reception.limits.message_bytes;
                return CloseReason::LineTooLong { limit };
            }
            Ok(None) => return CloseReason::Peer,
            Err(error) => return CloseReason::Read(error),
        };
        for incoming in reply::read(&line) {
            if let Incoming::NoMessage { why } = &incoming {
                let text = String::from_utf8_lossy(line.get(..80).unwrap_or(&line));
                tracing::debug!(line = %Escaped(&text), "a line that is no message is skipped: {why}");
                if noise.is_too_much() {
                    return CloseReason::NotMessages;
                }
            }
            if let Some(message) = shared.take(incoming, answers, &mut answering) {
                answers.send(message).await;
            }
        }
    }
}

impl Shared {
    /// Hands a message to whom it concerns; returns the answer if it wants one that is there.
    fn take(
        &self,
        incoming: Incoming,
        answers: &Answers,
        answering: &mut JoinSet<()>,
    ) -> Option<Bytes> {
        match incoming {
            Incoming::Reply { id, reply } => {
                self.hand_over(id, reply);
                None
            }
            Incoming::Request(asked) => {
                let answers = answers.clone();
                let send = |message, open| async move {
                    answers.send(message).await;
                    drop(open);
                };
                self.reception.ask(asked, answering, send)
            }
            Incoming::Notification { method, params } => {
                self.reception.tell(&method, &params, None);
                None
            }
            Incoming::NoMessage { .. } => None,
        }
    }

    fn hand_over(&self, id: Option<RequestId>, reply: Reply) {
        if let Some(id) = &id {
            self.reception.underway.leave(id);
        }
        let mut pending = lock(&self.pending);
        let waiter = match &id {
            Some(id) => pending.take(id),
            // Whoever couldn't read a request couldn't read its id either: which it was is plain if there is but one.
            None => pending.take_only(),
        };
        drop(pending);
        match (waiter, id) {
            // Fails where the call has just been given up.
            (Some(waiter), _) => drop(waiter.send(reply)),
            (None, Some(id)) => tracing::debug!(%id, "a reply that nobody waits for is dropped"),
            (None, None) => tracing::warn!(?reply, "the server could not read a request"),
        }
    }
}

/// Counts lines that are no messages. Dropped, it says how many there were.
#[derive(Debug)]
struct Noise {
    since: Instant,
    lines: u32,
    all: u64,
}

impl Default for Noise {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            lines: 0,
            all: 0,
        }
    }
}

impl Noise {
    /// Counts one more; whether they are so many that the rest will hardly be messages: 100 in 10 s.
    fn is_too_much(&mut self) -> bool {
        const LINES: u32 = 100;
        const WITHIN: Duration = Duration::from_secs(10);
        if self.since.elapsed() > WITHIN {
            self.since = Instant::now();
            self.lines = 0;
        }
        self.lines += 1;
        self.all += 1;
        self.lines >= LINES
    }
}

impl Drop for Noise {
    fn drop(&mut self) {
        if self.all > 0 {
            let lines = self.all;
            tracing::warn!(
                lines,
                "skipped what the server wrote that is no message: at level debug, each line is logged"
            );
        }
    }
}
