//! The side of a session that servers share: each takes over from its record what others have
//! changed, and stores what its client changes here.

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

/// The pause before a record is looked at again that could not be read.
const AGAIN: Duration = Duration::from_secs(5);

impl Session {
    /// Makes a change. If other servers answer the session too, it is made once the returned future
    /// has stored it.
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

    /// Makes a change here.
    fn apply(&self, change: SessionChange) -> Result<(), ProtocolError> {
        let topics = &self.subscription.topics;
        match change {
            SessionChange::Level(level) => *self.level.lock() = level,
            SessionChange::Subscribe { uri, is_recursive } => {
                // Counted together with earlier ones: a client subscribes to one URI at a time, and
                // could go on without end.
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
            // It ends as it leaves the table of sessions, and knows its stream.
            SessionChange::End | SessionChange::Listen(..) => {}
        }
        Ok(())
    }

    /// Makes a change in its record, and then here; one of its subscriptions also where its stream
    /// is.
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
            // A server that can't be asked looks at the record itself, now and then.
            if let Err(error) = replicas.ask(holder, &question).await {
                tracing::debug!(%error, "a subscription was stored for a stream elsewhere");
            }
        }
        Ok(())
    }

    /// The change that lets it listen here, if its stream must be noted. It is an error if it
    /// listens at another server.
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
                // Perhaps it has the stream.
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

    /// Notes that it listens here. If it listened elsewhere before, its client hears of all
    /// resources that it is subscribed to: it may have missed changes.
    pub(crate) async fn listen(&self, change: SessionChange) -> Result<(), ProtocolError> {
        let was_elsewhere = matches!(change, SessionChange::Listen(_, Some(_)));
        self.store(change).await?;
        if was_elsewhere {
            self.subscription.topics.mark_resources();
        }
        Ok(())
    }

    /// Lets the replica that writes this stream end its side of it, because the client reads on here.
    pub(crate) async fn take(&self, (writer, stream): (ReplicaId, u64)) {
        if let Some((session, replicas)) = self.elsewhere() {
            let session = session.to_owned();
            let question = ReplicaQuestion::Taken { session, stream };
            let answer = replicas.ask_once(writer, &question, alive::ANSWER);
            // It may be gone: then it has no side either.
            if let Err(error) = answer.await {
                tracing::debug!(%error, "a stream may go on at its first server too");
            }
        }
    }

    /// The name of the session, and the other servers that answer it, if this one can ask them.
    pub(crate) fn elsewhere(&self) -> Option<(&str, &Arc<Replicas>)> {
        self.shared.as_ref()?.elsewhere()
    }

    /// Takes over what other servers have changed. Returns whether the session goes on.
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

    /// Takes over its record, with which it begins here.
    pub(in crate::sessions) async fn resume(&self, record: &SessionRecord, version: KnownVersion) {
        if let Some(shared) = &self.shared {
            self.take_over(shared, record, version);
            self.renew(shared).await;
        }
    }

    /// Stores it for longer, if half of the time of its record is over.
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

    /// A task that keeps its record from expiring while its client only listens, and ends with its
    /// stream, which another server may take over; none if it has no record. Must be called within a
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

    /// Looks at its record now and then. Returns once the session has ended.
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
            // The client may have subscribed elsewhere before the changes that were missed.
            let new = topics.resources().into_iter();
            new.filter(|uri| has_missed && !before.contains(uri))
                .for_each(|uri| topics.mark(&Topic::Resource(uri)));
        }
    }

    /// Takes over the contents of its record, as far as there is room.
    fn take_over(&self, shared: &SharedSession, record: &SessionRecord, version: KnownVersion) {
        if self.follow(shared, record, version).is_err() {
            tracing::debug!("no room for what a client is subscribed to elsewhere");
        }
    }

    /// Takes over the contents of its record, unless it has taken over a later version.
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
        // Last: what there was no room for is tried again at the next request.
        known.version = Some(version);
        Ok(())
    }
}
