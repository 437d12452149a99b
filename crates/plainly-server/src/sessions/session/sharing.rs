//! The shared side of a session: each server applies changes by other servers from the record, and
//! stores the changes that its client makes here.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use plainly_errors::{ProtocolError, Refusal};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Session;
use crate::alive;
use crate::changes::Topic;
use crate::failure::incident::chain;
use crate::replicas::{ReplicaAnswer, ReplicaQuestion, Replicas};
use crate::sessions::record::{SessionChange, SessionRecord};
use crate::sessions::shared::{FoundRecord, KnownVersion, SharedSession};
use plainly_cluster::{EngineError, ReplicaId, Unanswered};
use plainly_transport::quota::QuotaExhausted;

/// The pause before a record that could not be read is read again.
const AGAIN: Duration = Duration::from_secs(5);

impl Session {
    /// Makes a change. If other servers serve the session too, the change takes effect once the
    /// returned future has stored it.
    pub(crate) fn change(
        self: &Arc<Self>,
        change: SessionChange,
    ) -> Result<Option<BoxFuture<'static, Result<(), ProtocolError>>>, ProtocolError> {
        if self.shared.is_none() {
            self.apply(change)?;
            return Ok(None);
        }
        let session = Arc::clone(self);
        Ok(Some(Box::pin(async move { session.store(change).await })))
    }

    /// Makes a change in this process.
    fn apply(&self, change: SessionChange) -> Result<(), ProtocolError> {
        let topics = &self.subscription.topics;
        match change {
            SessionChange::Level(level) => *self.level.lock() = level,
            SessionChange::Subscribe { uri, is_recursive } => {
                // Checked together with earlier subscriptions, because a client subscribes to one
                // URI at a time and could continue without end.
                let before = topics.resources();
                let before = before.iter().map(|uri| &**uri);
                let before = before.filter(|before| **before != *uri);
                self.limits.check(before.chain([&*uri]))?;
                topics.add(Topic::of_resource(&uri, is_recursive))?;
                if !is_recursive {
                    topics.remove(&Topic::Below(uri.into()));
                }
            }
            SessionChange::Unsubscribe(uri) => {
                Topic::of_resource(&uri, true).for_each(|topic| topics.remove(&topic));
            }
            // The session ends when it is removed from the table, and already knows its stream.
            SessionChange::End | SessionChange::Listen(..) => {}
        }
        Ok(())
    }

    /// Makes a change in the record, then in this process, and for a subscription also on the
    /// server that has the stream.
    async fn store(&self, change: SessionChange) -> Result<(), ProtocolError> {
        let Some(shared) = &self.shared else {
            return Ok(());
        };
        let is_heard = matches!(
            change,
            SessionChange::Subscribe { .. } | SessionChange::Unsubscribe(_)
        );
        let (record, version) = shared.update(Some(change)).await?;
        self.follow(shared, &record, version)?;
        if is_heard
            && let Some((session, replicas)) = shared.elsewhere()
            && let Some(holder) = shared.holder()
        {
            let session = session.to_owned();
            let question = ReplicaQuestion::CatchUp { session };
            // A server that can't be asked reads the record itself at intervals.
            if let Err(error) = replicas.ask(holder, &question).await {
                tracing::debug!(%error, "a subscription was stored for a stream elsewhere");
            }
        }
        Ok(())
    }

    /// The change that registers the stream on this server, if it must be registered. Returns an
    /// error if another server has the stream.
    pub(crate) async fn listening(&self) -> Result<Option<SessionChange>, ProtocolError> {
        let Some(shared) = &self.shared else {
            return Ok(None);
        };
        let Some((session, replicas)) = shared.elsewhere() else {
            return Ok(None);
        };
        if let Some(holder) = shared.holder() {
            let session = session.to_owned();
            let question = ReplicaQuestion::Holds { session };
            match replicas.ask(holder, &question).await {
                Ok(ReplicaAnswer::No) | Err(Unanswered::Gone) => {}
                // The server may have the stream.
                Ok(ReplicaAnswer::Yes | ReplicaAnswer::Busy)
                | Err(Unanswered::Silent | Unanswered::Unsent) => {
                    return Err(Refusal::StreamTaken.into());
                }
            }
        }
        let before = shared.listens_at.borrow().clone();
        let is_noted = before.as_deref() == Some(&*shared.server);
        Ok((!is_noted).then(|| SessionChange::Listen((&*shared.server).into(), before)))
    }

    /// Registers the stream on this server. If another server had it before, the client is notified
    /// of all its subscribed resources, because it may have missed changes.
    pub(crate) async fn listen(&self, change: SessionChange) -> Result<(), ProtocolError> {
        let was_elsewhere = matches!(change, SessionChange::Listen(_, Some(_)));
        self.store(change).await?;
        if was_elsewhere {
            self.subscription.topics.mark_resources();
        }
        Ok(())
    }

    /// Ends the stream on the replica that writes it, because the client continues to read here.
    pub(crate) async fn take(&self, (writer, stream): (ReplicaId, u64)) {
        if let Some((session, replicas)) = self.elsewhere() {
            let session = session.to_owned();
            let question = ReplicaQuestion::Taken { session, stream };
            let answer = replicas.ask_once(writer, &question, alive::ANSWER);
            // The replica may be gone, and then its stream has ended too.
            if let Err(error) = answer.await {
                tracing::debug!(%error, "a stream may go on at its first server too");
            }
        }
    }

    /// The name of the session, and the other servers that serve it, if this one can ask them.
    pub(crate) fn elsewhere(&self) -> Option<(&str, &Arc<Replicas>)> {
        self.shared.as_ref()?.elsewhere()
    }

    /// Applies the changes by other servers. Returns whether the session is still alive.
    pub(crate) async fn catch_up(&self) -> Result<bool, EngineError> {
        let Some(shared) = &self.shared else {
            return Ok(true);
        };
        match shared.find().await? {
            FoundRecord::Nothing => return Ok(false),
            FoundRecord::Known => {}
            FoundRecord::Later(record, version) => self.take_over(shared, &record, version),
        }
        self.renew(shared).await;
        Ok(true)
    }

    /// Applies the record with which the session begins in this process.
    pub(in crate::sessions) async fn resume(&self, record: &SessionRecord, version: KnownVersion) {
        if let Some(shared) = &self.shared {
            self.take_over(shared, record, version);
            self.renew(shared).await;
        }
    }

    /// Extends the storage time of the record, if half of it has passed.
    async fn renew(&self, shared: &SharedSession) {
        if !shared.take_turn() {
            return;
        }
        match shared.update(None).await {
            Ok((record, version)) => self.take_over(shared, &record, version),
            Err(error) => {
                tracing::warn!(error = chain(&error), "a session was not stored for longer");
            }
        }
    }

    /// A task that keeps the record from expiring while the client only listens. It ends when
    /// another server takes over the stream. `None` without a record. It must be created within a
    /// runtime.
    pub(crate) fn keeping(self: &Arc<Self>) -> Option<JoinSet<()>> {
        self.shared.as_ref()?;
        Some(JoinSet::from_iter([Arc::clone(self).keep()]))
    }

    async fn keep(self: Arc<Self>) {
        let Some(shared) = &self.shared else {
            return;
        };
        tokio::select! {
            biased;
            () = shared.taken() => {}
            () = self.look(shared) => self.close(),
        }
    }

    /// Reads the record at intervals. Returns once the session has ended.
    async fn look(&self, shared: &SharedSession) {
        let (topics, mut gaps) = (&self.subscription.topics, shared.gaps());
        loop {
            let before = topics.resources();
            let has_missed = shared.due_to_look(gaps.as_mut()).await;
            loop {
                match self.catch_up().await {
                    Ok(true) => break,
                    Ok(false) => return,
                    Err(error) => {
                        tracing::warn!(error = chain(&error), "a session could not be looked up");
                    }
                }
                sleep(AGAIN).await;
            }
            // The client may have subscribed on another server before the missed changes.
            let new = topics.resources().into_iter();
            new.filter(|uri| has_missed && !before.contains(uri))
                .for_each(|uri| topics.mark(&Topic::Resource(uri)));
        }
    }

    /// Applies the contents of the record, as far as there is room.
    fn take_over(&self, shared: &SharedSession, record: &SessionRecord, version: KnownVersion) {
        if self.follow(shared, record, version).is_err() {
            tracing::debug!("no room for what a client is subscribed to elsewhere");
        }
    }

    /// Applies the contents of the record, unless a later version has been applied.
    fn follow(
        &self,
        shared: &SharedSession,
        record: &SessionRecord,
        version: KnownVersion,
    ) -> Result<(), QuotaExhausted> {
        let mut known = shared.known.lock();
        if known.version.is_some_and(|known| version <= known) {
            return Ok(());
        }
        shared.note_time(&mut known, record);
        shared
            .listens_at
            .send_replace(record.holder.as_deref().map(Into::into));
        *self.level.lock() = record.level;
        let topics = &self.subscription.topics;
        let subscribed = record.topics();
        topics.retain_resources(&subscribed);
        topics.add(subscribed)?;
        // Last, so that subscriptions for which there was no room are tried again at the next
        // request.
        known.version = Some(version);
        Ok(())
    }
}
