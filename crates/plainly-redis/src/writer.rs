//! Writes of records. Queued writes are sent together, and then wait together until a copy has
//! them, if there are copies.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use plainly_cluster::EngineError;
use redis::aio::MultiplexedConnection;
use redis::{Pipeline, RedisResult, Value, cmd, from_redis_value, pipe};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{sleep, timeout};

use crate::failure::{Failure, in_words};
use crate::role::Role;

/// The maximum number of writes sent together.
const TOGETHER: usize = 64;
/// The maximum time for the server to execute them.
const ATTEMPT: Duration = Duration::from_secs(4);
/// The maximum time for a copy to receive them.
const COPIED: Duration = Duration::from_millis(1_500);

/// Stores a record after its version, if the current record has the expected version. The new
/// version is the time in microseconds, but greater than any version that the server or the replica
/// knows.
const SCRIPT: &str = "
if redis.call('GETRANGE', KEYS[1], 0, 15) ~= ARGV[1] then return false end
local time = redis.call('TIME')
local last = tonumber(redis.call('GET', KEYS[2]) or 0)
if last >= 2^52 then last = 0 end
local version = math.max(time[1] * 1000000 + time[2], last + 1, ARGV[2] + 1)
version = string.format('%016.0f', version)
redis.call('SET', KEYS[2], version, 'PX', 172800000)
redis.call('SET', KEYS[1], version .. ARGV[3], 'PX', ARGV[4])
return version";

/// The time to live of the last version in milliseconds, as in the script.
const LAST: u64 = 172_800_000;
/// The limit of versions, up to which Lua's numbers are exact. The time stays below it until 2112.
pub(crate) const VERSIONS: u64 = 1 << 52;
/// The pause before the next check whether a copy has the writes in doubt.
const AGAIN: Duration = Duration::from_millis(100);

/// A version as the script and the beginning of a record contain it: 16 digits.
pub(crate) fn written(version: u64) -> String {
    format!("{version:016}")
}

/// A write of a record.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) key: String,
    /// The expected version; empty if no record is expected.
    pub(crate) over: String,
    /// The highest version that this replica knows.
    pub(crate) known: u64,
    pub(crate) value: Bytes,
    /// The time to live, in milliseconds.
    pub(crate) ttl: u64,
    pub(crate) settled: oneshot::Sender<Result<Option<u64>, Failure>>,
}

impl Write {
    fn add_to(&self, pipeline: &mut Pipeline, last: &str) {
        let pipeline = pipeline.cmd("EVAL").arg(SCRIPT).arg(2);
        let pipeline = pipeline.arg(&self.key).arg(last);
        let pipeline = pipeline.arg(&self.over).arg(self.known);
        pipeline.arg(&*self.value).arg(self.ttl);
    }
}

/// The records that may have been written but that no copy has confirmed, over all links.
#[derive(Debug)]
pub(crate) struct Doubts {
    keys: watch::Sender<HashSet<String>>,
    /// The key of the last version.
    last: String,
}

impl Doubts {
    /// Creates an empty set, for records below this root.
    pub(crate) fn new(root: &str) -> Self {
        let last = format!("{root}:version");
        let keys = watch::Sender::default();
        Self { keys, last }
    }

    /// Whether the last write of the record may be lost with the primary.
    pub(crate) fn contain(&self, key: &str) -> bool {
        self.keys.borrow().contains(key)
    }

    fn are_none(&self) -> bool {
        self.keys.borrow().is_empty()
    }

    fn add<'a>(&self, writes: impl Iterator<Item = &'a Write>) {
        let new = writes.map(|write| write.key.clone());
        self.keys.send_modify(|keys| keys.extend(new));
    }

    fn clear(&self) {
        self.keys.send_modify(HashSet::clear);
    }

    /// Waits until there are doubts, and then a moment longer.
    async fn remain(&self) {
        let mut keys = self.keys.subscribe();
        // Never an error, because the sender outlives the wait.
        let _is_some = keys.wait_for(|keys| !keys.is_empty()).await.is_ok();
        sleep(AGAIN).await;
    }
}

/// The connection for writes.
pub(crate) struct Writer {
    pub(crate) connection: MultiplexedConnection,
    pub(crate) doubts: Arc<Doubts>,
    /// Notified when a write fails.
    pub(crate) alarm: Arc<Notify>,
    /// Dropped with the writer.
    pub(crate) _alive: oneshot::Sender<()>,
}

impl Writer {
    /// Makes the writes of a queue, until the connection is lost. Between writes, regularly checks
    /// whether a copy has the writes in doubt.
    pub(crate) async fn write_all(mut self, mut queue: mpsc::Receiver<Write>) {
        let mut writes = Vec::new();
        loop {
            tokio::select! {
                count = queue.recv_many(&mut writes, TOGETHER) => if count == 0 { return },
                () = self.doubts.remain() => {}
            }
            // A write whose caller has given up must not be made later.
            writes.retain(|write| !write.settled.is_closed());
            let replies = self.make(&writes).await;
            let is_lost = replies.is_err();
            if is_lost {
                self.doubts.add(writes.iter());
            }
            let mut replies = replies.unwrap_or_default().into_iter();
            for write in writes.drain(..) {
                let lost = || Err(Failure::Unknown("the connection to Redis was lost".into()));
                let settled = replies.next().unwrap_or_else(lost);
                if settled.is_err() {
                    self.alarm.notify_one();
                }
                // The caller may have gone.
                let _gone = write.settled.send(settled);
            }
            if is_lost {
                return;
            }
        }
    }

    /// Makes writes together. The only error is that the connection is lost.
    async fn make(&mut self, writes: &[Write]) -> Result<Vec<Result<Option<u64>, Failure>>, ()> {
        let is_in_doubt = !self.doubts.are_none();
        let mut pipeline = pipe();
        for write in writes {
            write.add_to(&mut pipeline, &self.doubts.last);
        }
        if is_in_doubt {
            // WAIT covers all writes up to the last one of this connection, so there must be one.
            let last = pipeline.cmd("PEXPIRE").arg(&self.doubts.last);
            last.arg(LAST);
        }
        pipeline.cmd("ROLE").ignore_errors();
        let replies = timeout(ATTEMPT, pipeline.query_async(&mut self.connection)).await;
        let mut replies: Vec<RedisResult<Value>> = replies.map_err(drop)?.map_err(drop)?;
        let role = replies.pop().ok_or(())?;
        let mut settled: Vec<_> = replies.into_iter().map(version).collect();
        let made = writes.iter().zip(&mut settled);
        let mut made: Vec<_> = made
            .filter(|(_, reply)| matches!(reply, Ok(Some(_))))
            .collect();
        if made.is_empty() && !is_in_doubt {
            return Ok(settled);
        }
        match self.copied(role).await {
            None => self.doubts.clear(),
            Some(doubt) => {
                self.doubts.add(made.iter().map(|(write, _)| *write));
                for (_, reply) in &mut made {
                    **reply = Err(Failure::Unknown(doubt.clone().into()));
                }
            }
        }
        Ok(settled)
    }

    /// Waits until a copy has all writes, if the server has copies. Returns the reason if none has.
    async fn copied(&mut self, role: RedisResult<Value>) -> Option<String> {
        match role.and_then(|role| Ok(from_redis_value(role)?)) {
            Ok(Role::Primary { copies: 0 }) => return None,
            Ok(Role::Primary { .. }) => {}
            Ok(Role::Copy) => return Some("the server is a copy now".to_owned()),
            Err(error) => return Some(in_words(error).to_string()),
        }
        let mut command = cmd("WAIT");
        command.arg(1).arg(COPIED.as_millis() as u64);
        let copies = command.query_async::<u64>(&mut self.connection);
        match timeout(2 * COPIED, copies).await {
            Ok(Ok(0)) => Some("no copy of Redis has confirmed the write in time".to_owned()),
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(in_words(error).to_string()),
            Err(_) => Some("Redis did not answer in time".to_owned()),
        }
    }
}

/// The version that was written; `None` if the current record was not the expected one.
fn version(reply: RedisResult<Value>) -> Result<Option<u64>, Failure> {
    let version: Option<String> = from_redis_value(reply?).map_err(redis::RedisError::from)?;
    let version = version.map(|version| version.parse()).transpose();
    version.map_err(|_| Failure::Never(EngineError::Unknown("this is no version".into())))
}
