//! The writing side of a journal. It is written after the stream, which never waits for it.

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::sleep;

use super::journal::{Entry, Journal, JournalEvent};
use crate::failure::incident::chain;
use plainly_cluster::EngineError;
use std::time::Duration;

/// The maximum number of entries that are not yet confirmed. If a stream is faster, entries are
/// lost.
const UNCONFIRMED: usize = 64;

/// The maximum number of attempts to add an entry, and the pause before the second.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(200);

/// The number of events after which the last event is written again, because a journal drops its
/// oldest entries.
const AGAIN: u64 = 256;

/// A journal that is written after a stream.
#[derive(Debug)]
pub(super) struct JournalWriter {
    entries: mpsc::Sender<Entry>,
    last_word: Bytes,
}

impl JournalWriter {
    /// Begins a journal.
    pub(super) fn begin(journal: Journal, last_word: Bytes) -> Self {
        let (entries, unconfirmed) = mpsc::channel(UNCONFIRMED);
        tokio::spawn(write(journal, unconfirmed));
        let writer = Self { entries, last_word };
        writer.add(Entry::LastWord(writer.last_word.clone()));
        writer
    }

    pub(super) fn event(&self, number: u64, is_reply: bool, message: Bytes) {
        if number.is_multiple_of(AGAIN) {
            self.add(Entry::LastWord(self.last_word.clone()));
        }
        self.add(Entry::Event(JournalEvent {
            number,
            is_reply,
            message,
        }));
    }

    pub(super) fn end(&self) {
        self.add(Entry::End);
    }

    fn add(&self, entry: Entry) {
        if let Err(TrySendError::Full(_)) = self.entries.try_send(entry) {
            tracing::debug!("a stream says more than its journal takes");
        }
    }
}

/// Adds the entries to the journal, one after another.
async fn write(journal: Journal, mut entries: mpsc::Receiver<Entry>) {
    while let Some(entry) = entries.recv().await {
        if let Err(error) = append(&journal, &entry).await {
            tracing::warn!(
                error = chain(&error),
                "a stream could not be stored for other servers"
            );
        }
    }
}

/// Ends the readers of a stream on other replicas, because its client continues to read here.
pub(super) async fn take_back(journal: Journal) {
    let taken = match getrandom::u64() {
        Ok(reader) => append(&journal, &Entry::Taken(reader)).await,
        Err(error) => Err(EngineError::Refused(error.into())),
    };
    if let Err(error) = taken {
        let error = chain(&error);
        tracing::warn!(error, "a stream may be read at other servers too");
    }
}

/// Adds an entry, perhaps twice. Readers ignore the second copy.
pub(super) async fn append(journal: &Journal, entry: &Entry) -> Result<(), EngineError> {
    let mut attempt = 1;
    loop {
        match journal.append(entry).await {
            Err(EngineError::Refused(_) | EngineError::Unknown(_)) if attempt < ATTEMPTS => {}
            settled => return settled,
        }
        sleep(PAUSE * attempt).await;
        attempt += 1;
    }
}
