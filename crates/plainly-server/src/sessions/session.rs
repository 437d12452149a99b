//! The session of one legacy client: its peer and its running requests. Over HTTP it is one of the
//! [`Sessions`](crate::sessions), otherwise that of its stream. A modern request never sees one.

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
    /// The streams that can be resumed, over HTTP and if its revision has them.
    pub(crate) streams: Option<Arc<Streams>>,
    /// Our questions to its client that wait for answers.
    pub(crate) unanswered: SentQuestions,
    level: Lock<LoggingLevel>,
    /// The limits of what its client subscribes to.
    limits: SubscriptionLimits,
    /// Its record, if other servers answer it too.
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

    /// Counts what its client is asked together with what others are.
    pub(crate) fn asked_among(mut self, asked: &Quota, client: Option<Holder>) -> Self {
        self.unanswered = self.unanswered.among(asked, client);
        self
    }

    /// Takes the place of `before` on the same stream.
    pub(crate) fn after(mut self, before: &Self) -> Self {
        self.unanswered = self.unanswered.after(&before.unanswered);
        self
    }

    /// Shares it with other servers. The ids of its questions name this server, so that no other
    /// takes an answer for one to a question of its own; and so do those of its events.
    pub(super) fn shared(mut self, shared: Option<SharedSession>) -> Self {
        if let Some(shared) = &shared {
            self.unanswered = self.unanswered.of(shared.server_name());
        }
        self.shared = shared;
        self
    }

    /// Lets its streams be resumed.
    pub(super) fn resumable(mut self, limits: &Limits, kept: QuotaPart) -> Self {
        let server = self.shared.as_ref().map(SharedSession::server_name);
        let journals = self.shared.as_ref().and_then(SharedSession::journals);
        self.streams = Streams::new(self.peer.revision, limits, kept, server, journals);
        self
    }

    /// The time since anything was sent or received.
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

    /// Ends its subscription, its questions and its streams.
    pub(crate) fn close(&self) {
        self.subscription.topics.close();
        self.unanswered.close();
        self.streams.iter().for_each(|streams| streams.close());
    }

    /// The least severe log messages that the client wants. The default is all but those for
    /// debugging.
    pub(crate) fn level(&self) -> LoggingLevel {
        *self.level.lock()
    }
}
