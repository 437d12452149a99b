//! A server among its replicas: the data that other replicas ask for, and whether the server
//! matches them.

use std::time::Duration;

use plainly_cluster::{EngineError, EngineReport, ReplicaId};
use plainly_protocol::method::Capability;
use plainly_transport::health::Health;

use crate::Server;
use crate::changes::Topic;
use crate::replicas::{Here, ReplicaCount, Replicas};

/// Another replica of a server, as reported by [`Server::replicas`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReplicaStatus {
    /// The id of the replica, which is new at each start.
    pub id: ReplicaId,
    /// Whether the replica has other keys. In that case the other fields are unknown.
    pub has_other_keys: bool,
    /// The number of milliseconds by which the replica's clock is ahead of this one's.
    pub clock_ahead: i64,
    /// The version of the replica.
    pub version: String,
    /// The time since the replica's start.
    pub up: Duration,
    /// The fingerprints of the keys. The fingerprint of the sealing key comes first.
    pub keys: Vec<String>,
    /// The digest of the replica's listings; `None` if it serves nothing.
    pub lists: Option<String>,
    /// The number of sessions of older revisions that the replica knows.
    pub sessions: usize,
    /// The number of streams on which clients listen to the replica.
    pub listeners: usize,
    /// The number of tasks that the replica runs.
    pub tasks: usize,
    /// The number of times that events of others were missing.
    pub holes: u64,
}

impl ReplicaStatus {
    fn new(id: ReplicaId, here: Option<Here>, clock_ahead: i64) -> Self {
        let has_other_keys = here.is_none();
        let here = here.unwrap_or_default();
        Self {
            id,
            has_other_keys,
            clock_ahead,
            version: here.version,
            up: Duration::from_secs(here.up),
            keys: here.keys,
            lists: here.lists,
            sessions: here.sessions,
            listeners: here.listeners,
            tasks: here.tasks,
            holes: here.holes,
        }
    }
}

impl Server {
    /// Whether load balancers may send clients to this server. As one of
    /// [several replicas](crate::ServerBuilder::cluster), a server is not ready if the others have
    /// other keys, or if its clock differs from most others by more than 30 seconds, which is also
    /// logged. Without the engine it is degraded: it still serves requests of 2026-07-28.
    pub fn health(&self) -> Health {
        match &self.0.replicas {
            Some(replicas) if replicas.mismatch().is_some() => Health::NotReady,
            Some(replicas) if !replicas.is_connected() => Health::Degraded,
            Some(_) | None => Health::Ready,
        }
    }

    /// The other replicas of this server, after they had time to answer: 3 seconds after the engine
    /// was first reached.
    pub async fn replicas(&self) -> Vec<ReplicaStatus> {
        let Some(replicas) = &self.0.replicas else {
            return Vec::new();
        };
        let others = replicas.others().await.into_iter();
        others
            .map(|(id, here, ahead)| ReplicaStatus::new(id, here, ahead))
            .collect()
    }

    /// The counts of this server's messages, questions, records and journals as one of several
    /// replicas; empty if it is the only one.
    pub fn replica_counts(&self) -> Vec<ReplicaCount> {
        let replicas = self.0.replicas.as_ref();
        replicas.map_or_else(Vec::new, |replicas| replicas.counts())
    }

    /// Whether the engine that the replicas share can be reached; `None` without replicas.
    pub fn is_engine_connected(&self) -> Option<bool> {
        let replicas = self.0.replicas.as_ref()?;
        Some(replicas.is_connected())
    }

    /// The report of the shared engine about itself; empty without replicas.
    pub async fn engine_report(&self) -> Result<EngineReport, EngineError> {
        match &self.0.replicas {
            Some(replicas) => replicas.report().await,
            None => Ok(EngineReport::default()),
        }
    }

    /// The data that other replicas ask for.
    pub(crate) fn here(&self, replicas: &Replicas) -> Here {
        let inner = &self.0;
        Here {
            version: inner.discovery.version().to_owned(),
            up: replicas.age().as_secs(),
            keys: replicas.fingerprints(),
            lists: self.lists().map(str::to_owned),
            sessions: inner.sessions.count(),
            listeners: inner.subscriptions.listeners().places.taken(),
            tasks: inner.tasks.running(),
            holes: replicas.holes(),
        }
    }

    /// The digest of the listings; `None` if nothing is served.
    pub(crate) fn lists(&self) -> Option<&str> {
        let kinds = [
            Capability::Tools,
            Capability::Resources,
            Capability::Prompts,
            Capability::Skills,
        ];
        let serves = kinds.into_iter().any(|kind| self.0.features.serves(kind));
        let serves = serves || self.0.sources.has_others();
        let replicas = self.0.replicas.as_ref().filter(|_| serves)?;
        Some(replicas.lists())
    }

    /// Reports that the lists may have changed, because another replica, which serves the same
    /// clients, has other listings.
    pub(crate) fn lists_may_differ(&self) {
        let changes = self.0.subscriptions.changes();
        for topic in [Topic::Tools, Topic::Prompts, Topic::Resources] {
            changes.receive(&topic);
        }
    }
}

#[cfg(test)]
mod tests {
    use plainly_cluster::{InProcess, Replica};
    use plainly_transport::seal::Keys;
    use tokio::time::sleep;

    use super::*;
    use crate::Prompt;

    const ROUND: Duration = Duration::from_secs(4);

    /// A replica with this key and a prompt with this name.
    fn server(replica: Replica, key: u8, prompt: &str) -> Server {
        let builder = Server::builder("notes", "1.2.3").keys(Keys::new([key; 32]));
        let builder = builder.prompt(Prompt::new(prompt, async || "Hello!"));
        builder.cluster(replica).build().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn replicas_meet_and_one_that_serves_nothing_asks_for_all() {
        let engine = InProcess::new();
        let one = server(engine.replica(), 1, "a");
        let other = server(engine.replica(), 1, "b");
        let operator = Server::builder("notes", "0").keys(Keys::new([1; 32]));
        let operator = operator.cluster(engine.replica()).build().unwrap();
        let mut found = operator.replicas().await;
        found.sort_by_key(|it| it.lists.clone());
        let [first, second] = &*found else {
            panic!("{found:?}");
        };
        assert!(first.lists.is_some() && first.lists != second.lists);
        assert_eq!(first.keys, second.keys);
        assert_eq!(first.version, "1.2.3");
        assert!(!first.has_other_keys && first.clock_ahead.abs() < 1_000);
        // The replica sees those that serve, and the one that only asks.
        assert_eq!(one.replicas().await.len(), 2);
        assert_eq!([one.health(), other.health()], [Health::Ready; 2]);
        let asks = one.replica_counts().into_iter();
        let answered: u64 = asks
            .filter(|it| (it.kind, it.outcome) == ("asks", "answered"))
            .map(|it| it.count)
            .sum();
        assert!(answered >= 2, "{answered}");
    }

    #[tokio::test(start_paused = true)]
    async fn foreign_keys() {
        let engine = InProcess::new();
        let old = server(engine.replica(), 1, "a");
        sleep(Duration::from_secs(61)).await;
        let foreign = server(engine.replica(), 2, "a");
        sleep(ROUND).await;
        assert_eq!(foreign.health(), Health::NotReady);
        assert_eq!(old.health(), Health::Ready);
        // A replica that only asks sees both, although it asks them again at once.
        let operator = Server::builder("notes", "0").keys(Keys::new([1; 32]));
        let operator = operator.cluster(engine.replica()).build().unwrap();
        assert_eq!(operator.replicas().await.len(), 2);
        drop(operator);
        assert!(foreign.replicas().await[0].has_other_keys);
        // The replica is ready once no other is left.
        drop(old);
        sleep(4 * ROUND).await;
        assert_eq!(foreign.health(), Health::Ready);
        let fitting = server(engine.replica(), 2, "a");
        sleep(ROUND).await;
        assert_eq!([foreign.health(), fitting.health()], [Health::Ready; 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_the_engine_a_server_is_degraded() {
        let replica = InProcess::new().replica();
        replica.fail(|faults| faults.is_cut = true);
        let alone = server(replica.clone(), 1, "a");
        assert_eq!(alone.health(), Health::Degraded);
        replica.fail(|faults| faults.is_cut = false);
        assert_eq!(alone.health(), Health::Ready);
        assert_eq!(alone.replicas().await.len(), 0);
    }
}
