//! The reading side of a journal: a stream of another replica, for a client that resumes it here.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};
use plainly_cluster::{EngineError, ReplicaId};
use plainly_errors::{ProtocolError, Unavailable};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::journal::{Entry, Journal, JournalEvent};
use super::written::append;
use super::{RETRY, no_longer_available};
use crate::alive::{Alive, PAUSE};
use crate::failure::incident::chain;
use plainly_transport::{Event, Feed};

/// The time limit for reading the stored part of a journal.
const OPENING: Duration = Duration::from_secs(5);

/// The time limit for the beginning of a journal, which is written after its stream.
const BEGINNING: Duration = Duration::from_secs(1);

/// The pause before a journal that could not be read is read again.
const AGAIN: Duration = Duration::from_millis(500);

/// The number of events that are read ahead of the client.
const AHEAD: usize = 16;

/// The place in a stream of another replica from which a client continues.
#[derive(Debug)]
pub(crate) struct ForeignPlace {
    pub(super) journal: Journal,
    /// The prefix of the ids of the stream's events.
    pub(super) prefix: String,
    /// The last event that the client has.
    pub(super) after: u64,
    pub(super) can_poll: bool,
    /// Whether the session has ended.
    pub(super) closed: watch::Receiver<bool>,
}

type Entries = BoxStream<'static, Result<Entry, EngineError>>;

impl ForeignPlace {
    /// The replica that writes the stream, and the stream's number there.
    pub(crate) fn stream(&self) -> (ReplicaId, u64) {
        (self.journal.writer, self.journal.stream)
    }

    /// The events after this place. Earlier readers of the stream are ended.
    pub(crate) async fn resume(self) -> Result<FollowedFeed, ProtocolError> {
        let reader = getrandom::u64().map_err(|error| {
            ProtocolError::internal("The stream could not be resumed").with_source(error)
        })?;
        let mut followed = Followed::new(self.after, reader);
        let mut entries = self.journal.follow();
        append(&self.journal, &Entry::Taken(reader)).await?;
        let opened = followed.read(&mut entries, |followed| followed.is_opened);
        match timeout(OPENING, opened).await {
            Ok(opened) => opened?,
            Err(late) => return Err(ProtocolError::from(Unavailable::Overloaded).with_source(late)),
        }
        // The journal is slightly behind its stream.
        let begun = followed.read(&mut entries, |followed| followed.has_begun);
        if let Ok(begun) = timeout(BEGINNING, begun).await {
            begun?;
        }
        if !followed.can_go_on() {
            return Err(no_longer_available());
        }
        let (sender, events) = mpsc::channel(AHEAD);
        let prefix = self.prefix.clone();
        let first = self.can_poll.then_some(self.after);
        let following = JoinSet::from_iter([self.follow(followed, entries, sender)]);
        Ok(FollowedFeed {
            prefix,
            first,
            events,
            _following: following,
        })
    }

    /// Sends events until the end of the stream, of the session or of the client's connection.
    async fn follow(
        self,
        mut followed: Followed,
        mut entries: Entries,
        sender: mpsc::Sender<(u64, Bytes)>,
    ) {
        let mut closed = self.closed.clone();
        let following = async {
            let mut gone = Box::pin(self.writer_is_gone());
            let mut is_gone = false;
            loop {
                while let Some(event) = followed.unsent.pop_front() {
                    if sender.send(event).await.is_err() {
                        return;
                    }
                }
                if followed.is_over {
                    return;
                }
                tokio::select! {
                    entry = entries.next() => match entry {
                        Some(Ok(entry)) => followed.hear(entry),
                        Some(Err(_)) | None => {
                            sleep(AGAIN).await;
                            entries = self.journal.follow();
                        }
                    },
                    () = &mut gone, if !is_gone => {
                        is_gone = true;
                        self.end(&followed).await;
                    }
                }
            }
        };
        tokio::select! {
            biased;
            _ended = closed.wait_for(|is_closed| *is_closed) => {}
            () = sender.closed() => {}
            () = following => {}
        }
    }

    /// Returns once the replica that writes the stream is gone.
    async fn writer_is_gone(&self) {
        let alive = Alive::default();
        let asks = &*self.journal.all.asks;
        while alive
            .gone_among(HashSet::from([self.journal.writer]), asks)
            .await
            .is_empty()
        {
            sleep(PAUSE).await;
        }
    }

    /// Ends the stream in place of its writer. If two readers do so, the first one counts.
    async fn end(&self, followed: &Followed) {
        let last_word = followed.last_word.clone().filter(|_| !followed.has_reply);
        let last_word = last_word.map(|message| {
            Entry::Event(JournalEvent {
                number: followed.next,
                is_reply: true,
                message,
            })
        });
        for entry in last_word.into_iter().chain([Entry::End]) {
            if let Err(error) = append(&self.journal, &entry).await {
                tracing::warn!(
                    error = chain(&error),
                    "a stream whose server is gone could not be ended"
                );
            }
        }
    }
}

/// The state of a reader of a journal.
#[derive(Debug)]
struct Followed {
    /// The number of the next event for the client.
    next: u64,
    reader: u64,
    /// All earlier readers, because entries may be repeated.
    earlier: HashSet<u64>,
    last_word: Option<Bytes>,
    has_reply: bool,
    /// Whether the journal contains any entry of the writer.
    has_begun: bool,
    /// Whether everything has been read that was stored before this reader began.
    is_opened: bool,
    /// Whether an event is missing.
    is_broken: bool,
    is_over: bool,
    unsent: VecDeque<(u64, Bytes)>,
}

impl Followed {
    fn new(after: u64, reader: u64) -> Self {
        Self {
            next: after.saturating_add(1),
            reader,
            earlier: HashSet::new(),
            last_word: None,
            has_reply: false,
            has_begun: false,
            is_opened: false,
            is_broken: false,
            is_over: false,
            unsent: VecDeque::new(),
        }
    }

    /// Whether all events after the client's last one are available or still to come.
    fn can_go_on(&self) -> bool {
        self.has_begun && !self.is_broken
    }

    /// Reads entries until `is_so` holds.
    async fn read(
        &mut self,
        entries: &mut Entries,
        is_so: impl Fn(&Self) -> bool,
    ) -> Result<(), EngineError> {
        while !is_so(self) {
            let Some(entry) = entries.next().await else {
                return Ok(());
            };
            self.hear(entry?);
        }
        Ok(())
    }

    fn hear(&mut self, entry: Entry) {
        match entry {
            Entry::LastWord(message) => {
                self.has_begun = true;
                self.last_word = Some(message);
            }
            // Entries from a writer that counted as gone are too late.
            Entry::Event(_) if self.is_over => {}
            Entry::Event(event) => {
                self.has_begun = true;
                self.has_reply |= event.is_reply;
                self.hear_event(event);
            }
            Entry::End => self.is_over = true,
            Entry::Taken(reader) if reader == self.reader => self.is_opened = true,
            Entry::Taken(reader) if self.is_opened => {
                self.is_over |= !self.earlier.contains(&reader);
            }
            Entry::Taken(reader) => drop(self.earlier.insert(reader)),
        }
    }

    fn hear_event(&mut self, event: JournalEvent) {
        // A lower number was repeated, or the client already has it.
        if event.number == self.next {
            self.next += 1;
            self.unsent.push_back((event.number, event.message));
        } else if event.number > self.next {
            // The client reconnects and gets an error that the rest is no longer available.
            self.is_broken = true;
            self.is_over = self.is_opened;
        }
    }
}

/// A stream of another replica as it is sent on one connection. Dropping it ends only this
/// connection's reading.
pub(crate) struct FollowedFeed {
    /// The prefix of the ids of its events.
    prefix: String,
    /// The number of its first event, if that event has only an id.
    first: Option<u64>,
    events: mpsc::Receiver<(u64, Bytes)>,
    _following: JoinSet<()>,
}

impl FollowedFeed {
    fn id(&self, number: u64) -> Box<str> {
        format!("{}{number}", self.prefix).into()
    }
}

impl Feed for FollowedFeed {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        if let Some(first) = self.first.take() {
            let event = Event::default().id(self.id(first)).retry(RETRY);
            return Poll::Ready(Some(event));
        }
        let next = self.events.poll_recv(context);
        next.map(|next| next.map(|(number, message)| Event::from(message).id(self.id(number))))
    }

    fn end(&mut self) {
        self.events.close();
    }
}

impl fmt::Debug for FollowedFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowedFeed")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
