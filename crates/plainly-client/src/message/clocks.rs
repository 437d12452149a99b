//! Clocks that are paused while the client waits: those of a connection while the user decides
//! whether to log in, those of a call while its server waits for this client's answer.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, sleep};

/// The clocks of a connection and of the calls on it, which are paused while the client waits for
/// its user. Clones share the same clocks.
///
/// An `Authorizer` pauses them during a login, so that neither calls nor connecting time out.
#[derive(Clone, Debug, Default)]
pub struct Clocks(Arc<watch::Sender<ClockState>>);

/// Whether the clocks are paused, and for how long they were.
#[derive(Debug, Default)]
struct ClockState {
    /// The number of current pauses.
    pauses: usize,
    /// The start of the first current pause.
    since: Option<Instant>,
    /// The total time of earlier pauses.
    before: Duration,
    /// The end of the last pause.
    last: Option<Instant>,
}

/// Pauses the clocks until it is dropped.
#[derive(Debug)]
#[must_use = "the clocks run again when this is dropped"]
pub struct ClockPause(Clocks);

impl Clocks {
    /// Pauses the clocks until the result, and that of every other pause, is dropped.
    pub fn pause(&self) -> ClockPause {
        self.0.send_modify(|standing| {
            standing.pauses += 1;
            standing.since.get_or_insert_with(Instant::now);
        });
        ClockPause(self.clone())
    }

    /// Waits until no pause is left.
    pub(crate) async fn until_running(&self) {
        let mut standing = self.0.subscribe();
        // This fails only if the sender is gone, and `self` holds it.
        let _none = standing.wait_for(|standing| standing.pauses == 0).await;
    }

    /// The end of the last pause, if there was one.
    pub(crate) fn last(&self) -> Option<Instant> {
        self.0.borrow().last
    }

    /// Measures time by these clocks from now on.
    pub(crate) fn stopwatch(&self) -> Stopwatch {
        Stopwatch {
            start: Instant::now(),
            stood: self.stood(),
            clocks: self.clone(),
        }
    }

    /// The total time of all pauses.
    fn stood(&self) -> Duration {
        let standing = self.0.borrow();
        let now = standing.since.map(|since| since.elapsed());
        standing.before + now.unwrap_or_default()
    }
}

impl Drop for ClockPause {
    fn drop(&mut self) {
        let Self(clocks) = self;
        clocks.0.send_modify(|standing| {
            standing.pauses -= 1;
            standing.last = Some(Instant::now());
            if standing.pauses == 0 {
                let since = standing.since.take();
                standing.before += since.map(|since| since.elapsed()).unwrap_or_default();
            }
        });
    }
}

/// Measures time without the pauses of clocks.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    clocks: Clocks,
    start: Instant,
    /// The total time of the pauses before the start.
    stood: Duration,
}

impl Stopwatch {
    /// The time so far, without pauses.
    pub(crate) fn elapsed(&self) -> Duration {
        let stood = self.clocks.stood().saturating_sub(self.stood);
        self.start.elapsed().saturating_sub(stood)
    }

    /// Waits until `time` has passed on these clocks.
    ///
    /// Does not depend on the budget of its task, because the awaited work may use all of it: a
    /// server that sends messages faster than the client reads them would otherwise outlast every
    /// timeout.
    pub(crate) fn reaches(&self, time: Duration) -> impl Future<Output = ()> {
        unconstrained(async move {
            loop {
                let left = time.saturating_sub(self.elapsed());
                if left.is_zero() {
                    return;
                }
                self.clocks.until_running().await;
                sleep(left).await;
            }
        })
    }

    /// Waits for `doing` until `time` has passed; `None` if it takes longer.
    pub(crate) async fn wait_until<T>(
        &self,
        time: Duration,
        doing: impl Future<Output = T>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            done = doing => Some(done),
            () = self.reaches(time) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::task::coop::consume_budget;
    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn the_time_of_pauses_does_not_count_whether_they_overlap_or_not() {
        let clocks = Clocks::default();
        let watch = clocks.stopwatch();
        advance(SECOND).await;
        assert_eq!((watch.elapsed(), clocks.last()), (SECOND, None));
        let (first, second) = (clocks.pause(), clocks.clone().pause());
        advance(SECOND).await;
        let during = clocks.stopwatch();
        drop(first);
        advance(SECOND).await;
        assert_eq!(watch.elapsed(), SECOND);
        drop(second);
        let resumed = Instant::now();
        advance(SECOND).await;
        assert_eq!(watch.elapsed(), 2 * SECOND);
        assert_eq!(during.elapsed(), SECOND);
        assert_eq!(clocks.last(), Some(resumed));
        let third = clocks.pause();
        advance(SECOND).await;
        drop(third);
        assert_eq!(watch.elapsed(), 2 * SECOND);
    }

    #[tokio::test]
    async fn work_that_uses_up_the_budget_of_its_task_ends_in_time_too() {
        let watch = Clocks::default().stopwatch();
        let busy = async {
            loop {
                consume_budget().await;
            }
        };
        let done = watch.wait_until(Duration::from_millis(10), busy);
        let done = timeout(60 * SECOND, done).await;
        assert_eq!(done, Ok(None::<()>));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_waited_for_ends_when_so_much_time_has_passed_without_pauses() {
        let clocks = Clocks::default();
        let began = Instant::now();
        let late = clocks.clone();
        tokio::spawn(async move {
            for seconds in [1, 5] {
                sleep(SECOND).await;
                let _pause = late.pause();
                sleep(seconds * SECOND).await;
            }
        });
        let watch = clocks.stopwatch();
        let never = std::future::pending::<()>();
        assert_eq!(watch.wait_until(3 * SECOND, never).await, None);
        assert_eq!(began.elapsed(), 9 * SECOND);
        let _pause = clocks.pause();
        let done = watch.wait_until(Duration::ZERO, async { 7 }).await;
        assert_eq!(done, Some(7));
    }
}
