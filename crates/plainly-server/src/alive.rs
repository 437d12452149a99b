//! Checks whether replicas that this server depends on are alive. Each is polled at intervals and
//! counts as gone only after some time, because a replica that is cut off may come back.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use plainly_cluster::{ReplicaId, Unanswered};
use plainly_transport::lock::Lock;
use tokio::time::Instant;

/// The pause between two polls of one replica.
pub(crate) const PAUSE: Duration = Duration::from_secs(5);

/// The time limit for a replica's answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(2);

/// The time for which signs that a replica does not exist must persist before it counts as gone.
const GONE: Duration = Duration::from_secs(10);

/// The time without an answer after which a replica counts as gone.
const SILENT: Duration = Duration::from_secs(30);

/// Polls replicas.
pub(crate) trait Asks: Send + Sync + fmt::Debug {
    /// Polls a replica. Any answer shows that it is alive.
    fn is_there(&self, replica: ReplicaId) -> BoxFuture<'_, Result<(), Unanswered>>;
}

/// The replicas that were polled, and the signs that they are gone.
#[derive(Debug, Default)]
pub(crate) struct Alive(Lock<HashMap<ReplicaId, Signs>>);

/// The signs that one replica is gone, since its last answer.
#[derive(Clone, Copy, Debug, Default)]
struct Signs {
    /// The first time at which the replica did not exist.
    gone: Option<Instant>,
    /// The time of the first poll without an answer.
    silent: Option<Instant>,
    is_gone: bool,
}

impl Alive {
    /// Polls these replicas, forgets all others, and returns those that are gone.
    pub(crate) async fn gone_among(
        &self,
        replicas: HashSet<ReplicaId>,
        asks: &dyn Asks,
    ) -> HashSet<ReplicaId> {
        let began = Instant::now();
        let asked = replicas.into_iter().map(|replica| async move {
            let answer = asks.is_there(replica).await;
            (replica, answer, Instant::now())
        });
        let answers = join_all(asked).await;
        let mut signs = self.0.lock();
        let mut before = std::mem::take(&mut *signs);
        for (replica, answer, now) in answers {
            let mut known = before.remove(&replica).unwrap_or_default();
            known.note(answer, began, now);
            signs.insert(replica, known);
        }
        let gone = signs.iter().filter(|(_, signs)| signs.is_gone);
        gone.map(|(replica, _)| *replica).collect()
    }
}

impl Signs {
    /// Records the answer to a poll that began at `began`. The current time is `now`.
    fn note(&mut self, answer: Result<(), Unanswered>, began: Instant, now: Instant) {
        let (first, least) = match answer {
            Ok(()) => return *self = Self::default(),
            // This replica itself is cut off, so nothing is known about others.
            Err(Unanswered::Unsent) => return,
            Err(Unanswered::Gone) => (self.gone.get_or_insert(now), GONE),
            Err(Unanswered::Silent) => (self.silent.get_or_insert(began), SILENT),
        };
        self.is_gone |= now.duration_since(*first) >= least;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time after which a replica with these answers, one every five seconds, counts as gone.
    fn gone_after(answers: impl IntoIterator<Item = Result<(), Unanswered>>) -> Option<usize> {
        let start = Instant::now();
        let mut signs = Signs::default();
        let asked = answers.into_iter().enumerate();
        let mut asked = asked.map(|(index, answer)| (5 * index, answer));
        let gone = asked.find(|(seconds, answer)| {
            let began = start + Duration::from_secs(*seconds as u64);
            let is_late = *answer == Err(Unanswered::Silent);
            signs.note(*answer, began, began + ANSWER * u32::from(is_late));
            signs.is_gone
        });
        gone.map(|(seconds, _)| seconds)
    }

    #[test]
    fn a_replica_is_gone_after_a_while_without_an_answer() {
        let (gone, silent) = (Err(Unanswered::Gone), Err(Unanswered::Silent));
        let unsent = Err(Unanswered::Unsent);
        let cases = [
            (vec![gone; 9], Some(10)),
            (vec![gone, gone, Ok(()), gone, gone, gone], Some(25)),
            (vec![gone, silent, gone], Some(10)),
            (vec![silent; 9], Some(30)),
            (
                vec![
                    silent,
                    silent,
                    silent,
                    Ok(()),
                    silent,
                    silent,
                    silent,
                    silent,
                ],
                None,
            ),
            (vec![gone, unsent, unsent, unsent], None),
            (vec![unsent; 20], None),
            (vec![gone, unsent, gone], Some(10)),
        ];
        for (answers, expected) in cases {
            assert_eq!(gone_after(answers.clone()), expected, "{answers:?}");
        }
    }
}
