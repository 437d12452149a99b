//! Messages between replicas in sealed envelopes: a version byte, the id of the sender, and a seal
//! for one purpose and one receiver, which contains the sending time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use plainly_cluster::ReplicaId;
use plainly_transport::seal::{Keys, Purpose, Sealer};

/// The version of messages, which is the first byte.
const VERSION: u8 = 1;
/// The time for which a message is valid.
const FRESH: Duration = Duration::from_secs(60);
/// The maximum time by which the clock of a sender may be ahead.
const AHEAD: Duration = Duration::from_secs(30);
/// The length of the sending time in bytes: milliseconds since 1970.
const SENT: usize = 8;
/// The number of digits in the id of a replica.
const ID: usize = 16;

/// Seals the messages of one replica, and opens those of others.
#[derive(Debug)]
pub(super) struct Envelopes {
    sealer: Sealer,
    server: String,
    id: ReplicaId,
    /// The id of this replica as text.
    own: String,
}

/// The content of an envelope.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) sender: ReplicaId,
    /// The sending time, by the clock of the sender.
    pub(super) sent: SystemTime,
    pub(super) content: Vec<u8>,
}

impl Opened {
    /// Whether the message is recent: neither sent long ago, nor by a clock that is far ahead.
    pub(super) fn is_fresh(&self) -> bool {
        let now = SystemTime::now();
        match now.duration_since(self.sent) {
            Ok(since) => since < FRESH,
            Err(ahead) => ahead.duration() < AHEAD,
        }
    }
}

/// A message that can't be opened, and the sender that it names. The sender has other keys, or the
/// message was changed.
#[derive(Debug)]
pub(super) struct Unreadable(pub(super) Option<ReplicaId>);

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

    /// The fingerprints of the keys. The fingerprint of the sealing key comes first.
    pub(super) fn fingerprints(&self) -> Vec<String> {
        self.sealer.fingerprints(SystemTime::now())
    }

    /// An event of another replica; `None` if it was sent by this one.
    pub(super) fn open_event(&self, event: &[u8]) -> Option<Result<Opened, Unreadable>> {
        let (sender, name) = match sender(event) {
            Some((sender, _)) if sender == self.id => return None,
            Some(sender) => sender,
            None => return Some(Err(Unreadable(None))),
        };
        Some(self.open(sender, &["tell", &self.server, name], event))
    }

    pub(super) fn seal_question(
        &self,
        whom: ReplicaId,
        question: &[u8],
    ) -> Result<Bytes, getrandom::Error> {
        let whom = whom.to_string();
        self.seal(&["ask", &self.server, &self.own, &whom], question)
    }

    pub(super) fn open_question(&self, question: &[u8]) -> Result<Opened, Unreadable> {
        let (sender, name) = sender(question).ok_or(Unreadable(None))?;
        let purpose = ["ask", &self.server, name, &self.own];
        self.open(sender, &purpose, question)
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

    /// The answer of the replica `whom` to the question with this number. Its sending time does not
    /// matter, because each question is asked only once.
    pub(super) fn open_answer(
        &self,
        whom: ReplicaId,
        number: u64,
        answer: &[u8],
    ) -> Result<Opened, Unreadable> {
        let named = sender(answer).filter(|(sender, _)| *sender == whom);
        let (sender, name) = named.ok_or(Unreadable(None))?;
        let number = number.to_string();
        let purpose = ["answer", &self.server, name, &self.own, &number];
        self.open(sender, &purpose, answer)
    }

    /// The id of this replica, with a proof of it.
    pub(super) fn proven_id(&self) -> (ReplicaId, u64) {
        let proof = self
            .sealer
            .proof(&["replica", &self.server, &self.own], SystemTime::now());
        (self.id, proof.expect("the keys were given"))
    }

    /// Whether `proof` proves that a replica has this id.
    pub(super) fn proves(&self, id: ReplicaId, proof: u64) -> bool {
        let id = id.to_string();
        let purpose = ["replica", &self.server, &id];
        self.sealer.proves(&purpose, proof, SystemTime::now())
    }

    fn seal(&self, purpose: Purpose<'_>, content: &[u8]) -> Result<Bytes, getrandom::Error> {
        let now = SystemTime::now();
        let sent = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let sent = u64::try_from(sent.as_millis()).unwrap_or(u64::MAX);
        let content = [&sent.to_be_bytes(), content].concat();
        // The seal never expires, because a clock may be wrong, which the receiver checks.
        let sealed = self
            .sealer
            .seal_bytes(purpose, &content, now, Duration::MAX)?;
        Ok([&[VERSION], self.own.as_bytes(), &sealed].concat().into())
    }

    fn open(
        &self,
        sender: ReplicaId,
        purpose: Purpose<'_>,
        message: &[u8],
    ) -> Result<Opened, Unreadable> {
        let sealed = message.get(1 + ID..).unwrap_or_default();
        let opened = self.sealer.open_bytes(purpose, sealed, SystemTime::now());
        let mut content = opened.map_err(|_| Unreadable(Some(sender)))?;
        let sent = content.first_chunk::<SENT>().ok_or(Unreadable(None))?;
        let sent = Duration::from_millis(u64::from_be_bytes(*sent));
        let sent = UNIX_EPOCH.checked_add(sent).ok_or(Unreadable(None))?;
        content.drain(..SENT);
        Ok(Opened {
            sender,
            sent,
            content,
        })
    }
}

/// The id of the sender that a message names, and the same id as text.
fn sender(message: &[u8]) -> Option<(ReplicaId, &str)> {
    let (version, rest) = message.split_first()?;
    let name = str::from_utf8(rest.get(..ID)?).ok()?;
    let sender = name.parse().ok()?;
    (*version == VERSION).then_some((sender, name))
}
