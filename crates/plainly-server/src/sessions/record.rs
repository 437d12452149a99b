//! The record of a session that servers share: the client's `initialize` parameters, and the
//! changes of its session. Independent of stores.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plainly_errors::{ProtocolError, Refusal, Revision};
use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::types::{ClientCapabilities, Implementation, JsonObject, LoggingLevel};
use serde::{Deserialize, Serialize};

use crate::changes::Topic;
use crate::limits::SubscriptionLimits;

/// The record of a session. Its JSON is complete.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SessionRecord {
    revision: String,
    capabilities: ClientCapabilities,
    client: Option<Implementation>,
    principal: Option<String>,
    /// The length of the client's `initialize` parameters in bytes.
    pub(super) said: usize,
    /// The least severe level of log messages that the client wants.
    pub(super) level: LoggingLevel,
    /// The resources that the session is subscribed to.
    pub(super) uris: BTreeSet<String>,
    /// The subscribed collections whose client also gets the changes of all resources below.
    #[serde(default)]
    recursive: BTreeSet<String>,
    /// The server that has the stream of the session, if servers can ask each other.
    #[serde(default)]
    pub(super) holder: Option<String>,
    has_ended: bool,
    /// The time until which the record is stored, in milliseconds since 1970.
    expires: u64,
    /// Members of newer servers.
    #[serde(flatten)]
    others: JsonObject,
}

/// A change of a session by its client.
#[derive(Clone, Debug)]
pub(crate) enum SessionChange {
    /// Sets the least severe level of log messages.
    Level(LoggingLevel),
    /// Subscribes to the resource with this URI, and optionally to everything below it.
    Subscribe { uri: String, is_recursive: bool },
    /// Unsubscribes from the resource with this URI.
    Unsubscribe(String),
    /// Moves the stream to the first of these servers from the second.
    Listen(Box<str>, Option<Box<str>>),
    /// Ends the session.
    End,
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
            recursive: BTreeSet::new(),
            holder: None,
            has_ended: false,
            expires: 0,
            others: JsonObject::new(),
        }
    }

    /// The peer that opened the session, if it had this principal.
    pub(super) fn peer(&self, principal: Option<&Principal>) -> Option<Peer> {
        if self.principal.as_deref() != principal.map(Principal::as_str) {
            return None;
        }
        let revision: Revision = self.revision.parse().ok()?;
        let peer = Peer::new(revision, self.capabilities.clone(), self.client.clone());
        Some(peer.principal(principal.cloned()))
    }

    /// Applies a change, unless the client would then have too many subscriptions.
    pub(super) fn apply(
        &mut self,
        change: SessionChange,
        limits: &SubscriptionLimits,
    ) -> Result<(), ProtocolError> {
        match change {
            SessionChange::Level(level) => self.level = level,
            SessionChange::Subscribe { uri, is_recursive } => {
                self.recursive.remove(&uri);
                self.recursive.extend(is_recursive.then(|| uri.clone()));
                self.uris.insert(uri);
                limits.check(self.uris.iter().map(String::as_str))?;
            }
            SessionChange::Unsubscribe(uri) => {
                self.uris.remove(&uri);
                self.recursive.remove(&uri);
            }
            SessionChange::Listen(server, before)
                if self.holder.as_deref() == before.as_deref() =>
            {
                self.holder = Some(server.into());
            }
            SessionChange::Listen(..) => return Err(Refusal::StreamTaken.into()),
            SessionChange::End => self.has_ended = true,
        }
        Ok(())
    }

    /// The topics that the session is subscribed to.
    pub(super) fn topics(&self) -> HashSet<Topic> {
        let is_recursive = |uri: &String| self.recursive.contains(uri);
        let topics = |uri: &String| Topic::of_resource(uri, is_recursive(uri));
        self.uris.iter().flat_map(topics).collect()
    }

    /// Sets the record to expire after this time.
    pub(super) fn keep_for(&mut self, time: Duration) {
        self.expires = millis(since_1970().saturating_add(time));
    }

    /// The time until it expires.
    pub(super) fn time_left(&self) -> Duration {
        Duration::from_millis(self.expires).saturating_sub(since_1970())
    }

    /// Whether the session has neither ended nor expired.
    pub(super) fn is_alive(&self) -> bool {
        !self.has_ended && !self.time_left().is_zero()
    }
}

fn since_1970() -> Duration {
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
