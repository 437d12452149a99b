//! Redis or Valkey as the [`Engine`] that the replicas of an MCP server share.
//!
//! ```no_run
//! use plainly_redis::Redis;
//!
//! # async fn connect() -> Result<(), plainly_redis::SettingsError> {
//! let redis = Redis::connect(["redis+sentinel://:secret@s1,s2,s3/main"])
//!     .name("notes")
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! Every key and channel begins with `plainly:v1:NAME:`. Nothing is ever deleted; entries expire.
//! Needs Redis 6 or later, not a cluster of several primaries, and the `maxmemory-policy`
//! `noeviction`.
//!
//! If the primary has copies, a record is confirmed once one of them has it; events of journals are
//! not. Without a copy, the last writes are lost with the primary.

mod bus;
mod channels;
mod connection;
mod failure;
mod journals;
mod link;
mod place;
mod records;
mod report;
mod role;
mod room;
mod settings;
mod writer;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use plainly_cluster::{Engine, EngineError, EngineReport, ReplicaId};

use self::bus::Questions;
use self::channels::Listening;
use self::connection::Connection;
use self::link::Dialer;
use self::room::Room;
pub use self::settings::{Connecting, SettingsError, WrongSetting};

/// The maximum size of a value or message, in bytes. Redis disconnects a subscriber with more than
/// 32 MiB unread.
const MOST: usize = 1 << 20;

/// One replica's connection to Redis. Clones share the connection, which closes with the last of
/// them.
#[derive(Clone)]
pub struct Redis {
    id: ReplicaId,
    /// The prefix of each key and channel: `plainly:v1:NAME`.
    root: Arc<str>,
    connection: Connection,
    room: Arc<Room>,
    questions: Arc<Questions>,
    /// The highest version of a record that this replica knows.
    known: Arc<AtomicU64>,
    _inbox: Arc<Listening>,
}

impl Redis {
    /// Connects to the primary among the servers at these URLs once awaited. The connection is made
    /// in the background, and retried as long as necessary. A URL is `redis://HOST:6379/DATABASE`,
    /// or `rediss` with TLS. If sentinels watch the primary, use
    /// `redis+sentinel://HOST:26379/NAME/DATABASE` for each sentinel. A URL may have several hosts,
    /// separated by commas, and a user and a password.
    pub fn connect<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> Connecting {
        Connecting::new(urls.into_iter().map(Into::into).collect())
    }

    fn new(id: ReplicaId, name: &str, dialer: Dialer) -> Self {
        let root = format!("plainly:v1:{name}");
        let connection = Connection::new(dialer, &root);
        let questions = Arc::new(Questions::default());
        let asked = questions.clone();
        let inbox = connection
            .channels
            .listen(bus::inbox(&root, id), move |message| asked.answer(message));
        Self {
            id,
            root: root.into(),
            connection,
            room: Arc::default(),
            questions,
            known: Arc::default(),
            _inbox: Arc::new(inbox),
        }
    }
}

impl Engine for Redis {
    fn is_connected(&self) -> bool {
        self.connection.is_up()
    }

    fn max_value(&self) -> usize {
        MOST
    }

    async fn report(&self) -> Result<EngineReport, EngineError> {
        report::report(self).await
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis")
            .field("id", &self.id)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
