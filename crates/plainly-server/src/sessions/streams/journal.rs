//! The journals of streams: the events of each stream, which the replicas of a server share. Each
//! entry is sealed and bound to its journal.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt};
use plainly_cluster::erased::ErasedJournals;
use plainly_cluster::{EngineError, ReplicaId};
use sha2::{Digest, Sha256};

use crate::alive::Asks;
use crate::shelves::{ShelfKey, Shelves};

/// The storage time of a journal.
const TTL: Duration = Duration::from_mins(10);

/// The journals of all streams of a server.
#[derive(Debug)]
pub(crate) struct SharedJournals {
    engine: Arc<dyn ErasedJournals>,
    shelves: Arc<Shelves>,
    /// The id of this replica.
    pub(super) own: ReplicaId,
    pub(super) asks: Arc<dyn Asks>,
}

/// The journals of the streams of one session.
#[derive(Debug)]
pub(crate) struct SessionJournals {
    all: Arc<SharedJournals>,
    session: ShelfKey,
}

/// The journal of one stream.
#[derive(Clone, Debug)]
pub(super) struct Journal {
    pub(super) all: Arc<SharedJournals>,
    /// The replica that writes the journal.
    pub(super) writer: ReplicaId,
    pub(super) stream: u64,
    name: String,
}

/// An entry of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The event that ends the stream in place of its writer, if the writer is gone.
    LastWord(Bytes),
    Event(JournalEvent),
    /// The end of the stream.
    End,
    /// The reader with this number replaces all earlier ones.
    Taken(u64),
}

/// An event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JournalEvent {
    pub(super) number: u64,
    /// Whether the event is the reply.
    pub(super) is_reply: bool,
    pub(super) message: Bytes,
}

/// The kinds of entry, which are their first bytes.
mod kind {
    pub(super) const LAST_WORD: u8 = b'w';
    pub(super) const MESSAGE: u8 = b'm';
    pub(super) const REPLY: u8 = b'r';
    /// An event that is too large for an entry and is stored in a record.
    pub(super) const STORED: u8 = b's';
    pub(super) const END: u8 = b'e';
    pub(super) const TAKEN: u8 = b't';
}

impl SharedJournals {
    pub(crate) fn new(
        engine: Arc<dyn ErasedJournals>,
        shelves: Arc<Shelves>,
        own: ReplicaId,
        asks: Arc<dyn Asks>,
    ) -> Self {
        Self {
            engine,
            shelves,
            own,
            asks,
        }
    }
}

impl SessionJournals {
    /// The journals of the session whose record has this key.
    pub(in crate::sessions) fn new(all: &Arc<SharedJournals>, session: &ShelfKey) -> Self {
        Self {
            all: Arc::clone(all),
            session: session.clone(),
        }
    }

    /// The journal of a stream of this replica.
    pub(super) fn own(&self, stream: u64) -> Journal {
        self.of(self.all.own, stream)
    }

    /// The journal of a stream of any replica.
    pub(super) fn of(&self, writer: ReplicaId, stream: u64) -> Journal {
        let digest = Sha256::digest(format!("{:?}-{writer}-{stream}", self.session));
        let digits = digest.iter().map(|byte| format!("{byte:02x}"));
        Journal {
            all: Arc::clone(&self.all),
            writer,
            stream,
            name: digits.collect(),
        }
    }
}

impl Journal {
    /// Adds an entry.
    pub(super) async fn append(&self, entry: &Entry) -> Result<(), EngineError> {
        let mut written = entry.write();
        if let Entry::Event(event) = entry
            && written.len() > self.all.shelves.room()
        {
            let key = self.stored(event.number);
            let put = self.all.shelves.put(&key, written, None, TTL).await?;
            // Another reader has stored its last event under this number; the first one counts.
            if put.is_none() {
                return Ok(());
            }
            written = [&[kind::STORED][..], &event.number.to_be_bytes()]
                .concat()
                .into();
        }
        let sealed = self
            .all
            .shelves
            .seal("journal", &self.name, &written, TTL)?;
        self.all.engine.append(&self.name, sealed).await
    }

    /// All entries, including future ones. Entries of unknown kinds are left out.
    pub(super) fn follow(&self) -> BoxStream<'static, Result<Entry, EngineError>> {
        let journal = self.clone();
        let sealed = self.all.engine.follow(&self.name);
        let entries = sealed.filter_map(move |sealed| {
            let journal = journal.clone();
            async move { journal.read(sealed).await.transpose() }
        });
        entries.boxed()
    }

    async fn read(&self, sealed: Result<Bytes, EngineError>) -> Result<Option<Entry>, EngineError> {
        // Other programs that can reach the engine can add entries, but can't seal them.
        let Ok(mut written) = self.all.shelves.open("journal", &self.name, sealed?) else {
            return Ok(None);
        };
        if let Some((&kind::STORED, number)) = written.split_first() {
            let number = read_number(number).map(|(number, _)| number);
            let key = self.stored(number.unwrap_or_default());
            match self.all.shelves.get(&key).await? {
                Some(stored) => written = stored.value,
                None => return Ok(None),
            }
        }
        Ok(Entry::read(&written))
    }

    /// The key of the record for an event that is too large for an entry.
    fn stored(&self, number: u64) -> ShelfKey {
        ShelfKey::new("events", &format!("{}-{number}", self.name))
    }
}

impl Entry {
    fn write(&self) -> Bytes {
        let (kind, number, content) = match self {
            Self::LastWord(message) => (kind::LAST_WORD, None, message.clone()),
            Self::Event(event) if event.is_reply => {
                (kind::REPLY, Some(event.number), event.message.clone())
            }
            Self::Event(event) => (kind::MESSAGE, Some(event.number), event.message.clone()),
            Self::End => (kind::END, None, Bytes::new()),
            Self::Taken(reader) => (kind::TAKEN, Some(*reader), Bytes::new()),
        };
        let number = number.map(u64::to_be_bytes);
        let number = number.as_ref().map_or(&[][..], |number| &number[..]);
        [&[kind][..], number, &content].concat().into()
    }

    /// Parses an entry; `None` if its kind is unknown.
    fn read(written: &Bytes) -> Option<Self> {
        let (kind, rest) = written.split_first()?;
        let event = |is_reply| {
            let (number, message) = read_number(rest)?;
            Some(Self::Event(JournalEvent {
                number,
                is_reply,
                message: written.slice_ref(message),
            }))
        };
        match *kind {
            kind::LAST_WORD => Some(Self::LastWord(written.slice_ref(rest))),
            kind::MESSAGE => event(false),
            kind::REPLY => event(true),
            kind::END => Some(Self::End),
            kind::TAKEN => read_number(rest).map(|(reader, _)| Self::Taken(reader)),
            _ => None,
        }
    }
}

fn read_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u64::from_be_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were() {
        let message = Bytes::from_static(b"{}");
        let event = |is_reply| JournalEvent {
            number: 1 << 40,
            is_reply,
            message: message.clone(),
        };
        let entries = [
            Entry::LastWord(message.clone()),
            Entry::Event(event(false)),
            Entry::Event(event(true)),
            Entry::End,
            Entry::Taken(u64::MAX),
        ];
        for entry in entries {
            assert_eq!(Entry::read(&entry.write()), Some(entry));
        }
        for unknown in ["", "x", "m", "r1234567", "t"] {
            assert_eq!(Entry::read(&Bytes::from(unknown)), None, "{unknown}");
        }
    }
}
