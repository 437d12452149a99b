//! Journals are streams that expire. Each event wakes the followers, which then read all new
//! events.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream};
use plainly_cluster::{EngineError, Journals};
use redis::cmd;
use tokio::sync::Notify;

use crate::channels::Listening;
use crate::connection::within;
use crate::{MOST, Redis};

/// Adds an event, and wakes the followers.
const SCRIPT: &str = "
redis.call('XADD', KEYS[1], 'MAXLEN', 1024, '*', 'e', ARGV[1])
redis.call('PEXPIRE', KEYS[1], 600000)
redis.call('PUBLISH', KEYS[1], '')";

/// The maximum number of events read at once.
const TOGETHER: usize = 32;
/// The maximum time until the subscription to a journal's channel is confirmed.
const HEARD: Duration = Duration::from_millis(4_500);

impl Journals for Redis {
    async fn append(&self, journal: &str, event: Bytes) -> Result<(), EngineError> {
        if event.len() > MOST {
            return Err(EngineError::TooLarge);
        }
        if !self.has_room().await {
            return Err(EngineError::Full);
        }
        let mut command = cmd("EVAL");
        let command = command.arg(SCRIPT).arg(1).arg(self.journal(journal));
        self.connection.ask(false, command.arg(&*event)).await
    }

    fn follow(
        &self,
        journal: &str,
    ) -> impl Stream<Item = Result<Bytes, EngineError>> + Send + 'static {
        let key = self.journal(journal);
        let woken = Arc::new(Notify::new());
        let ear = woken.clone();
        let listening = self
            .connection
            .channels
            .listen(key.clone(), move |_| ear.notify_one());
        let follower = Follower {
            redis: self.clone(),
            key,
            listening,
            woken,
            link: None,
            last: None,
            read: VecDeque::new(),
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

impl Redis {
    /// The key of a journal, which is also the channel that wakes its followers.
    fn journal(&self, journal: &str) -> String {
        format!("{}:journal:{journal}", self.root)
    }
}

/// A reader of a journal.
struct Follower {
    redis: Redis,
    key: String,
    listening: Listening,
    woken: Arc<Notify>,
    /// The link over which the journal was read. It is read again over a new link, because a copy
    /// that has become the primary may lack events, and may have given others lower ids.
    link: Option<u64>,
    /// The id of the last event that was read.
    last: Option<String>,
    read: VecDeque<Bytes>,
}

/// Events of a stream, each with its id and its fields.
type Events = Vec<(String, Vec<(String, Vec<u8>)>)>;

impl Follower {
    async fn event(&mut self) -> Result<Bytes, EngineError> {
        let mut state = self.redis.connection.state();
        loop {
            if let Some(event) = self.read.pop_front() {
                return Ok(event);
            }
            let now = state.borrow_and_update().number();
            if now.is_none() || now != self.link {
                self.begin().await?;
            }
            self.read().await?;
            if self.read.is_empty() {
                let link = self.link;
                tokio::select! {
                    () = self.woken.notified() => {}
                    _ = state.wait_for(|state| state.number() != link) => {}
                }
            }
        }
    }

    /// Waits for a link that is subscribed to the channel, and starts from the beginning.
    async fn begin(&mut self) -> Result<(), EngineError> {
        let until = within(HEARD);
        let link = self.redis.connection.up(until).await;
        let link = link.map_err(EngineError::Refused)?;
        if !self.listening.confirmed(until).await {
            let why = "Redis has not confirmed in time that it tells of new events";
            return Err(EngineError::Refused(why.into()));
        }
        (self.link, self.last) = (Some(link.number), None);
        Ok(())
    }

    /// Reads the next events.
    async fn read(&mut self) -> Result<(), EngineError> {
        let from = match &self.last {
            Some(last) => format!("({last}"),
            None => "-".to_owned(),
        };
        let mut command = cmd("XRANGE");
        let command = command.arg(&self.key).arg(from).arg("+");
        let command = command.arg("COUNT").arg(TOGETHER);
        let events: Events = self.redis.connection.ask(true, command).await?;
        for (id, fields) in events {
            self.last = Some(id);
            let event = fields.into_iter().next();
            self.read.extend(event.map(|(_, event)| Bytes::from(event)));
        }
        Ok(())
    }
}
