//! The timeouts of a call: the idle time restarts with each sign of life and is suspended while the server waits for
//! us; the total time is limited all the same (Cancellation, "Timeouts").

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use plainly_protocol::method::Method;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep_until};

use super::error::{Error, LocalError};
use super::progress::ProgressListener;

/// The time limit for a message on which nothing depends any more, whatever it needs.
pub(super) const FAREWELL: Duration = Duration::from_secs(5);

/// The limits of the time that a call takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    /// Since the last sign of life.
    pub(super) idle: Duration,
    /// In all.
    pub(super) total: Duration,
}

impl Timeouts {
    /// Waits for `calling`, which calls `method`, within these limits.
    pub(super) async fn wait_for<T>(
        self,
        method: Method,
        progress: Option<&ProgressListener>,
        questions: &CallQuestions<'_>,
        calling: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let start = Instant::now();
        // Fixed, whatever progress is reported: the specification asks for a maximum ("Timeouts").
        let end = start + self.total;
        let mut last = start;
        let mut calling = pin!(calling);
        loop {
            tokio::select! {
                biased;
                // A reply that is there counts, even if it came at the last moment.
                called = &mut calling => return called,
                () = sleep_until(end.min(last + self.idle)) => {}
            }
            let now = Instant::now();
            if now < end && !questions.is_empty() {
                tokio::select! {
                    biased;
                    called = &mut calling => return called,
                    () = questions.all_answered() => {}
                    () = sleep_until(end) => {}
                }
            }
            let signs = [progress.map(ProgressListener::last), questions.last()];
            last = signs.into_iter().flatten().fold(last, Instant::max);
            let now = Instant::now();
            if now >= end || now >= last + self.idle {
                let after = if now >= end { self.total } else { self.idle };
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

/// The questions for whose answers the server keeps one call waiting, as far as is known.
#[derive(Debug)]
pub(super) struct CallQuestions<'a> {
    /// Counts the questions on the connection that may belong to any call.
    shared: &'a QuestionCounter,
    /// Counts the questions of this call; empty until there is one.
    own: OnceLock<Arc<QuestionCounter>>,
}

impl<'a> CallQuestions<'a> {
    pub(super) fn new(shared: &'a QuestionCounter) -> Self {
        let own = OnceLock::new();
        Self { shared, own }
    }

    /// Counts the questions of this call.
    pub(super) fn own(&self) -> &Arc<QuestionCounter> {
        self.own.get_or_init(Arc::default)
    }

    fn is_empty(&self) -> bool {
        self.counters().all(QuestionCounter::is_empty)
    }

    /// When the last answer was given, if any was.
    fn last(&self) -> Option<Instant> {
        self.counters().filter_map(QuestionCounter::last).max()
    }

    async fn all_answered(&self) {
        for counter in self.counters() {
            counter.all_answered().await;
        }
    }

    fn counters(&self) -> impl Iterator<Item = &QuestionCounter> {
        let own = self.own.get().map(|own| &**own);
        std::iter::once(self.shared).chain(own)
    }
}

/// Counts questions of the server that are being answered: those of one call, or those that may belong to any call on a
/// connection.
#[derive(Debug)]
pub(super) struct QuestionCounter(watch::Sender<QuestionCount>);

#[derive(Debug, Default)]
struct QuestionCount {
    open: usize,
    /// When the last answer was given.
    last: Option<Instant>,
}

/// Counts one question until it is dropped, and holds its place among those of the connection.
#[derive(Debug)]
pub(super) struct QuestionPermit {
    counter: Arc<QuestionCounter>,
    _place: OwnedSemaphorePermit,
}

impl Default for QuestionCounter {
    fn default() -> Self {
        Self(watch::Sender::new(QuestionCount::default()))
    }
}

impl QuestionCounter {
    /// Adds one, which has this place.
    pub(super) fn add(self: &Arc<Self>, place: OwnedSemaphorePermit) -> QuestionPermit {
        self.0.send_modify(|count| count.open += 1);
        QuestionPermit {
            counter: Arc::clone(self),
            _place: place,
        }
    }

    fn is_empty(&self) -> bool {
        self.0.borrow().open == 0
    }

    /// When the last answer was given, if any was.
    fn last(&self) -> Option<Instant> {
        self.0.borrow().last
    }

    async fn all_answered(&self) {
        let mut count = self.0.subscribe();
        // This fails only if the sender is gone, and `self` holds it.
        let _none = count.wait_for(|count| count.open == 0).await;
    }
}

impl Drop for QuestionPermit {
    fn drop(&mut self) {
        self.counter.0.send_modify(|count| {
            count.open -= 1;
            count.last = Some(Instant::now());
        });
    }
}
