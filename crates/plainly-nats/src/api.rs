//! JetStream's requests and replies, as far as they are used.

use async_nats::HeaderMap;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::connection::{Connection, NoReply};

/// The reply to any request: an error, or the fields of what was asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Reply {
    error: Option<Mistake>,
    /// The number of the message that was stored.
    #[serde(default)]
    pub(crate) seq: u64,
    /// The message that was read.
    pub(crate) message: Option<Stored>,
    /// The contents of a stream.
    #[serde(default)]
    pub(crate) state: Contents,
    #[serde(default)]
    pub(crate) config: Limits,
    /// The servers that have a stream, if they are several.
    pub(crate) cluster: Option<Group>,
}

impl Reply {
    /// Whether nine tenths of the stream are in use.
    pub(crate) fn is_nearly_full(&self) -> bool {
        let most = self.config.max_bytes;
        most > 0 && self.state.bytes >= most / 10 * 9
    }
}

/// The servers that have a stream.
#[derive(Debug, Deserialize)]
pub(crate) struct Group {
    pub(crate) leader: Option<String>,
    #[serde(default)]
    pub(crate) replicas: Vec<CopyHolder>,
}

/// A server that has a copy of a stream, and does not lead it.
#[derive(Debug, Deserialize)]
pub(crate) struct CopyHolder {
    #[serde(default)]
    pub(crate) current: bool,
    #[serde(default)]
    pub(crate) offline: bool,
    /// The number of changes that it lacks.
    #[serde(default)]
    pub(crate) lag: u64,
}

/// A message of a stream.
#[derive(Debug, Deserialize)]
pub(crate) struct Stored {
    pub(crate) seq: u64,
    #[serde(default)]
    data: String,
}

impl Stored {
    pub(crate) fn value(&self) -> Result<Bytes, base64::DecodeError> {
        BASE64_STANDARD.decode(&self.data).map(Bytes::from)
    }
}

/// The contents of a stream.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Contents {
    #[serde(default)]
    pub(crate) messages: u64,
    #[serde(default)]
    pub(crate) bytes: i64,
}

/// The limits of a stream.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Limits {
    /// Without end if it is not positive.
    #[serde(default)]
    pub(crate) max_bytes: i64,
    #[serde(default)]
    pub(crate) num_replicas: usize,
}

/// The reason why JetStream did not do what was asked.
#[derive(Debug, Deserialize, thiserror::Error)]
#[error("JetStream reports error {err_code}: {description}")]
pub(crate) struct Mistake {
    #[serde(default)]
    code: u16,
    #[serde(default)]
    err_code: u16,
    #[serde(default)]
    description: String,
}

/// The meaning of a [`Mistake`], as far as something depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// There is no such message.
    NoMessage,
    /// There is no such stream.
    NoStream,
    /// There is another stream of that name.
    StreamExists,
    /// There is a different message than expected.
    Conflict,
    /// The stream has no room, or the servers have none for the stream.
    Full,
    /// The message is larger than the stream takes.
    TooLarge,
    /// A server is alone, or too few of them are there.
    TooFewServers,
    /// No server can do it at the moment.
    Unavailable,
    Other,
}

/// The error codes of JetStream that mean something here.
const MEANINGS: [(u16, Meaning); 17] = [
    (10_005, Meaning::TooFewServers),
    (10_008, Meaning::Unavailable),
    (10_009, Meaning::Unavailable),
    (10_023, Meaning::Full),
    (10_028, Meaning::Full),
    (10_037, Meaning::NoMessage),
    (10_047, Meaning::Full),
    (10_054, Meaning::TooLarge),
    (10_058, Meaning::StreamExists),
    (10_059, Meaning::NoStream),
    (10_071, Meaning::Conflict),
    (10_074, Meaning::TooFewServers),
    (10_077, Meaning::Full),
    (10_097, Meaning::TooLarge),
    (10_122, Meaning::Full),
    (10_163, Meaning::Unavailable),
    (10_164, Meaning::Conflict),
];

impl Mistake {
    pub(crate) fn meaning(&self) -> Meaning {
        let known = MEANINGS.iter().find(|(code, _)| *code == self.err_code);
        match known {
            Some((_, meaning)) => *meaning,
            None if self.code == 503 => Meaning::Unavailable,
            None => Meaning::Other,
        }
    }
}

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    NoReply(NoReply),
    #[error(transparent)]
    Mistake(Mistake),
}

/// Sends a message to a stream, or a request to JetStream, and reads the reply.
pub(crate) async fn send(
    connection: &Connection,
    subject: &str,
    headers: HeaderMap,
    payload: Bytes,
    until: Instant,
) -> Result<Reply, Failure> {
    let reply = connection.request(subject, headers, payload, until).await;
    let message = reply.map_err(Failure::NoReply)?;
    let reply: Reply = serde_json::from_slice(&message.payload)
        .map_err(|error| Failure::NoReply(NoReply::Silent(error.into())))?;
    match reply.error {
        Some(mistake) => Err(Failure::Mistake(mistake)),
        None => Ok(reply),
    }
}

/// The facts about a stream.
pub(crate) async fn info(
    connection: &Connection,
    stream: &str,
    until: Instant,
) -> Result<Reply, Failure> {
    let subject = format!("$JS.API.STREAM.INFO.{stream}");
    send(connection, &subject, HeaderMap::new(), Bytes::new(), until).await
}

/// Sends a request to JetStream.
pub(crate) async fn ask(
    connection: &Connection,
    what: &str,
    request: &impl Serialize,
    until: Instant,
) -> Result<Reply, Failure> {
    let payload = serde_json::to_vec(request)
        .map_err(|error| Failure::NoReply(NoReply::Denied(error.into())))?;
    let subject = format!("$JS.API.{what}");
    send(
        connection,
        &subject,
        HeaderMap::new(),
        payload.into(),
        until,
    )
    .await
}
