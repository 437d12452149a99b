//! The record of a session that servers share: the client's introduction, and the changes of its
//! session. It knows no store.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plainly_errors::{ProtocolError, Refusal, Revision};
use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::types::{ClientCapabilities, Implementation, JsonObject, LoggingLevel};
use serde::{Deserialize, Serialize};

use crate::changes::Topic;
use crate::limits::SubscriptionLimits;

/// The record of a session. As JSON, it is complete.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SessionRecord {
    revision: String,
    capabilities: ClientCapabilities,
    client: Option<Implementation>,
    principal: Option<String>,
    /// The bytes of its client's introduction.
    pub(super) said: usize,
    /// The least severe log messages that the client wants.
    pub(super) level: LoggingLevel,
    /// The resources that it is subscribed to.
    pub(super) uris: BTreeSet<String>,
    /// The subscribed collections whose client hears of all resources below too.
    #[serde(default)]
    recursive: BTreeSet<String>,
    /// The server that has its stream, if servers ask each other.
    #[serde(default)]
    pub(super) holder: Option<String>,
    has_ended: bool,
    /// The time until which it is stored, in milliseconds since 1970.
    expires: u64,
    /// Members that newer servers add.
    #[serde(flatten)]
    others: JsonObject,
}

/// A change of a session by its client.
#[derive(Clone, Debug)]
pub(crate) enum SessionChange {
    /// The client wants log messages of this severity and above.
    Level(LoggingLevel),
    /// It subscribes to the resource with this URI, and perhaps to all below it.
    Subscribe { uri: String, is_recursive: bool },
    /// It no longer does.
    Unsubscribe(String),
    /// It listens at the first of these servers, in place of the second one.
    Listen(Box<str>, Option<Box<str>>),
    /// It ends the session.
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

    /// The peer that opened the session, if that was this principal.
    pub(super) fn peer(&self, principal: Option<&Principal>) -> Option<Peer> {
        if self.principal.as_deref() != principal.map(Principal::as_str) {
            return None;
        }
        let revision: Revision = self.revision.parse().ok()?;
        let peer = Peer::new(revision, self.capabilities.clone(), self.client.clone());
        Some(peer.principal(principal.cloned()))
    }

    /// Makes a change, unless its client would then be subscribed to too much.
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

    /// The topics that it is subscribed to.
    pub(super) fn topics(&self) -> HashSet<Topic> {
        let is_recursive = |uri: &String| self.recursive.contains(uri);
        let topics = |uri: &String| Topic::of_resource(uri, is_recursive(uri));
        self.uris.iter().flat_map(topics).collect()
    }

    /// Lets it expire after this time.
    pub(super) fn keep_for(&mut self, time: Duration) {
        self.expires = millis(since_1970().saturating_add(time));
    }

    /// The time until it expires.
    pub(super) fn time_left(&self) -> Duration {
        Duration::from_millis(self.expires).saturating_sub(since_1970())
    }

    /// Whether its session goes on.
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
