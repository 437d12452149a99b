//! The timeouts of a call. The idle time restarts with each report of progress, and is suspended
//! while the server waits for this client. The total time is limited all the same (Cancellation,
//! "Timeouts").

use std::future::Future;
use std::pin::pin;
use std::sync::OnceLock;
use std::time::Duration;

use plainly_protocol::method::Method;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, sleep_until};

use crate::error::{Error, LocalError};
use crate::message::clocks::{ClockPause, Clocks};
use crate::message::progress::ProgressListener;

/// The time limit for a message whose outcome does not matter any more.
pub(crate) const FAREWELL: Duration = Duration::from_secs(5);

/// The time limits of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts<'a> {
    /// The time since the last progress.
    pub(crate) idle: Duration,
    /// The total time.
    pub(crate) total: Duration,
    /// The clocks of the connection, which measure both times.
    pub(crate) clocks: &'a Clocks,
}

impl Timeouts<'_> {
    /// Waits for `calling`, which calls `method`, within these limits.
    pub(crate) async fn wait_for<T>(
        self,
        method: Method,
        progress: Option<&ProgressListener>,
        questions: &CallQuestions<'_>,
        calling: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        // The total time is limited despite progress and questions, because the specification asks
        // for a maximum ("Timeouts").
        let clock = self.clocks.stopwatch();
        let mut last = Instant::now();
        let mut calling = pin!(calling);
        let waited_for = || questions.clocks().chain([self.clocks]);
        loop {
            tokio::select! {
                biased;
                // The reply comes first, so that a reply at the last moment counts.
                called = &mut calling => return called,
                () = clock.reaches(self.total) => {}
                () = unconstrained(sleep_until(last + self.idle)) => {}
            }
            let all_run = unconstrained(async {
                for clocks in waited_for() {
                    clocks.until_running().await;
                }
            });
            tokio::select! {
                biased;
                () = all_run => {}
                called = &mut calling => return called,
                () = clock.reaches(self.total) => {}
            }
            let waits = waited_for().filter_map(Clocks::last);
            last = waits
                .chain(progress.map(ProgressListener::last))
                .fold(last, Instant::max);
            let is_over = clock.elapsed() >= self.total;
            if is_over || last.elapsed() >= self.idle {
                let after = if is_over { self.total } else { self.idle };
                let method = method.name();
                return Err(LocalError::Timeout {
                    method,
                    after,
                    instead: None,
                }
                .into());
            }
        }
    }
}

/// The questions of a call whose answers the server waits for, if the client knows the call of a
/// question.
#[derive(Debug)]
pub(crate) struct CallQuestions<'a> {
    /// The clocks that are paused while a question on the connection is answered that may belong to
    /// any call.
    shared: &'a Clocks,
    /// The clocks that are paused while a question of this call is answered; empty until there is
    /// one.
    own: OnceLock<Clocks>,
}

impl<'a> CallQuestions<'a> {
    pub(crate) fn new(shared: &'a Clocks) -> Self {
        let own = OnceLock::new();
        Self { shared, own }
    }

    /// The clocks that are paused while a question of this call is answered.
    pub(crate) fn own(&self) -> &Clocks {
        self.own.get_or_init(Clocks::default)
    }

    fn clocks(&self) -> impl Iterator<Item = &Clocks> {
        std::iter::once(self.shared).chain(self.own.get())
    }
}

/// Pauses the clocks for one question until it is dropped, and holds the question's place among
/// those of the connection.
#[derive(Debug)]
pub(crate) struct QuestionPermit {
    _pause: ClockPause,
    _place: OwnedSemaphorePermit,
}

impl QuestionPermit {
    /// Pauses `clocks`, and holds `place`.
    pub(crate) fn new(clocks: &Clocks, place: OwnedSemaphorePermit) -> Self {
        Self {
            _pause: clocks.pause(),
            _place: place,
        }
    }
}
