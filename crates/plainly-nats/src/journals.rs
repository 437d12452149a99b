//! Each journal consists of the messages of one subject. A consumer in the memory of one server
//! pushes them to a follower, and is created again if that server is lost.

use std::time::Duration;

use async_nats::{HeaderMap, Message, Subscriber};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use plainly_cluster::{EngineError, Journals};
use serde_json::json;
use tokio::time::timeout;

use crate::Nats;
use crate::streams::{Kind, Wanted};

/// The interval between two heartbeats of a consumer, in nanoseconds.
const HEARTBEAT: u64 = 1_000_000_000;
/// The time without a heartbeat after which a consumer counts as lost.
const SILENCE: Duration = Duration::from_millis(2_500);
/// The time after which the server removes a consumer without a listener, in nanoseconds.
const UNUSED: u64 = 5_000_000_000;

impl Journals for Nats {
    async fn append(&self, journal: &str, event: Bytes) -> Result<(), EngineError> {
        let appended = self.obtain(Wanted {
            kind: Kind::Journals,
            subject: self.journal(journal),
            headers: HeaderMap::new(),
            payload: event,
            is_repeatable: false,
        });
        appended.await.map(drop)
    }

    fn follow(
        &self,
        journal: &str,
    ) -> impl Stream<Item = Result<Bytes, EngineError>> + Send + 'static {
        let follower = Follower {
            nats: self.clone(),
            subject: self.journal(journal),
            consumer: None,
        };
        stream::unfold(Some(follower), |follower| async {
            let mut follower = follower?;
            match follower.event().await {
                Ok(event) => Some((Ok(event), Some(follower))),
                Err(error) => Some((Err(error), None)),
            }
        })
    }
}

impl Nats {
    fn journal(&self, journal: &str) -> String {
        format!("{}.journal.{journal}", self.root)
    }
}

/// A reader of a journal.
struct Follower {
    nats: Nats,
    subject: String,
    consumer: Option<Consumer>,
}

/// A consumer, and the number of its messages that were read.
struct Consumer {
    messages: Subscriber,
    read: u64,
}

impl Follower {
    async fn event(&mut self) -> Result<Bytes, EngineError> {
        loop {
            let mut consumer = match self.consumer.take() {
                Some(consumer) => consumer,
                None => self.consume().await?,
            };
            let Ok(Some(message)) = timeout(SILENCE, consumer.messages.next()).await else {
                continue;
            };
            match number(&message) {
                // A message before this one is missing.
                Some(number) if number != consumer.read + 1 => {}
                Some(_) => {
                    consumer.read += 1;
                    self.consumer = Some(consumer);
                    return Ok(message.payload);
                }
                None if last_sent(&message).is_none_or(|sent| sent == consumer.read) => {
                    self.consumer = Some(consumer);
                }
                None => {}
            }
        }
    }

    /// Creates a consumer of all stored events. A restarted NATS server has lost the events in
    /// memory, and counts from the beginning.
    async fn consume(&self) -> Result<Consumer, EngineError> {
        let connection = &self.nats.connection;
        let inbox = connection.new_inbox();
        let messages = connection.subscribe(inbox.clone()).await;
        let messages = messages
            .ok_or_else(|| EngineError::Refused("the connection to NATS is closed".into()))?;
        let stream = self.nats.streams.name(Kind::Journals);
        let name = inbox.rsplit('.').next().unwrap_or_default();
        let request = json!({
            "stream_name": stream,
            "action": "create",
            "config": {
                "name": name,
                "deliver_subject": inbox,
                "deliver_policy": "all",
                "filter_subject": self.subject,
                "ack_policy": "none",
                "max_deliver": 1,
                "idle_heartbeat": HEARTBEAT,
                "inactive_threshold": UNUSED,
                "num_replicas": 1,
                "mem_storage": true,
            },
        });
        let made = self.nats.obtain(Wanted {
            kind: Kind::Journals,
            subject: format!("$JS.API.CONSUMER.CREATE.{stream}.{name}.{}", self.subject),
            headers: HeaderMap::new(),
            payload: request.to_string().into(),
            is_repeatable: true,
        });
        made.await?;
        Ok(Consumer { messages, read: 0 })
    }
}

/// The number of a message among those of its consumer, from
/// `$JS.ACK.STREAM.CONSUMER.TIMES.OF_STREAM.OF_CONSUMER.TIME.PENDING`, which may contain a domain
/// and an account before the stream.
fn number(message: &Message) -> Option<u64> {
    let numbers = message.reply.as_deref()?.strip_prefix("$JS.ACK.")?;
    let parts: Vec<_> = numbers.split('.').collect();
    let place = match parts.len() {
        7 => 4,
        9.. => 6,
        _ => return None,
    };
    parts.get(place)?.parse().ok()
}

/// The number of messages that the consumer has sent, from a heartbeat.
fn last_sent(message: &Message) -> Option<u64> {
    let sent = message.headers.as_ref()?.get("Nats-Last-Consumer")?;
    sent.as_str().parse().ok()
}
