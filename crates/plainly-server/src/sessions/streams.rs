//! The resumable streams of one legacy session (Streamable HTTP, "Resumability and Redelivery").
//! The messages of a request are stored and its handler continues, whether or not the client reads.
//! A client that lost its connection, or was told to poll (SEP-1699), can resume the stream.

mod followed;
pub(super) mod journal;
mod kept;
mod written;

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use plainly_errors::revision::Resumption;
use plainly_errors::{ProtocolError, Revision};
use tokio::sync::watch;
use tokio::time::Instant;

use self::followed::ForeignPlace;
use self::journal::SessionJournals;
use self::kept::{Reader, StoredEvents, Turn};
use self::written::JournalWriter;
use crate::limits::Limits;
use crate::outgoing::{Departure, ReplySource};
use crate::replicas::ServerName;
use plainly_transport::lock::Lock;
use plainly_transport::quota::QuotaPart;
use plainly_transport::{Event, Feed};

/// The pause of a client before it polls.
const RETRY: Duration = Duration::from_secs(1);
/// The minimum interval between checks for streams that have expired.
const PAUSE: Duration = Duration::from_secs(1);

/// The streams of a session.
#[derive(Debug)]
pub(crate) struct Streams {
    can_poll: bool,
    /// The server's name in the ids of all events; `None` if no other server has streams of the
    /// session.
    server: Option<ServerName>,
    /// The time that a stream is stored after its end.
    time: Duration,
    kept: Lock<StoredEvents>,
    /// The journals that other replicas read, if there are any.
    journals: Option<SessionJournals>,
    /// Set when the session ends, to stop all writers.
    is_closed: watch::Sender<bool>,
}

impl Streams {
    /// The streams of a session with this revision, if the revision has resumable streams.
    pub(crate) fn new(
        revision: Revision,
        limits: &Limits,
        bytes: QuotaPart,
        server: Option<ServerName>,
        journals: Option<SessionJournals>,
    ) -> Option<Arc<Self>> {
        let can_poll = match revision.traits().resumption {
            Resumption::None => None,
            Resumption::EventIds => Some(false),
            Resumption::Polling => Some(true),
        };
        can_poll.map(|can_poll| {
            Arc::new(Self {
                can_poll,
                server,
                time: limits.resumption.ttl,
                kept: Lock::new(StoredEvents::new(limits, bytes)),
                journals,
                is_closed: watch::Sender::new(false),
            })
        })
    }

    /// Whether the server may close a connection and let the client poll.
    pub(crate) fn can_poll(&self) -> bool {
        self.can_poll
    }

    /// Whether other replicas can read the streams.
    pub(crate) fn is_journaled(&self) -> bool {
        self.journals.is_some()
    }

    /// Whether any stream is being written or read.
    pub(crate) fn is_busy(&self) -> bool {
        self.kept.lock().is_busy()
    }

    /// Writes the replies to a request to a new stream, and returns that stream. Returns the
    /// replies if the session has ended. `last_word` is the event with which another replica ends
    /// the stream if this one is gone.
    pub(crate) fn carry<S: ReplySource + 'static>(
        self: &Arc<Self>,
        sending: S,
        last_word: impl FnOnce() -> Bytes,
    ) -> Result<StreamFeed, S> {
        // Checked under the lock with which `close` clears the streams, because a stream opened
        // afterwards would be stored forever.
        let mut kept = self.kept.lock();
        if *self.is_closed.borrow() {
            return Err(sending);
        }
        let reader = kept.open();
        drop(kept);
        let journals = self.journals.as_ref();
        let journal =
            journals.map(|journals| JournalWriter::begin(journals.own(reader.stream), last_word()));
        // A separate task, because losing the connection cancels nothing in these revisions
        // (2025-11-25, "Sending Messages to the Server").
        tokio::spawn(Arc::clone(self).write(reader.stream, sending, journal));
        Ok(StreamFeed::new(self, reader))
    }

    /// The stream of the events after this id, including future ones.
    pub(crate) fn resume(
        self: &Arc<Self>,
        last_event_id: &str,
    ) -> Result<StreamFeed, ProtocolError> {
        let place = match &self.server {
            Some(server) => {
                let place = last_event_id.split_once('-');
                place.and_then(|(name, place)| server.is(name).then_some(place))
            }
            None => Some(last_event_id),
        };
        let reader = place
            .and_then(read_place)
            .and_then(|(stream, event)| self.kept.lock().resume(stream, event));
        let reader = reader.ok_or_else(no_longer_available)?;
        if let Some(journals) = &self.journals {
            tokio::spawn(written::take_back(journals.own(reader.stream)));
        }
        Ok(StreamFeed::new(self, reader))
    }

    /// Ends the connection that reads this stream, because its client continues on another one.
    /// Returns whether the stream exists.
    pub(crate) fn take(&self, stream: u64) -> bool {
        self.kept.lock().take(stream)
    }

    /// The place of this event, if it belongs to a stream that another replica writes.
    pub(crate) fn elsewhere(&self, last_event_id: &str) -> Option<ForeignPlace> {
        let (name, place) = last_event_id.split_once('-')?;
        let writer = self.server.as_ref()?.other(name)?;
        let (stream, after) = read_place(place)?;
        let place = ForeignPlace {
            journal: self.journals.as_ref()?.of(writer, stream),
            prefix: format!("{name}-{stream}-"),
            after,
            can_poll: self.can_poll,
            closed: self.is_closed.subscribe(),
        };
        Some(place)
    }

    /// Ends all streams and their requests, because the session has ended.
    pub(crate) fn close(&self) {
        self.is_closed.send_replace(true);
        self.kept.lock().clear();
    }

    /// Writes the messages to this stream, until its end or that of the session.
    async fn write(
        self: Arc<Self>,
        stream: u64,
        mut sending: impl ReplySource,
        journal: Option<JournalWriter>,
    ) {
        let mut closed = self.is_closed.subscribe();
        let written = async {
            while let Some(sent) =
                poll_fn(|context| self.poll_write(stream, &mut sending, context)).await
            {
                let (message, is_reply) = match sent {
                    Departure::Message(message) => (message, false),
                    Departure::Reply(encoded) => (encoded.bytes, true),
                    Departure::Pause => {
                        self.kept.lock().pause(stream);
                        continue;
                    }
                };
                let number = self.kept.lock().push(stream, message.clone());
                if let (Some(journal), Some(number)) = (&journal, number) {
                    journal.event(number, is_reply, message);
                }
            }
            // First releases the id and the slot of the request, because its client may send the
            // next one as soon as the stream ends.
            drop(sending);
            self.kept.lock().end(stream, Instant::now());
            // This ends the task that writes the journal.
            journal.iter().for_each(JournalWriter::end);
            drop(journal);
            self.sweep().await;
        };
        tokio::select! {
            biased;
            _ended = closed.wait_for(|is_closed| *is_closed) => {}
            () = written => {}
        }
    }

    /// Removes the streams that have ended, each when its storage time is over.
    async fn sweep(&self) {
        // A single writer does this for all, so that a session whose streams still run needs no
        // timer.
        if !self.kept.lock().needs_sweeper() {
            return;
        }
        let mut next = Some(Instant::now());
        while let Some(ended) = next {
            // At least a short pause, in case an ended stream is still being read.
            let at = (ended + self.time).max(Instant::now() + PAUSE);
            tokio::time::sleep_until(at).await;
            next = self.kept.lock().sweep(Instant::now(), self.time);
        }
    }

    fn poll_write(
        &self,
        stream: u64,
        sending: &mut impl ReplySource,
        context: &mut Context<'_>,
    ) -> Poll<Option<Departure>> {
        let turn = self.kept.lock().turn(stream, context);
        match turn {
            Turn::Write => {}
            Turn::End => sending.stop(),
            // The rest of an ended request is small, and does not wait for a reader.
            Turn::Wait => ready!(sending.poll_end(context)),
        }
        sending.poll_next(context)
    }
}

/// The numbers of a stream and of an event in it.
fn read_place(place: &str) -> Option<(u64, u64)> {
    let (stream, event) = place.split_once('-')?;
    Some((stream.parse().ok()?, event.parse().ok()?))
}

fn no_longer_available() -> ProtocolError {
    ProtocolError::invalid_request(
        "Invalid request: the events after this Last-Event-ID are no longer available",
    )
}

/// A stream as it is sent on one connection. Dropping it ends only this connection's reading.
pub(crate) struct StreamFeed {
    streams: Arc<Streams>,
    reader: Reader,
    /// The prefix of the ids of its events.
    prefix: String,
    /// Whether it begins with an event that has only an id, so that the client can resume it before
    /// there are messages.
    begins_with_id: bool,
}

impl StreamFeed {
    fn new(streams: &Arc<Streams>, reader: Reader) -> Self {
        let server = streams.server.as_ref();
        let server = server.map_or_else(String::new, |server| format!("{server}-"));
        Self {
            streams: Arc::clone(streams),
            reader,
            prefix: format!("{server}{}-", reader.stream),
            begins_with_id: streams.can_poll,
        }
    }

    fn id(&self, event: u64) -> Box<str> {
        format!("{}{event}", self.prefix).into()
    }
}

impl Feed for StreamFeed {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        if std::mem::take(&mut self.begins_with_id) {
            // An event with an id and no data allows the client to reconnect before any message was
            // sent (2025-11-25, "Sending Messages to the Server").
            let position = self.streams.kept.lock().position(self.reader);
            return Poll::Ready(
                position.map(|position| Event::default().id(self.id(position)).retry(RETRY)),
            );
        }
        let next = ready!(self.streams.kept.lock().next(self.reader, context));
        Poll::Ready(next.map(|(number, message)| Event::from(message).id(self.id(number))))
    }

    fn end(&mut self) {
        self.streams.kept.lock().tell_to_end(self.reader);
    }
}

impl Drop for StreamFeed {
    fn drop(&mut self) {
        self.streams.kept.lock().leave(self.reader);
    }
}

impl fmt::Debug for StreamFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamFeed")
            .field("reader", &self.reader)
            .finish_non_exhaustive()
    }
}
