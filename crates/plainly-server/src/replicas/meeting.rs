//! Contacts the other replicas: each one that sends a sign of life is asked for its data, and again
//! in each round. Only answers count, because any program that can send on the engine can repeat
//! messages of others.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use plainly_cluster::{ReplicaId, Unanswered};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{Instant, sleep};

use super::Replicas;
use super::here::Here;
use super::known::{Known, Met, Mismatch};
use super::message::{ReplicaEvent, ReplicaQuestion, decode};
use crate::alive;
use plainly_transport::lock::Lock;

/// The interval between checks of the engine.
const LOOK: Duration = Duration::from_millis(250);
/// The time in which all other replicas answer.
const ROUND: Duration = Duration::from_secs(3);
/// The pause between two rounds of a replica that does not match the others, and between two
/// questions to a replica that does not request one.
const PAUSE: Duration = Duration::from_secs(5);
/// The maximum number of replicas that are asked at the same time.
const AT_ONCE: usize = 16;
/// The maximum number of signs that wait to be handled.
const WAITING: usize = 1_024;

/// The state of contacting the other replicas.
#[derive(Debug)]
pub(super) struct Meeting {
    began: Instant,
    known: Lock<Known>,
    signs: mpsc::Sender<Sign>,
    shown: Lock<Option<mpsc::Receiver<Sign>>>,
    again: Notify,
    /// The number of completed rounds, and the result of the last one.
    rounds: watch::Sender<(u64, Option<Mismatch>)>,
}

/// A sign of life of another replica.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    /// The replica requests to be asked.
    Asks(ReplicaId),
    /// A message of the replica could be read.
    Read(ReplicaId),
    /// A message of the replica could not be read.
    Unreadable(ReplicaId),
}

impl Default for Meeting {
    fn default() -> Self {
        let (signs, shown) = mpsc::channel(WAITING);
        Self {
            began: Instant::now(),
            known: Lock::default(),
            signs,
            shown: Lock::new(Some(shown)),
            again: Notify::new(),
            rounds: watch::Sender::default(),
        }
    }
}

impl Replicas {
    /// Records a sign. If too many are waiting, it is dropped.
    pub(super) fn shows(&self, sign: Sign) {
        let _ = self.meeting.signs.try_send(sign);
    }

    /// Begins a new round, because the other replicas may have changed.
    pub(super) fn meet_again(&self) {
        self.meeting.again.notify_one();
    }

    /// The time since this replica started.
    pub(crate) fn age(&self) -> Duration {
        self.meeting.began.elapsed()
    }

    /// The reason why this replica does not match the others, as of the last round.
    pub(crate) fn mismatch(&self) -> Option<Mismatch> {
        self.meeting.rounds.borrow().1
    }

    /// The other replicas, once the first round is complete.
    pub(crate) async fn others(&self) -> Vec<(ReplicaId, Option<Here>, i64)> {
        let mut rounds = self.meeting.rounds.subscribe();
        // The sender lives as long as `self`.
        drop(rounds.wait_for(|(rounds, _)| *rounds > 0).await);
        let known = self.meeting.known.lock();
        // Another round may have begun.
        let others = known
            .all()
            .map(|(id, met)| (id, met.here.clone(), met.ahead));
        others.collect()
    }

    /// Begins a round whenever the engine becomes reachable, and when something may be wrong. Never
    /// ends.
    pub(crate) async fn meet_in_rounds(self: Arc<Self>) {
        loop {
            while !self.engine.is_connected() {
                sleep(LOOK).await;
            }
            self.meeting.known.lock().begin();
            self.tell(&ReplicaEvent::Who);
            sleep(ROUND).await;
            match self.judge() {
                Some(_) => sleep(PAUSE).await,
                None => self.meeting.again.notified().await,
            }
        }
    }

    fn judge(&self) -> Option<Mismatch> {
        let before = self.mismatch();
        let now = self.meeting.known.lock().mismatch(self.age(), before);
        match (before, now) {
            (None, Some(mismatch)) => tracing::warn!("not ready: {mismatch}"),
            (Some(_), None) => tracing::info!("ready again: the other replicas fit"),
            (Some(_), Some(_)) | (None, None) => {}
        }
        self.meeting.rounds.send_modify(|(rounds, mismatch)| {
            *rounds += 1;
            *mismatch = now;
        });
        now
    }

    /// Asks replicas that send a sign, and calls `differs` for each one that serves other `lists`.
    /// Never ends.
    pub(crate) async fn meet_those_that_show(
        self: Arc<Self>,
        lists: Option<String>,
        differs: impl Fn() + Send,
    ) {
        let Some(mut shown) = self.meeting.shown.lock().take() else {
            return;
        };
        let mut asked = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(sign) = shown.recv(), if asked.len() < AT_ONCE => {
                    if self.is_wanted(sign) {
                        asked.push(self.meet(sign));
                    }
                }
                Some((id, met)) = asked.next() => {
                    if self.note(id, met, lists.as_deref()) {
                        differs();
                    }
                }
            }
        }
    }

    fn is_wanted(&self, sign: Sign) -> bool {
        match sign {
            Sign::Asks(id) => id != self.id(),
            Sign::Read(id) | Sign::Unreadable(id) => {
                id != self.id() && self.meeting.known.lock().wants(id, PAUSE)
            }
        }
    }

    /// Asks a replica for its data.
    async fn meet(&self, sign: Sign) -> (ReplicaId, Option<Met>) {
        let (Sign::Asks(id) | Sign::Read(id) | Sign::Unreadable(id)) = sign;
        let (asked, began) = (SystemTime::now(), Instant::now());
        let answer = self
            .answer_of(id, &ReplicaQuestion::Meet, alive::ANSWER)
            .await;
        let met = match answer {
            Ok((answer, sent)) => {
                let middle = asked + began.elapsed() / 2;
                // A replica of an older version has no data, but it has the keys.
                let here = Some(decode(&answer).unwrap_or_default());
                let ahead = milliseconds(middle, sent);
                Some(Met { here, ahead })
            }
            Err(Unanswered::Silent) if matches!(sign, Sign::Unreadable(_)) => {
                let (here, ahead) = (None, 0);
                Some(Met { here, ahead })
            }
            Err(Unanswered::Silent | Unanswered::Gone | Unanswered::Unsent) => None,
        };
        (id, met)
    }

    /// Records an answer, and returns whether it newly shows that the replica serves other lists.
    fn note(&self, id: ReplicaId, met: Option<Met>, lists: Option<&str>) -> bool {
        let Some(met) = met else {
            return false;
        };
        let trouble = met.trouble();
        let mut known = self.meeting.known.lock();
        let was_known = known.troubles(id);
        let differs = known.note(id, met, lists);
        drop(known);
        if let Some(trouble) = trouble.filter(|_| !was_known) {
            tracing::warn!(replica = %id, "another replica {trouble}");
            self.meet_again();
        }
        differs
    }
}

/// The milliseconds from one time to another.
fn milliseconds(from: SystemTime, to: SystemTime) -> i64 {
    let within = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    match to.duration_since(from) {
        Ok(ahead) => within(ahead),
        Err(behind) => -within(behind.duration()),
    }
}
