//! The replicas that something here depends on, and whether they are still there: asked now and
//! then, and taken to be gone only after a while, because a replica that is cut off may come back.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use plainly_cluster::{ReplicaId, Unanswered};
use plainly_transport::lock::Lock;
use tokio::time::Instant;

/// The pause between two questions to one replica.
pub(crate) const PAUSE: Duration = Duration::from_secs(5);

/// The time that a replica has for its answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(2);

/// The time between two signs that there is no such replica, after which it is gone.
const GONE: Duration = Duration::from_secs(10);

/// The time without an answer after which a replica is gone.
const SILENT: Duration = Duration::from_secs(30);

/// Asks replicas whether they are there.
pub(crate) trait Asks: Send + Sync + fmt::Debug {
    /// Asks a replica, which may answer what it likes.
    fn is_there(&self, replica: ReplicaId) -> BoxFuture<'_, Result<(), Unanswered>>;
}

/// The replicas that were asked, and their signs.
#[derive(Debug, Default)]
pub(crate) struct Alive(Lock<HashMap<ReplicaId, Signs>>);

/// The signs that one replica is gone, since it last answered.
#[derive(Clone, Copy, Debug, Default)]
struct Signs {
    /// The first time that there was no such replica.
    gone: Option<Instant>,
    /// The first question that was not answered.
    silent: Option<Instant>,
    is_gone: bool,
}

impl Alive {
    /// Asks these replicas, forgets all others, and returns those that are gone.
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
    /// Notes the answer to a question that was asked at `began`, as of `now`.
    fn note(&mut self, answer: Result<(), Unanswered>, began: Instant, now: Instant) {
        let (first, least) = match answer {
            Ok(()) => return *self = Self::default(),
            // This replica is cut off: nothing is known of others.
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

    /// The time at which a replica is gone that gives these answers, one every five seconds.
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
