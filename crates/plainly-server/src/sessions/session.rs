//! The session of one legacy client: its peer and its running requests. Over HTTP it is one of the
//! [`Sessions`](crate::sessions), otherwise that of its stream. Modern requests have no session.

mod sharing;
mod subscription;

use std::sync::Arc;
use std::time::Duration;

use plainly_protocol::peer::Peer;
use plainly_protocol::types::LoggingLevel;

pub(crate) use self::subscription::{OpenStream, SessionSubscription};
use crate::asking::SentQuestions;
use crate::changes::TopicSubscription;
use crate::in_flight::InFlight;
use crate::limits::{Limits, SubscriptionLimits};
use crate::sessions::shared::SharedSession;
use crate::sessions::streams::Streams;
use plainly_transport::lock::Lock;
use plainly_transport::quota::{Holder, Quota, QuotaPart};

/// The session of one legacy client: its peer, its running requests, and its streams.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) peer: Arc<Peer>,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) subscription: Arc<SessionSubscription>,
    /// The resumable streams, over HTTP and if the session's revision has them.
    pub(crate) streams: Option<Arc<Streams>>,
    /// The server's questions to the client that wait for answers.
    pub(crate) unanswered: SentQuestions,
    level: Lock<LoggingLevel>,
    /// The limits of the client's subscriptions.
    limits: SubscriptionLimits,
    /// The record of the session, if other servers serve it too.
    shared: Option<SharedSession>,
}

impl Session {
    pub(crate) fn new(
        peer: Arc<Peer>,
        in_flight: Arc<InFlight>,
        topics: TopicSubscription,
        limits: &Limits,
    ) -> Self {
        Self {
            peer,
            in_flight,
            subscription: SessionSubscription::new(topics),
            streams: None,
            unanswered: SentQuestions::new(limits),
            level: Lock::new(LoggingLevel::Info),
            limits: limits.subscriptions.clone(),
            shared: None,
        }
    }

    /// Counts the questions to the client in the quota of all sessions.
    pub(crate) fn asked_among(mut self, asked: &Quota, client: Option<Holder>) -> Self {
        self.unanswered = self.unanswered.among(asked, client);
        self
    }

    /// Replaces the session `before` on the same stream.
    pub(crate) fn after(mut self, before: &Self) -> Self {
        self.unanswered = self.unanswered.after(&before.unanswered);
        self
    }

    /// Shares the session with other servers. The ids of its questions and events contain the name
    /// of this server, so that no other server mistakes an answer for one to its own question.
    pub(super) fn shared(mut self, shared: Option<SharedSession>) -> Self {
        if let Some(shared) = &shared {
            self.unanswered = self.unanswered.of(shared.server_name());
        }
        self.shared = shared;
        self
    }

    /// Makes the streams of the session resumable.
    pub(super) fn resumable(mut self, limits: &Limits, kept: QuotaPart) -> Self {
        let server = self.shared.as_ref().map(SharedSession::server_name);
        let journals = self.shared.as_ref().and_then(SharedSession::journals);
        self.streams = Streams::new(self.peer.revision, limits, kept, server, journals);
        self
    }

    /// The time since the last message in either direction.
    pub(crate) fn idle(&self) -> Duration {
        if self
            .streams
            .as_ref()
            .is_some_and(|streams| streams.is_busy())
        {
            return Duration::ZERO;
        }
        self.subscription.idle()
    }

    /// Ends the subscription, the questions and the streams of the session.
    pub(crate) fn close(&self) {
        self.subscription.topics.close();
        self.unanswered.close();
        self.streams.iter().for_each(|streams| streams.close());
    }

    /// The least severe level of log messages that the client wants. The default excludes only
    /// debug messages.
    pub(crate) fn level(&self) -> LoggingLevel {
        *self.level.lock()
    }
}
