//! Receives and sends messages until either side ends, and then stops the server's process, if
//! there is one. Each connection has one such task, which passes each reply to its caller.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::task::coop::{consume_budget, unconstrained};
use tokio::time::{Instant, timeout};

use super::state::{AnswerSender, ConnectionState, OtherEnd, QueuedMessage};
use crate::error::{CloseReason, ConnectionEnd};
use crate::message::reply::{self, ServerMessage};
use crate::message::traffic::{Tap, Traffic};
use plainly_transport::lock::Lock;
use plainly_transport::{EscapedText, FlushProgress, Inbound, Messages};

/// The time for which messages are still received after sending failed, or after the process has
/// ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Receives and sends until the messages end, and then stops the other end.
pub(super) struct Driver {
    /// The messages. The lock is held for single steps of receiving and of sending, which one task
    /// polls.
    pub(super) messages: Lock<Box<dyn Messages>>,
    pub(super) answers: AnswerSender,
    pub(super) state: Arc<ConnectionState>,
    pub(super) other_end: Box<dyn OtherEnd>,
}

impl Driver {
    /// Sends `queued` messages until it is `stopped`, and receives meanwhile.
    pub(super) async fn run(
        mut self,
        queued: mpsc::UnboundedReceiver<QueuedMessage>,
        stopped: oneshot::Receiver<()>,
    ) {
        let reason = self.converse(queued, stopped).await;
        // The close is not awaited, because a peer that does not read must not delay the end.
        let _closed = poll_fn(|context| self.messages.lock().poll_close(context)).now_or_never();
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
        // Before the process is stopped, which may take seconds, because calls in flight should
        // fail at once.
        self.state.close(ConnectionEnd {
            reason,
            exit,
            stderr: stderr.into(),
        });
        // Continues reading, so that a server that is still writing can end.
        let rest = async {
            while let Ok(Some(_)) = receive(&self.messages).await {}
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = self.other_end.stop() => {}
            () = rest => {}
        }
    }

    /// Receives and sends until either ends.
    async fn converse(
        &mut self,
        queued: mpsc::UnboundedReceiver<QueuedMessage>,
        stopped: oneshot::Receiver<()>,
    ) -> CloseReason {
        let mut receiving = pin!(receive_all(&self.messages, &self.answers, &self.state));
        let reason = tokio::select! {
            biased;
            // Receiving comes first, because a last reply may still be unread when writing fails. A
            // server that sends without pause uses up the task's budget, so the other branches must
            // not need any.
            reason = &mut receiving => return reason,
            sent = unconstrained(send_until(stopped, &self.messages, queued, &self.state.dispatcher.tap)) => match sent {
                Ok(()) => return CloseReason::Ours,
                Err(error) => CloseReason::Write(error),
            },
            () = unconstrained(self.other_end.exited()) => CloseReason::Peer,
        };
        timeout(LAST_WORDS, receiving).await.unwrap_or(reason)
    }
}

/// The driver's runtime may end before the connection. Without this, callers on another runtime
/// would wait forever.
impl Drop for Driver {
    fn drop(&mut self) {
        if self.state.check().is_ok() {
            self.state
                .close(ConnectionEnd::without_words(CloseReason::Ours));
        }
    }
}

/// Sends queued messages. After the stop signal, it only sends for a moment, because the peer may
/// not be reading.
async fn send_until(
    stopped: oneshot::Receiver<()>,
    messages: &Lock<Box<dyn Messages>>,
    queued: mpsc::UnboundedReceiver<QueuedMessage>,
    tap: &Tap,
) -> io::Result<()> {
    let over = async {
        // An error means that the sender was dropped, which is the signal.
        let _dropped = stopped.await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        sent = send_all(messages, queued, tap) => sent,
        () = over => Ok(()),
    }
}

async fn send_all(
    messages: &Lock<Box<dyn Messages>>,
    mut queued: mpsc::UnboundedReceiver<QueuedMessage>,
    tap: &Tap,
) -> io::Result<()> {
    // Places of the messages, which are released after the flush.
    let mut places = Vec::new();
    while let Some(mut next) = queued.recv().await {
        loop {
            // All queued messages are sent before one flush, so that calls made at the same time
            // leave in one write.
            tap.show(Traffic::Sent(&next.message));
            messages.lock().send(next.message);
            places.extend(next.place);
            match queued.try_recv() {
                Ok(more) => next = more,
                Err(_none_or_ended) => break,
            }
        }
        while poll_fn(|context| messages.lock().poll_flush(context)).await?
            == FlushProgress::Partial
        {}
        places.clear();
    }
    Ok(())
}

async fn receive(messages: &Lock<Box<dyn Messages>>) -> io::Result<Option<Inbound>> {
    poll_fn(|context| messages.lock().poll_receive(context)).await
}

async fn receive_all(
    messages: &Lock<Box<dyn Messages>>,
    answers: &AnswerSender,
    state: &ConnectionState,
) -> CloseReason {
    let mut skipped = SkippedLines::default();
    // These tasks end with the connection, because then no server waits for answers.
    let mut answering = JoinSet::new();
    let limit = state.dispatcher.limits.message_bytes;
    loop {
        let message = match receive(messages).await {
            // Not every transport enforces the limit.
            Ok(Some(Inbound::Message(message))) if message.len() <= limit => message,
            Ok(Some(Inbound::Message(_) | Inbound::TooLong { .. })) => {
                return CloseReason::LineTooLong { limit };
            }
            Ok(None) => return CloseReason::Peer,
            Err(error) => return CloseReason::Read(error),
        };
        state.dispatcher.tap.show(Traffic::Received(&message));
        for incoming in reply::read(&message) {
            if let ServerMessage::NoMessage { why } = &incoming {
                let line = reply::beginning(&message);
                tracing::debug!(line = %EscapedText(&line), "skipped a line that is not a message: {why}");
                *state.stray.lock() = incoming.instead(&message);
                if skipped.is_too_much(&line) {
                    return CloseReason::NotMessages;
                }
            }
            let is_reply = matches!(incoming, ServerMessage::Reply { .. });
            if let Some(message) = state.take(incoming, answers, &mut answering) {
                answers.send(message).await;
            }
            // Yields to other tasks, because a server that sends other messages without pause must
            // not delay the end.
            if !is_reply {
                consume_budget().await;
            }
        }
    }
}

/// Counts the skipped lines that are not messages. Logs their number and the first one when
/// dropped.
#[derive(Debug)]
struct SkippedLines {
    since: Instant,
    lines: u32,
    all: u64,
    /// The beginning of the first skipped line.
    first: String,
}

impl Default for SkippedLines {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            lines: 0,
            all: 0,
            first: String::new(),
        }
    }
}

impl SkippedLines {
    /// Counts a line that begins with `line`. Returns whether there were too many for the rest to
    /// be messages: 100 in 10 s.
    fn is_too_much(&mut self, line: &str) -> bool {
        const LINES: u32 = 100;
        const WITHIN: Duration = Duration::from_secs(10);
        if self.since.elapsed() > WITHIN {
            self.since = Instant::now();
            self.lines = 0;
        }
        self.lines += 1;
        self.all += 1;
        if self.all == 1 {
            line.clone_into(&mut self.first);
        }
        self.lines >= LINES
    }
}

impl Drop for SkippedLines {
    fn drop(&mut self) {
        if self.all > 0 {
            let (lines, first) = (self.all, EscapedText(&self.first));
            tracing::warn!(lines, %first, "skipped output of the server that is not a message");
        }
    }
}
