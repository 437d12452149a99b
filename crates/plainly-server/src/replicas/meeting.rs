//! Meeting the others: each that shows itself is asked for its facts, and again in each round. Only
//! answers count, because anybody who can send on the engine can repeat what others have said.

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

/// The pause until the engine is looked at again.
const LOOK: Duration = Duration::from_millis(250);
/// The time in which all others answer.
const ROUND: Duration = Duration::from_secs(3);
/// The pause between two rounds of a replica that can't be one of the others, and between two
/// questions to one that does not ask for it.
const PAUSE: Duration = Duration::from_secs(5);
/// The most replicas that are asked at a time.
const AT_ONCE: usize = 16;
/// The most that wait for that.
const WAITING: usize = 1_024;

/// The others, as far as they were met.
#[derive(Debug)]
pub(super) struct Meeting {
    began: Instant,
    known: Lock<Known>,
    signs: mpsc::Sender<Sign>,
    shown: Lock<Option<mpsc::Receiver<Sign>>>,
    again: Notify,
    /// The rounds that are over, and what the last one has shown.
    rounds: watch::Sender<(u64, Option<Mismatch>)>,
}

/// A sign that another replica is there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    /// It wants to be asked.
    Asks(ReplicaId),
    /// A message of it could be read.
    Read(ReplicaId),
    /// A message of it could not be read.
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
    /// Notes a sign. Too many of them are forgotten.
    pub(super) fn shows(&self, sign: Sign) {
        let _ = self.meeting.signs.try_send(sign);
    }

    /// Asks all others anew: they may be others.
    pub(super) fn meet_again(&self) {
        self.meeting.again.notify_one();
    }

    /// The time since the start.
    pub(crate) fn age(&self) -> Duration {
        self.meeting.began.elapsed()
    }

    /// The reason why this replica can't be one of the others, as of the last round.
    pub(crate) fn mismatch(&self) -> Option<Mismatch> {
        self.meeting.rounds.borrow().1
    }

    /// The others, once the first round is over.
    pub(crate) async fn others(&self) -> Vec<(ReplicaId, Option<Here>, i64)> {
        let mut rounds = self.meeting.rounds.subscribe();
        // It lives as long as this.
        drop(rounds.wait_for(|(rounds, _)| *rounds > 0).await);
        let known = self.meeting.known.lock();
        // Another round may have begun.
        let others = known
            .all()
            .map(|(id, met)| (id, met.here.clone(), met.ahead));
        others.collect()
    }

    /// Begins a round whenever the engine is reached, and when something may be wrong. Never ends.
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

    /// Asks those that show themselves, and calls `differs` for each that serves other `lists`. Never
    /// ends.
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

    /// Asks a replica for its facts.
    async fn meet(&self, sign: Sign) -> (ReplicaId, Option<Met>) {
        let (Sign::Asks(id) | Sign::Read(id) | Sign::Unreadable(id)) = sign;
        let (asked, began) = (SystemTime::now(), Instant::now());
        let answer = self
            .answer_of(id, &ReplicaQuestion::Meet, alive::ANSWER)
            .await;
        let met = match answer {
            Ok((answer, sent)) => {
                let middle = asked + began.elapsed() / 2;
                // One of an older version has no facts, but the keys.
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

    /// Notes an answer, and returns whether it is news that the replica serves other lists.
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
