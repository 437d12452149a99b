//! The names of servers in the ids that clients see: the ids of questions, events and pipes.

use std::fmt;
use std::sync::Arc;

use plainly_cluster::ReplicaId;

use super::Replicas;

/// The number of digits in the name of a replica: its id, and a proof that a replica has that id.
pub(crate) const DIGITS: usize = 32;

/// The name of a server among those that serve the same sessions.
#[derive(Clone, Debug)]
pub(crate) enum ServerName {
    Random(Arc<str>),
    /// A replica's name with a proof by the keys, so that no client can make this server search for
    /// a replica that never existed. The name is generated each time, because keys may change.
    Replica(Arc<Replicas>),
}

impl ServerName {
    /// Whether this is the name of this server.
    pub(crate) fn is(&self, name: &str) -> bool {
        match self {
            Self::Random(own) => **own == *name,
            Self::Replica(own) => own.named(name) == Some(own.id()),
        }
    }

    /// The other replica with this name.
    pub(crate) fn other(&self, name: &str) -> Option<ReplicaId> {
        match self {
            Self::Random(_) => None,
            Self::Replica(own) => own.named(name).filter(|other| *other != own.id()),
        }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random(name) => f.write_str(name),
            Self::Replica(own) => {
                let (id, proof) = own.envelopes.proven_id();
                write!(f, "{id}{proof:016x}")
            }
        }
    }
}

impl Replicas {
    /// The replica with this name, which may no longer be running.
    pub(crate) fn named(&self, name: &str) -> Option<ReplicaId> {
        let (id, proof) = name.split_at_checked(DIGITS / 2)?;
        let proof = (proof.len() == DIGITS / 2).then_some(proof)?;
        let (id, proof) = (id.parse().ok()?, u64::from_str_radix(proof, 16).ok()?);
        self.envelopes.proves(id, proof).then_some(id)
    }
}
