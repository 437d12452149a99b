//! The two streams: their creation, and requests that store and read messages.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::HeaderMap;
use bytes::Bytes;
use plainly_cluster::{Engine as _, EngineError};
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::Nats;
use crate::api::{self, Failure, Meaning, Reply};
use crate::connection::{Cause, Connection, NoReply, within};

/// The maximum time for one call. Shorter than the limit of servers.
const CALL: Duration = Duration::from_millis(4_500);
/// The maximum time for one attempt at a repeatable request.
const ATTEMPT: Duration = Duration::from_secs(1);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);
/// The time for which the check whether a stream has space is valid.
const KNOWN: Duration = Duration::from_secs(1);

/// One of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Records,
    Journals,
}

impl Kind {
    /// The name of the stream, and the subject pattern of its messages.
    fn place(self, cluster: &str) -> (String, String) {
        let (plural, singular) = match self {
            Self::Records => ("records", "record"),
            Self::Journals => ("journals", "journal"),
        };
        (
            format!("plainly_{cluster}_{plural}"),
            format!("plainly.v1.{cluster}.{singular}.>"),
        )
    }
}

/// The configuration of a new stream.
#[derive(Debug, Serialize)]
struct Config {
    name: String,
    subjects: [String; 1],
    storage: &'static str,
    discard: &'static str,
    num_replicas: u8,
    max_bytes: u64,
    max_msgs_per_subject: u32,
    /// In nanoseconds; 0 is unlimited.
    max_age: u64,
    /// The first version. A stream that is created again starts above the versions of the lost one.
    first_seq: u64,
    allow_msg_ttl: bool,
    deny_delete: bool,
    deny_purge: bool,
}

impl Config {
    fn new(kind: Kind, cluster: &str, copies: u8) -> Self {
        let (name, subject) = kind.place(cluster);
        let shared = Self {
            name,
            subjects: [subject],
            storage: "file",
            discard: "new",
            num_replicas: copies,
            max_bytes: 1 << 30,
            max_msgs_per_subject: 1,
            max_age: 0,
            first_seq: microseconds(),
            allow_msg_ttl: true,
            deny_delete: true,
            deny_purge: true,
        };
        match kind {
            Kind::Records => shared,
            Kind::Journals => Self {
                storage: "memory",
                discard: "old",
                max_bytes: 256 << 20,
                max_msgs_per_subject: 1_024,
                max_age: 600_000_000_000,
                allow_msg_ttl: false,
                ..shared
            },
        }
    }
}

/// The microseconds since 1970. No stream gets that many messages.
fn microseconds() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    time.map_or(1, |time| u64::try_from(time.as_micros()).unwrap_or(1))
}

/// The streams of a cluster.
#[derive(Debug)]
pub(crate) struct Streams {
    cluster: String,
    copies: Option<u8>,
    /// Whether new records are accepted, and when that was checked.
    room: Mutex<(Option<Instant>, bool)>,
}

impl Streams {
    pub(crate) fn new(cluster: String, copies: Option<u8>) -> Self {
        Self {
            cluster,
            copies,
            room: Mutex::new((None, true)),
        }
    }

    /// The name of a stream.
    pub(crate) fn name(&self, kind: Kind) -> String {
        kind.place(&self.cluster).0
    }

    /// Creates a stream, unless there is one of its name.
    async fn make(&self, connection: &Connection, kind: Kind, until: Instant) -> Result<(), Cause> {
        let copies = self.copies.unwrap_or(match connection.is_clustered() {
            true => 3,
            false => 1,
        });
        let config = Config::new(kind, &self.cluster, copies);
        let what = format!("STREAM.CREATE.{}", config.name);
        match api::ask(connection, &what, &config, until).await {
            Ok(_) if copies == 1 => tracing::warn!(
                "the stream {} is on one NATS server alone, and lost with it",
                config.name
            ),
            Ok(_) => {}
            Err(Failure::Mistake(mistake)) if mistake.meaning() == Meaning::StreamExists => {}
            Err(failure) => {
                return Err(format!(
                    "cannot make the stream {}, of {copies} copies with up to {} MiB: {failure}",
                    config.name,
                    config.max_bytes >> 20,
                )
                .into());
            }
        }
        Ok(())
    }

    /// Whether there is space for a new record. The last tenth is reserved for new versions of
    /// existing records, because a full stream doesn't accept a record in place of another one of
    /// the same size.
    pub(crate) async fn has_room(&self, connection: &Connection) -> bool {
        let mut room = self.room.lock().await;
        if room.0.is_none_or(|looked| looked.elapsed() > KNOWN) {
            let stream = self.name(Kind::Records);
            if let Ok(info) = api::info(connection, &stream, within(KNOWN)).await {
                room.1 = !info.is_nearly_full();
            }
            room.0 = Some(Instant::now());
        }
        room.1
    }
}

/// A request about a stream. It is retried as long as it certainly had no effect.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    pub(crate) subject: String,
    pub(crate) headers: HeaderMap,
    pub(crate) payload: Bytes,
    /// Whether sending the request twice is harmless.
    pub(crate) is_repeatable: bool,
}

impl Nats {
    /// Sends the request, and returns the reply; `None` if the message doesn't exist, or is not the
    /// expected one.
    pub(crate) async fn obtain(&self, wanted: Wanted) -> Result<Option<Reply>, EngineError> {
        if wanted.payload.len() > self.max_value() {
            return Err(EngineError::TooLarge);
        }
        let until = within(CALL);
        loop {
            let cause: Cause = match self.attempt(&wanted, until).await {
                Ok(reply) => return Ok(Some(reply)),
                Err(Failure::Mistake(mistake)) => match mistake.meaning() {
                    Meaning::NoMessage | Meaning::Conflict => return Ok(None),
                    Meaning::Full => return Err(EngineError::Full),
                    Meaning::TooLarge => return Err(EngineError::TooLarge),
                    Meaning::NoStream => self.make(wanted.kind, until).await,
                    Meaning::Unavailable => mistake.into(),
                    Meaning::StreamExists | Meaning::TooFewServers | Meaning::Other => {
                        return Err(EngineError::Refused(mistake.into()));
                    }
                },
                Err(Failure::NoReply(reason)) => match reason {
                    NoReply::Down(cause) => cause,
                    NoReply::Denied(cause) => return Err(EngineError::Refused(cause)),
                    NoReply::TooLarge => return Err(EngineError::TooLarge),
                    NoReply::Nobody => self.make(wanted.kind, until).await,
                    NoReply::Silent(cause) if wanted.is_repeatable => cause,
                    NoReply::Silent(cause) => return Err(EngineError::Unknown(cause)),
                },
            };
            let next = Instant::now() + PAUSE;
            if next >= until {
                return Err(EngineError::Refused(cause));
            }
            sleep_until(next).await;
        }
    }

    async fn attempt(&self, wanted: &Wanted, until: Instant) -> Result<Reply, Failure> {
        let connection = &self.connection;
        connection.up(until).await.map_err(Failure::NoReply)?;
        let until = match wanted.is_repeatable {
            true => until.min(within(ATTEMPT)),
            false => until,
        };
        let (headers, payload) = (wanted.headers.clone(), wanted.payload.clone());
        api::send(connection, &wanted.subject, headers, payload, until).await
    }

    /// Creates the stream, unless it exists. Returns the reason why the message was not accepted
    /// before.
    async fn make(&self, kind: Kind, until: Instant) -> Cause {
        match self.streams.make(&self.connection, kind, until).await {
            Ok(()) => "no NATS server leads the stream at the moment".into(),
            Err(cause) => cause,
        }
    }
}
