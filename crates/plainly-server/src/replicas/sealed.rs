//! Messages between replicas in sealed envelopes: a byte of version, the id of the sender, and a
//! seal that is good for a minute, for one purpose and one receiver.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use plainly_cluster::ReplicaId;
use plainly_transport::seal::{Keys, Purpose, Sealer};

/// The version of messages, with which a message begins.
const VERSION: u8 = 1;
/// The time that a message is good.
const FRESH: Duration = Duration::from_secs(60);
/// The time that the clock of a sender may be ahead.
const AHEAD: Duration = Duration::from_secs(30);
/// Digits of the id of a replica.
const ID: usize = 16;

/// Seals the messages of one replica, and opens those of others.
#[derive(Debug)]
pub(super) struct Envelopes {
    sealer: Sealer,
    server: String,
    id: ReplicaId,
    /// The id as text.
    own: String,
}

impl Envelopes {
    pub(super) fn new(id: ReplicaId, server: &str, keys: Keys) -> Self {
        Self {
            sealer: Sealer::new(Some(keys)),
            server: server.to_owned(),
            id,
            own: id.to_string(),
        }
    }

    pub(super) fn seal_event(&self, event: &[u8]) -> Result<Bytes, getrandom::Error> {
        self.seal(&["tell", &self.server, &self.own], event)
    }

    /// An event, and its sender.
    pub(super) fn open_event(&self, event: &[u8]) -> Option<(ReplicaId, Vec<u8>)> {
        let (sender, name) = sender(event)?;
        if sender == self.id {
            return None;
        }
        let event = self.open(&["tell", &self.server, name], event)?;
        Some((sender, event))
    }

    pub(super) fn seal_question(
        &self,
        whom: ReplicaId,
        question: &[u8],
    ) -> Result<Bytes, getrandom::Error> {
        let whom = whom.to_string();
        self.seal(&["ask", &self.server, &self.own, &whom], question)
    }

    /// A question, and its asker.
    pub(super) fn open_question(&self, question: &[u8]) -> Option<(ReplicaId, Vec<u8>)> {
        let (sender, name) = sender(question)?;
        let question = self.open(&["ask", &self.server, name, &self.own], question)?;
        Some((sender, question))
    }

    /// Seals the answer to the question with this number.
    pub(super) fn seal_answer(
        &self,
        asker: ReplicaId,
        number: u64,
        answer: &[u8],
    ) -> Result<Bytes, getrandom::Error> {
        let (asker, number) = (asker.to_string(), number.to_string());
        let purpose = ["answer", &self.server, &self.own, &asker, &number];
        self.seal(&purpose, answer)
    }

    /// The answer of this replica to the question with this number.
    pub(super) fn open_answer(
        &self,
        whom: ReplicaId,
        number: u64,
        answer: &[u8],
    ) -> Option<Vec<u8>> {
        let (_sender, name) = sender(answer).filter(|(sender, _)| *sender == whom)?;
        let number = number.to_string();
        self.open(&["answer", &self.server, name, &self.own, &number], answer)
    }

    /// The id of this replica, and the proof of it.
    pub(super) fn proven_id(&self) -> (ReplicaId, u64) {
        let proof = self
            .sealer
            .proof(&["replica", &self.server, &self.own], SystemTime::now());
        (self.id, proof.expect("the keys were given"))
    }

    /// Whether this proves that some replica has this id.
    pub(super) fn proves(&self, id: ReplicaId, proof: u64) -> bool {
        let id = id.to_string();
        let purpose = ["replica", &self.server, &id];
        self.sealer.proves(&purpose, proof, SystemTime::now())
    }

    fn seal(&self, purpose: Purpose<'_>, content: &[u8]) -> Result<Bytes, getrandom::Error> {
        let now = SystemTime::now();
        let sealed = self.sealer.seal_bytes(purpose, content, now, FRESH)?;
        Ok([&[VERSION], self.own.as_bytes(), &sealed].concat().into())
    }

    fn open(&self, purpose: Purpose<'_>, message: &[u8]) -> Option<Vec<u8>> {
        let sealed = message.get(1 + ID..)?;
        let (now, most) = (SystemTime::now(), FRESH.saturating_add(AHEAD));
        let opened = self.sealer.open_fresh(purpose, sealed, now, most);
        if opened.is_err() {
            tracing::debug!(
                "ignored a message of a replica with other keys, too old or from a later time"
            );
        }
        opened.ok()
    }
}

/// The id of the sender that a message names, and the same as text.
fn sender(message: &[u8]) -> Option<(ReplicaId, &str)> {
    let (version, rest) = message.split_first()?;
    let name = str::from_utf8(rest.get(..ID)?).ok()?;
    let sender = name.parse().ok()?;
    (*version == VERSION).then_some((sender, name))
}
