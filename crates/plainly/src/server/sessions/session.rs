//! The session of one legacy client: its peer and its running requests. Over HTTP it is one of the
//! [`Sessions`](crate::server::sessions), otherwise that of its stream. A modern request never sees one.

mod subscription;

use std::sync::Arc;
use std::time::Duration;

use plainly_protocol::peer::Peer;
use plainly_protocol::types::LoggingLevel;

pub(in crate::server) use self::subscription::{OpenStream, SessionSubscription};
use crate::limits::Limits;
use crate::lock::Lock;
use crate::quota::{Holder, Quota, QuotaPart};
use crate::server::asking::SentQuestions;
use crate::server::changes::TopicSubscription;
use crate::server::in_flight::InFlight;
use crate::server::sessions::streams::Streams;

/// The session of one legacy client: its peer, its running requests, and its streams.
#[derive(Debug)]
pub(in crate::server) struct Session {
    pub(in crate::server) peer: Arc<Peer>,
    pub(in crate::server) in_flight: Arc<InFlight>,
    pub(in crate::server) subscription: Arc<SessionSubscription>,
    /// The streams that can be resumed, over HTTP and if its revision has them.
    pub(in crate::server) streams: Option<Arc<Streams>>,
    /// Our questions to its client that wait for answers.
    pub(in crate::server) unanswered: SentQuestions,
    level: Lock<LoggingLevel>,
}

impl Session {
    pub(in crate::server) fn new(
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
        }
    }

    /// Counts what its client is asked together with what others are.
    pub(in crate::server) fn asked_among(mut self, asked: &Quota, client: Option<Holder>) -> Self {
        self.unanswered = self.unanswered.among(asked, client);
        self
    }

    /// Takes the place of `before` on the same stream.
    pub(in crate::server) fn after(mut self, before: &Self) -> Self {
        self.unanswered = self.unanswered.after(&before.unanswered);
        self
    }

    /// Lets its streams be resumed.
    pub(in crate::server) fn resumable(mut self, limits: &Limits, kept: QuotaPart) -> Self {
        self.streams = Streams::new(self.peer.revision, limits, kept);
        self
    }

    /// How long nothing has been sent or received.
    pub(in crate::server) fn idle(&self) -> Duration {
        if self
            .streams
            .as_ref()
            .is_some_and(|streams| streams.is_busy())
        {
            return Duration::ZERO;
        }
        self.subscription.idle()
    }

    /// Ends its subscription, its questions and its streams.
    pub(in crate::server) fn close(&self) {
        self.subscription.topics.close();
        self.unanswered.close();
        self.streams.iter().for_each(|streams| streams.close());
    }

    /// The least severe log messages that the client wants. Before it says so, all but those for debugging.
    pub(in crate::server) fn level(&self) -> LoggingLevel {
        *self.level.lock()
    }

    pub(in crate::server) fn set_level(&self, level: LoggingLevel) {
        *self.level.lock() = level;
    }
}
