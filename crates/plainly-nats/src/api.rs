//! The used part of JetStream's requests and replies.

use async_nats::HeaderMap;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::connection::{Connection, NoReply};

/// The reply to any request: an error, or the requested fields.
#[derive(Debug, Deserialize)]
pub(crate) struct Reply {
    error: Option<Mistake>,
    /// The number of the stored message.
    #[serde(default)]
    pub(crate) seq: u64,
    /// The message that was read.
    pub(crate) message: Option<Stored>,
    /// The contents of a stream.
    #[serde(default)]
    pub(crate) state: Contents,
    #[serde(default)]
    pub(crate) config: Limits,
    /// The servers that store a stream; `None` if there is only one.
    pub(crate) cluster: Option<Group>,
}

impl Reply {
    /// Whether nine tenths of the stream's space are in use.
    pub(crate) fn is_nearly_full(&self) -> bool {
        let most = self.config.max_bytes;
        most > 0 && self.state.bytes >= most / 10 * 9
    }
}

/// The servers that store a stream.
#[derive(Debug, Deserialize)]
pub(crate) struct Group {
    pub(crate) leader: Option<String>,
    #[serde(default)]
    pub(crate) replicas: Vec<CopyHolder>,
}

/// A server that stores a copy of a stream but is not its leader.
#[derive(Debug, Deserialize)]
pub(crate) struct CopyHolder {
    #[serde(default)]
    pub(crate) current: bool,
    #[serde(default)]
    pub(crate) offline: bool,
    /// The number of changes that the copy lacks.
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
    /// Unlimited if it is not positive.
    #[serde(default)]
    pub(crate) max_bytes: i64,
    #[serde(default)]
    pub(crate) num_replicas: usize,
}

/// The error of a JetStream request.
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

/// The kinds of [`Mistake`] that need different treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The message doesn't exist.
    NoMessage,
    /// The stream doesn't exist.
    NoStream,
    /// A different stream has this name.
    StreamExists,
    /// The last message is not the expected one.
    Conflict,
    /// The stream is full, or the servers have no space for the stream.
    Full,
    /// The message is larger than the stream allows.
    TooLarge,
    /// The server is not in a cluster, or the cluster has too few servers.
    TooFewServers,
    /// No server can handle the request at the moment.
    Unavailable,
    Other,
}

/// The JetStream error codes that need different treatment.
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

/// Requests information about a stream.
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
