//! The record of a session that servers share: the client's introduction, and the changes of its
//! session.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plainly_errors::{InvalidRequest, ProtocolError, Revision};
use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::types::{ClientCapabilities, Implementation, JsonObject, LoggingLevel};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::records::{ErasedRecords, RecordsError, ServerName};
use plainly_transport::lock::Lock;

/// The time that a session is stored after its last change.
const TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// The record of a session. As JSON, it is complete.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SessionRecord {
    revision: String,
    capabilities: ClientCapabilities,
    client: Option<Implementation>,
    principal: Option<String>,
    /// The bytes of its client's introduction.
    pub(super) said: usize,
    /// The least severe log messages that the client wants.
    pub(crate) level: LoggingLevel,
    /// The resources that it is subscribed to.
    pub(crate) uris: BTreeSet<String>,
    pub(crate) has_ended: bool,
    /// Members that newer servers add.
    #[serde(flatten)]
    others: JsonObject,
}

impl SessionRecord {
    /// The record of a session that this peer opens.
    pub(super) fn new(peer: &Peer, said: usize) -> Self {
        let principal = peer.principal.as_ref();
        Self {
            revision: peer.revision.to_string(),
            capabilities: peer.capabilities.clone(),
            client: peer.implementation.clone(),
            principal: principal.map(|principal| principal.as_str().to_owned()),
            said,
            level: LoggingLevel::Info,
            uris: BTreeSet::new(),
            has_ended: false,
            others: JsonObject::new(),
        }
    }

    /// The peer that opened the session, if that was this principal.
    pub(super) fn peer(&self, principal: Option<&Principal>) -> Option<Peer> {
        if self.principal.as_deref() != principal.map(Principal::as_str) {
            return None;
        }
        let revision: Revision = self.revision.parse().ok()?;
        let peer = Peer::new(revision, self.capabilities.clone(), self.client.clone());
        Some(peer.principal(principal.cloned()))
    }
}

/// The records of the sessions that servers share.
#[derive(Debug)]
pub(crate) struct SharedSessions {
    records: Arc<dyn ErasedRecords>,
    server: Arc<ServerName>,
}

/// The place of the record of one session.
#[derive(Debug)]
pub(crate) struct SharedSession {
    records: Arc<dyn ErasedRecords>,
    key: String,
    /// The name of this server.
    pub(super) server: Arc<str>,
    /// The version that this server has taken over.
    pub(super) known: Lock<u64>,
}

impl SharedSessions {
    pub(crate) fn new(records: Arc<dyn ErasedRecords>, server: Arc<ServerName>) -> Self {
        Self { records, server }
    }

    /// The place of the session with this name.
    pub(super) fn place(&self, name: &str) -> Result<SharedSession, getrandom::Error> {
        // The name opens the session, so the store of the records does not get it.
        let digest = Sha256::digest(name);
        let digits = digest.iter().map(|byte| format!("{byte:02x}"));
        Ok(SharedSession {
            records: Arc::clone(&self.records),
            key: format!("sessions.{}", digits.collect::<String>()),
            server: Arc::clone(self.server.get()?),
            known: Lock::default(),
        })
    }
}

impl SharedSession {
    /// Stores the record of a new session.
    pub(super) async fn create(&self, record: &SessionRecord) -> Result<(), ProtocolError> {
        self.put(record, None).await?;
        Ok(())
    }

    /// The record and its version, unless the session is unknown or has ended.
    pub(super) async fn get(&self) -> Result<Option<(SessionRecord, u64)>, RecordsError> {
        let Some(stored) = self.records.get(&self.key).await? else {
            return Ok(None);
        };
        let record = serde_json::from_slice::<SessionRecord>(&stored.value);
        let record = record.map_err(|error| RecordsError::Refused(error.into()))?;
        Ok((!record.has_ended).then_some((record, stored.version)))
    }

    /// Changes the record, and returns it with its version.
    pub(super) async fn update(
        &self,
        change: impl Fn(&mut SessionRecord) + Send,
    ) -> Result<(SessionRecord, u64), ProtocolError> {
        while let Some((mut record, before)) = self.get().await? {
            change(&mut record);
            // If another write was first, this one goes on top of it.
            if let Some(version) = self.put(&record, Some(before)).await? {
                return Ok((record, version));
            }
        }
        Err(InvalidRequest::SessionNotFound.into())
    }

    async fn put(
        &self,
        record: &SessionRecord,
        over: Option<u64>,
    ) -> Result<Option<u64>, RecordsError> {
        // Texts and lists of texts can always be written.
        let value = Bytes::from(serde_json::to_vec(record).unwrap_or_default());
        self.records.put(&self.key, value, over, TTL).await
    }
}
