//! The store for the records of sessions that servers share.

use std::future::pending;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use plainly_errors::{InvalidRequest, ProtocolError, Unavailable};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::record::{SessionChange, SessionRecord};
use super::streams::journal::{SessionJournals, SharedJournals};
use crate::alive::Asks;
use crate::limits::Limits;
use crate::random::random_name;
use crate::replicas::{ReplicaEvent, Replicas, ServerName};
use crate::shelves::{ShelfKey, Shelves};
use plainly_cluster::{EngineError, ReplicaId};
use plainly_transport::lock::Lock;

/// The maximum number of attempts to change a record that other servers change at the same time.
const ATTEMPTS: usize = 16;

/// The time over which the records of sessions are read that may have changed elsewhere.
const SPREAD: Duration = Duration::from_secs(1);

/// The records of the sessions that servers share.
#[derive(Debug)]
pub(crate) struct SharedSessions {
    shelves: Arc<Shelves>,
    limits: Limits,
    /// The name of this server among those that share the records. It is new at each start.
    server: OnceLock<Arc<str>>,
    /// The other servers, if this one can ask them.
    replicas: Option<Arc<Replicas>>,
    /// The journals of streams, if there are other servers to read them.
    journals: Option<Arc<SharedJournals>>,
}

/// The record of one session, with the data that this server needs for it.
#[derive(Debug)]
pub(super) struct SharedSession {
    all: Arc<SharedSessions>,
    /// The name of the session.
    name: Box<str>,
    key: ShelfKey,
    /// The name of this server.
    pub(super) server: Arc<str>,
    pub(super) known: Lock<KnownRecord>,
    /// The last known server that has or had the stream of the session.
    pub(super) listens_at: watch::Sender<Option<Box<str>>>,
}

/// The data about the stored record that this server knows.
#[derive(Debug)]
pub(super) struct KnownRecord {
    /// The version that this server has applied.
    pub(super) version: Option<KnownVersion>,
    /// The time at which to write the record again; `None` for never.
    due: Option<Instant>,
}

/// A version, preceded by the number of times that this server may have missed changes, because an
/// engine that was away may return with older records and lower versions.
pub(super) type KnownVersion = (u64, u64);

/// The result of reading a record.
pub(super) enum FoundRecord {
    /// The session is unknown, has expired or has ended.
    Nothing,
    /// The version that this server has already applied.
    Known,
    /// A later version.
    Later(Box<SessionRecord>, KnownVersion),
}

impl SharedSessions {
    pub(crate) fn new(shelves: Arc<Shelves>, limits: &Limits) -> Self {
        Self {
            shelves,
            limits: limits.clone(),
            server: OnceLock::new(),
            replicas: None,
            journals: None,
        }
    }

    /// Uses these replicas, which know this server by its id and read the streams of its sessions.
    pub(crate) fn among(mut self, replicas: &Arc<Replicas>) -> Self {
        self.server = OnceLock::from(Arc::from(replicas.id().to_string()));
        let (engine, shelves) = (replicas.journals(), Arc::clone(&self.shelves));
        let asks: Arc<dyn Asks> = Arc::<Replicas>::clone(replicas);
        let journals = SharedJournals::new(engine, shelves, replicas.id(), asks);
        self.journals = Some(Arc::new(journals));
        self.replicas = Some(Arc::clone(replicas));
        self
    }

    /// Ends a session on the other servers, because it has ended here.
    pub(super) fn tell_end(&self, session: &str) {
        if let Some(replicas) = &self.replicas {
            let session = session.to_owned();
            replicas.tell(&ReplicaEvent::Ended { session });
        }
    }

    /// The storage time of a record. It is written again after half of that, so that a session is
    /// always stored for as long as it may be idle.
    fn ttl(&self) -> Duration {
        self.limits.sessions.idle.saturating_mul(2)
    }

    /// The shared session with this name.
    pub(super) fn place(self: &Arc<Self>, name: &str) -> Result<SharedSession, getrandom::Error> {
        Ok(SharedSession {
            all: Arc::clone(self),
            name: name.into(),
            key: ShelfKey::new("sessions", name),
            server: Arc::clone(self.server()?),
            known: Lock::new(KnownRecord {
                version: None,
                due: None,
            }),
            listens_at: watch::Sender::default(),
        })
    }

    fn server(&self) -> Result<&Arc<str>, getrandom::Error> {
        match self.server.get() {
            Some(name) => Ok(name),
            None => {
                let random = random_name()?.into();
                // Two threads may each generate a name; both use the one that was stored first.
                Ok(self.server.get_or_init(|| random))
            }
        }
    }
}

impl SharedSession {
    /// The name of the session, and the other servers that serve it, if this one can ask them.
    pub(super) fn elsewhere(&self) -> Option<(&str, &Arc<Replicas>)> {
        Some((&self.name, self.all.replicas.as_ref()?))
    }

    /// The name of this server in the ids that the client sees.
    pub(super) fn server_name(&self) -> ServerName {
        match &self.all.replicas {
            Some(replicas) => ServerName::Replica(Arc::clone(replicas)),
            None => ServerName::Random(Arc::clone(&self.server)),
        }
    }

    /// The server that has or had the stream of the session, if it is another one that can be
    /// asked.
    pub(super) fn holder(&self) -> Option<ReplicaId> {
        let holder = self.listens_at.borrow().clone()?;
        let is_other = *holder != *self.server && self.all.replicas.is_some();
        is_other.then(|| holder.parse().ok())?
    }

    /// Returns once another server has taken over the stream from this one.
    pub(super) async fn taken(&self) {
        let mut listens_at = self.listens_at.subscribe();
        for is_here in [true, false] {
            let is_here = |it: &Option<Box<str>>| (it.as_deref() == Some(&self.server)) == is_here;
            // The sender is in `self`, so it still exists.
            drop(listens_at.wait_for(is_here).await);
        }
    }

    /// The journals of the session's streams.
    pub(super) fn journals(&self) -> Option<SessionJournals> {
        let all = self.all.journals.as_ref()?;
        Some(SessionJournals::new(all, &self.key))
    }

    /// Stores the record of a new session.
    pub(super) async fn create(&self, mut record: SessionRecord) -> Result<(), ProtocolError> {
        let gaps = self.gap_count();
        let version = self.put(&mut record, None).await?;
        let mut known = self.known.lock();
        self.note_time(&mut known, &record);
        known.version = version.map(|version| (gaps, version));
        Ok(())
    }

    /// Reads the record.
    pub(super) async fn find(&self) -> Result<FoundRecord, EngineError> {
        let gaps = self.gap_count();
        let Some(stored) = self.all.shelves.get(&self.key).await? else {
            return Ok(FoundRecord::Nothing);
        };
        let version = (gaps, stored.version);
        // Most requests end here, without parsing JSON.
        if self.is_known(version) {
            return Ok(FoundRecord::Known);
        }
        let record = read(&stored.value)?;
        Ok(match record.is_alive() {
            true => FoundRecord::Later(Box::new(record), version),
            false => FoundRecord::Nothing,
        })
    }

    fn is_known(&self, version: KnownVersion) -> bool {
        let known = self.known.lock().version;
        known.is_some_and(|known| version <= known)
    }

    /// Changes the record, and returns it with its version.
    pub(super) async fn update(
        &self,
        change: Option<SessionChange>,
    ) -> Result<(SessionRecord, KnownVersion), ProtocolError> {
        for _ in 0..ATTEMPTS {
            let gaps = self.gap_count();
            let stored = self.all.shelves.get(&self.key).await?;
            let stored = stored.ok_or(InvalidRequest::SessionNotFound)?;
            let mut record = read(&stored.value)?;
            if !record.is_alive() {
                return Err(InvalidRequest::SessionNotFound.into());
            }
            if let Some(change) = change.clone() {
                record.apply(change, &self.all.limits.subscriptions)?;
            }
            // If another write came first, the change is applied to its result.
            if let Some(version) = self.put(&mut record, Some(stored.version)).await? {
                return Ok((record, (gaps, version)));
            }
        }
        let why = "Too many changes of this session at once: try again later";
        Err(ProtocolError::from(Unavailable::Overloaded).with_message(why))
    }

    async fn put(
        &self,
        record: &mut SessionRecord,
        over: Option<u64>,
    ) -> Result<Option<u64>, EngineError> {
        let ttl = self.all.ttl();
        record.keep_for(ttl);
        let value = serde_json::to_vec(record).expect("texts, numbers and JSON can be written");
        let (shelves, value) = (&self.all.shelves, Bytes::from(value));
        shelves.put(&self.key, value, over, ttl).await
    }

    /// Records when the record must be written again.
    pub(super) fn note_time(&self, known: &mut KnownRecord, record: &SessionRecord) {
        let time = record.time_left().saturating_sub(self.all.ttl() / 2);
        known.due = Instant::now().checked_add(time);
    }

    /// Whether it is time to write the record again. If that fails, it is time again after a pause.
    pub(super) fn take_turn(&self) -> bool {
        let (now, mut known) = (Instant::now(), self.known.lock());
        let is_due = known.due.is_some_and(|due| due <= now);
        if is_due {
            known.due = now.checked_add(self.pause());
        }
        is_due
    }

    /// The interval between readings of the record of a session whose client only listens.
    pub(super) fn pause(&self) -> Duration {
        (self.all.ttl() / 8).max(Duration::from_secs(1))
    }

    /// Returns when the record of a session whose client only listens must be read: after a pause,
    /// or shortly after this server may have missed changes. Returns whether it may have missed
    /// any.
    pub(super) async fn due_to_look(&self, gaps: Option<&mut watch::Receiver<u64>>) -> bool {
        let missed = async {
            match gaps {
                Some(gaps) => drop(gaps.changed().await),
                None => pending().await,
            }
            // Distributed over time, so that not all sessions read at the same moment.
            sleep(self.key.share_of(SPREAD)).await;
        };
        timeout(self.pause(), missed).await.is_ok()
    }

    /// The number of times that this server may have missed changes.
    fn gap_count(&self) -> u64 {
        let replicas = self.all.replicas.as_ref();
        replicas.map_or(0, |replicas| replicas.gap_count())
    }

    /// Notifies that this server may have missed changes, if it receives messages from others.
    pub(super) fn gaps(&self) -> Option<watch::Receiver<u64>> {
        self.all.replicas.as_ref().map(|replicas| replicas.gaps())
    }
}

fn read(value: &[u8]) -> Result<SessionRecord, EngineError> {
    serde_json::from_slice(value).map_err(|error| EngineError::Refused(error.into()))
}

#[cfg(test)]
mod tests;
