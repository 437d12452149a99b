//! The connection: a link to the primary that is restored whenever it is lost.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use redis::Cmd;
use tokio::sync::watch;
use tokio::task::{JoinHandle, unconstrained};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::channels::Channels;
use crate::failure::{Cause, Failure};
use crate::link::{Dialer, Link};
use crate::writer::Doubts;
use plainly_cluster::EngineError;

/// The maximum time for one call. Shorter than the limit of servers.
const CALL: Duration = Duration::from_millis(4_500);
/// The maximum time for one attempt at a repeatable request.
const ATTEMPT: Duration = Duration::from_secs(1);
/// The time after which a link counts as stable.
const LASTING: Duration = Duration::from_secs(2);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// The state of the connection.
#[derive(Clone, Default)]
pub(crate) struct State {
    pub(crate) link: Option<Link>,
    /// The reason why there is no link.
    why: Arc<str>,
}

impl State {
    /// The number of the link.
    pub(crate) fn number(&self) -> Option<u64> {
        self.link.as_ref().map(|link| link.number)
    }
}

/// A connection that is restored automatically, until its last clone is dropped.
#[derive(Clone)]
pub(crate) struct Connection {
    state: Arc<watch::Sender<State>>,
    /// Notifies of gaps, at which messages may be missing.
    gaps: Arc<watch::Sender<()>>,
    pub(crate) channels: Arc<Channels>,
    pub(crate) doubts: Arc<Doubts>,
    _keeper: Arc<Keeper>,
}

struct Keeper(JoinHandle<()>);

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    /// Creates a connection for records below this root.
    pub(crate) fn new(dialer: Dialer, root: &str) -> Self {
        let state = Arc::<watch::Sender<State>>::default();
        let gaps = Arc::<watch::Sender<()>>::default();
        let channels = Arc::new(Channels::default());
        let doubts = Arc::new(Doubts::new(root));
        let (listened, doubted) = (channels.clone(), doubts.clone());
        let keeper = tokio::spawn(keep(dialer, listened, doubted, state.clone(), gaps.clone()));
        Self {
            state,
            gaps,
            channels,
            doubts,
            _keeper: Arc::new(Keeper(keeper)),
        }
    }

    /// Whether there is a link.
    pub(crate) fn is_up(&self) -> bool {
        self.state.borrow().link.is_some()
    }

    pub(crate) fn link(&self) -> Option<Link> {
        self.state.borrow().link.clone()
    }

    pub(crate) fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Records that messages were lost.
    pub(crate) fn note_gap(&self) {
        self.gaps.send_replace(());
    }

    /// A receiver that is notified of gaps from now on.
    pub(crate) fn gaps(&self) -> watch::Receiver<()> {
        self.gaps.subscribe()
    }

    /// Sends a command if that is possible at once, and ignores the reply.
    pub(crate) fn send(&self, mut command: Cmd) {
        if let Some(mut link) = self.link() {
            command.set_no_response(true);
            // If the queue is full, the command is dropped as if the connection were down.
            // `unconstrained`, because many commands at once would use up the task's budget.
            let sent = link.commands.send_packed_command(&command);
            unconstrained(sent).now_or_never();
        }
    }

    /// Waits until there is a link.
    pub(crate) async fn up(&self, until: Instant) -> Result<Link, Cause> {
        let mut state = self.state();
        let up = state.wait_for(|state| state.link.is_some());
        if let Ok(Ok(state)) = timeout_at(until, up).await
            && let Some(link) = &state.link
        {
            return Ok(link.clone());
        }
        let why = self.state.borrow().why.clone();
        Err(format!("there is no connection to Redis: {why}").into())
    }

    /// Retries while the attempt certainly had no effect, or is repeatable, until the time for a
    /// call is over.
    pub(crate) async fn call<T, F: Future<Output = Result<T, Failure>>>(
        &self,
        is_repeatable: bool,
        mut attempt: impl FnMut(Link, Instant) -> F,
    ) -> Result<T, EngineError> {
        let until = within(CALL);
        loop {
            let tried = match self.up(until).await {
                Ok(link) if is_repeatable => attempt(link, until.min(within(ATTEMPT))).await,
                Ok(link) => attempt(link, until).await,
                Err(cause) => Err(Failure::Later(cause)),
            };
            let cause = match tried {
                Ok(done) => return Ok(done),
                Err(Failure::Never(error)) => return Err(error),
                Err(Failure::Unknown(cause)) if !is_repeatable => {
                    return Err(EngineError::Unknown(cause));
                }
                Err(Failure::Unknown(cause) | Failure::Later(cause)) => cause,
            };
            let next = within(PAUSE);
            if next >= until {
                return Err(EngineError::Refused(cause));
            }
            sleep_until(next).await;
        }
    }

    /// Sends a command, and reads the reply.
    pub(crate) async fn ask<T: redis::FromRedisValue>(
        &self,
        is_repeatable: bool,
        command: &Cmd,
    ) -> Result<T, EngineError> {
        let attempt = |link: Link, until| async move { link.ask(command, until).await };
        self.call(is_repeatable, attempt).await
    }
}

/// Opens a link whenever there is none.
async fn keep(
    dialer: Dialer,
    channels: Arc<Channels>,
    doubts: Arc<Doubts>,
    state: Arc<watch::Sender<State>>,
    gaps: Arc<watch::Sender<()>>,
) {
    let (mut links, mut failures, mut is_said) = (0, 0, false);
    loop {
        let why = match dialer.open(&channels, &doubts, links + 1).await {
            Ok(opened) => {
                tracing::info!("connected to Redis");
                state.send_modify(|state| state.link = Some(opened.link.clone()));
                if links > 0 {
                    gaps.send_replace(());
                }
                links += 1;
                let begun = Instant::now();
                let why = opened.lost(&dialer, &channels).await;
                // A link that is lost at once counts as a failure, because a flood of messages may
                // end each link.
                if begun.elapsed() > LASTING {
                    (failures, is_said) = (0, false);
                }
                why
            }
            Err(why) => why,
        };
        channels.forget();
        if !is_said {
            is_said = true;
            tracing::warn!("no connection to Redis, retrying: {why}");
        }
        state.send_modify(|state| {
            state.link = None;
            state.why = why.to_string().into();
        });
        failures += 1;
        sleep_until(within(pause(failures))).await;
    }
}

/// A random pause before an attempt to connect, so that replicas don't connect at the same time.
fn pause(failures: u32) -> Duration {
    let longest = (20 << failures.min(5)).min(500_u64);
    let part = getrandom::u32().map_or(0, u64::from) % longest;
    Duration::from_millis(longest / 2 + part / 2)
}

/// The instant after this time.
pub(crate) fn within(time: Duration) -> Instant {
    Instant::now() + time
}
