//! Work that may block: runs on its own thread, a limited number of jobs at a time, and only while
//! the caller waits. Independent of files.

use std::sync::{Arc, Weak};

#[cfg(feature = "tools")]
use plainly::store::StorePlace;
use plainly::store::{Budget, BudgetPart, StoreError, StorePlaces};
use tokio::task::JoinHandle;

use crate::lock::Lock;

/// The maximum number of jobs of a store that run at a time, because each may hold a whole file.
/// Other jobs wait without a thread.
const AT_ONCE: usize = 32;

/// The maximum number of long jobs among them.
#[cfg(feature = "tools")]
const LONG_AT_ONCE: usize = AT_ONCE / 4;

/// The maximum number of long jobs that run one at a time or wait for each other. Each caller may
/// have one.
#[cfg(feature = "tools")]
const SINGLE_AT_ONCE: usize = 8;

/// The jobs of a store.
#[derive(Debug)]
pub(super) struct Jobs {
    places: StorePlaces,
    /// The places of long jobs, which need a place here and in `places`.
    #[cfg(feature = "tools")]
    long: StorePlaces,
    /// The places of long jobs that run one at a time. Each caller may have one.
    #[cfg(feature = "tools")]
    single: StorePlaces,
    /// The memory budget for running jobs and their results. A slow caller may leave a result
    /// waiting for long.
    pub(super) budget: Budget,
}

/// A job's view of the caller that waits for its result.
#[derive(Clone, Debug)]
pub(super) struct Waiter(Weak<Waits>);

/// The caller that waits for the result of a job.
#[derive(Debug)]
pub(super) struct Waits {
    /// The part of the budget that the job and its result use.
    held: Lock<BudgetPart>,
}

/// The error of a job whose caller has gone. It is never seen.
#[derive(Debug, thiserror::Error)]
#[error("the result is no longer needed")]
struct CallerGone;

/// A running or queued job. Dropping it cancels the job: a queued job never starts, a running one
/// stops at its next check.
struct Job<T> {
    handle: JoinHandle<T>,
    _waits: Arc<Waits>,
}

impl Jobs {
    /// Creates a store's jobs, which take their memory from `budget`.
    pub(super) fn new(budget: Budget) -> Self {
        Self {
            places: StorePlaces::new(AT_ONCE),
            #[cfg(feature = "tools")]
            long: StorePlaces::new(LONG_AT_ONCE),
            #[cfg(feature = "tools")]
            single: StorePlaces::new(SINGLE_AT_ONCE),
            budget,
        }
    }

    /// Runs `work` on a thread that may block.
    pub(super) async fn run<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl FnOnce(&Waiter) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        self.run_with(async {}, |waiter, ()| work(waiter)).await
    }

    /// Runs `work` with the output of `ready`, which is only polled once the job has its place. A
    /// job that waits for a place thus holds nothing that other jobs need.
    pub(super) async fn run_with<
        R: Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    >(
        &self,
        ready: impl Future<Output = R>,
        work: impl FnOnce(&Waiter, R) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let place = self.places.take().await?;
        let ready = ready.await;
        let waits = Waits::new(&self.budget);
        let waiter = Waiter(Arc::downgrade(&waits));
        let mut job = Job {
            handle: tokio::task::spawn_blocking(move || {
                // The job owns its place, so an abandoned job occupies it until it stops.
                let _place = place;
                work(&waiter, ready)
            }),
            _waits: waits,
        };
        (&mut job.handle)
            .await
            .map_err(|error| StoreError::Failed(error.into()))?
    }

    /// Waits until a long job may start, so that places are left for shorter ones. The job may run
    /// while the result is alive.
    #[cfg(feature = "tools")]
    pub(super) async fn long(&self) -> Result<StorePlace, StoreError> {
        self.long.take().await
    }

    /// Waits like [`long`](Self::long), for a long job that then waits for others of its kind
    /// without a regular place.
    #[cfg(feature = "tools")]
    pub(super) async fn single(&self) -> Result<StorePlace, StoreError> {
        self.single.take().await
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.handle.abort();
    }
}

impl Waits {
    fn new(budget: &Budget) -> Arc<Self> {
        Arc::new(Self {
            held: budget.part().into(),
        })
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        self.held.lock().bytes()
    }
}

impl Waiter {
    /// Reserves `bytes` of the budget in total for the job, until the caller takes the result.
    /// Waits until they are free.
    pub(super) fn hold(&self, bytes: u64) -> Result<(), StoreError> {
        if let Some(waits) = self.0.upgrade() {
            // A job is one thread, so no other thread waits for this lock.
            waits.held.lock().grow_blocking(bytes)?;
        }
        self.check()
    }

    /// Fails once the caller has gone. Cheap enough to call for every name and every piece of a
    /// file.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.0.strong_count() == 0 {
            return Err(StoreError::Failed(CallerGone.into()));
        }
        Ok(())
    }

    /// A waiter whose caller waits until the returned `Waits` is dropped.
    #[cfg(test)]
    pub(super) fn until_dropped() -> (Arc<Waits>, Self) {
        let waits = Waits::new(&Budget::new(u64::MAX));
        let waiter = Self(Arc::downgrade(&waits));
        (waits, waiter)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::task::{Context, Waker};
    use std::time::Duration;

    use tokio::runtime::{Builder, Runtime};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn runtime(threads: usize) -> Runtime {
        Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(threads)
            .build()
            .unwrap()
    }

    #[test]
    fn only_so_many_jobs_run_at_once_and_all_in_the_end() {
        const ALL: usize = 3 * AT_ONCE;
        let jobs = Arc::new(Jobs::new(Budget::default()));
        let runtime = runtime(ALL);
        let (begin, begun) = mpsc::channel();
        let (open, opened) = mpsc::channel::<()>();
        let gate = Arc::new(std::sync::Mutex::new(opened));
        for _ in 0..ALL {
            let (jobs, gate, begin) = (Arc::clone(&jobs), Arc::clone(&gate), begin.clone());
            runtime.spawn(async move {
                let work = move |_: &Waiter| {
                    begin.send(()).unwrap();
                    gate.lock().unwrap().recv().unwrap();
                    Ok::<_, StoreError>(())
                };
                jobs.run(work).await.unwrap();
            });
        }
        for _ in 0..AT_ONCE {
            begun.recv_timeout(PATIENCE).unwrap();
        }
        let one_more = begun.recv_timeout(Duration::from_millis(100));
        assert!(one_more.is_err(), "more than {AT_ONCE} run");
        (0..ALL).for_each(|_| open.send(()).unwrap());
        for _ in AT_ONCE..ALL {
            begun.recv_timeout(PATIENCE).unwrap();
        }
    }

    #[tokio::test]
    async fn a_job_that_waits_for_its_place_has_nothing_that_others_need() {
        let jobs = Jobs::new(Budget::default());
        let all = (0..AT_ONCE).map(|_| jobs.places.take());
        let all = futures_util::future::join_all(all).await;
        let needed = Arc::new(tokio::sync::Mutex::new(()));
        let ready = Arc::clone(&needed).lock_owned();
        let mut waiting = Box::pin(jobs.run_with(ready, |_, _| Ok::<_, StoreError>(())));
        let mut context = Context::from_waker(Waker::noop());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        assert!(needed.try_lock().is_ok());
        drop(all);
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn bytes_are_held_until_the_result_is_taken() {
        const KIB: u64 = 1 << 10;
        let budget = Budget::new(10 * KIB);
        let jobs = Jobs::new(budget.clone());
        let holding = |bytes: u64| {
            jobs.run(move |waiter| {
                waiter.hold(1)?;
                waiter.hold(bytes)
            })
        };
        // The job is done, but the caller doesn't take the result.
        let (say, said) = mpsc::channel();
        let mut left = Box::pin(jobs.run(move |waiter| {
            waiter.hold(6 * KIB)?;
            say.send(()).unwrap();
            Ok::<_, StoreError>(())
        }));
        let mut context = Context::from_waker(Waker::noop());
        assert!(left.as_mut().poll(&mut context).is_pending());
        said.recv_timeout(PATIENCE).unwrap();
        holding(4 * KIB).await.unwrap();
        let mut waiting = Box::pin(holding(5 * KIB));
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        left.await.unwrap();
        waiting.await.unwrap();
        budget.take(10 * KIB).await.unwrap();
        let refused = holding(11 * KIB).await.unwrap_err();
        assert!(matches!(refused, StoreError::TooLarge { .. }), "{refused}");
    }

    #[test]
    fn a_job_that_is_given_up_before_its_turn_never_runs() {
        let jobs = Arc::new(Jobs::new(Budget::default()));
        let runtime = runtime(1);
        let (open, opened) = mpsc::channel::<()>();
        let (begin, begun) = mpsc::channel();
        let started = begin.clone();
        let blocking = jobs.clone();
        runtime.spawn(async move {
            let work = move |_: &Waiter| {
                started.send("first").unwrap();
                opened.recv().unwrap();
                Ok::<_, StoreError>(())
            };
            blocking.run(work).await.unwrap();
        });
        assert_eq!(begun.recv_timeout(PATIENCE), Ok("first"));
        // The second job has its place and waits for the only thread.
        runtime.block_on(async {
            let work = move |_: &Waiter| {
                begin.send("second").unwrap();
                Ok::<_, StoreError>(())
            };
            let mut second = Box::pin(jobs.run(work));
            let mut context = Context::from_waker(Waker::noop());
            assert!(second.as_mut().poll(&mut context).is_pending());
        });
        open.send(()).unwrap();
        // Both jobs have ended, so both senders are dropped.
        assert!(begun.recv_timeout(PATIENCE).is_err());
        drop(runtime);
        assert_eq!(jobs.places.free(), AT_ONCE);
    }

    #[test]
    fn a_job_that_is_given_up_while_it_runs_learns_of_it() {
        let jobs = Arc::new(Jobs::new(Budget::default()));
        let runtime = runtime(1);
        let (say, said) = mpsc::channel();
        let running = Arc::clone(&jobs);
        let task = runtime.spawn(async move {
            let work = move |waiter: &Waiter| {
                say.send("begun").unwrap();
                while waiter.check().is_ok() {
                    std::thread::yield_now();
                }
                say.send("over").unwrap();
                Ok::<_, StoreError>(())
            };
            running.run(work).await.unwrap();
        });
        assert_eq!(said.recv_timeout(PATIENCE), Ok("begun"));
        assert_eq!(jobs.places.free(), AT_ONCE - 1);
        task.abort();
        assert_eq!(said.recv_timeout(PATIENCE), Ok("over"));
    }
}
