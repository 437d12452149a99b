//! Work that may block: on its own thread, a few pieces at a time, and only as long as its result
//! is wanted. Knows nothing of files.

use std::sync::{Arc, Weak};

#[cfg(feature = "tools")]
use plainly::store::StorePlace;
use plainly::store::{Budget, BudgetPart, StoreError, StorePlaces};
use tokio::task::JoinHandle;

use crate::lock::Lock;

/// The most jobs of one store that run at a time; each may hold a whole file. Others wait for their turn without a thread.
const AT_ONCE: usize = 32;

/// The most of them that are long ones.
#[cfg(feature = "tools")]
const LONG_AT_ONCE: usize = AT_ONCE / 4;

/// The most long jobs that run one at a time, or wait for each other: each caller may have one.
#[cfg(feature = "tools")]
const SINGLE_AT_ONCE: usize = 8;

/// Runs what may block.
#[derive(Debug)]
pub(super) struct Jobs {
    places: StorePlaces,
    /// The places of long jobs, which have to take both.
    #[cfg(feature = "tools")]
    long: StorePlaces,
    /// The places of long jobs that run one at a time; each caller may have one.
    #[cfg(feature = "tools")]
    single: StorePlaces,
    /// The budget for the bytes that they and their results hold. A result may wait for long until it is taken: who asked may
    /// be one who reads slowly.
    pub(super) budget: Budget,
}

/// A job's view of the caller that waits for its result.
#[derive(Clone, Debug)]
pub(super) struct Waiter(Weak<Waits>);

/// The caller that waits for the result of a job, or takes it at this moment.
#[derive(Debug)]
pub(super) struct Waits {
    /// The bytes that the job and its result hold.
    held: Lock<BudgetPart>,
}

/// The error of a job whose caller has gone: it is never seen.
#[derive(Debug, thiserror::Error)]
#[error("the result is no longer needed")]
struct CallerGone;

/// A job on its way. Dropped, it is given up: not started if it hasn't been, and stopped at its
/// next check if it has.
struct Job<T> {
    handle: JoinHandle<T>,
    _waits: Arc<Waits>,
}

impl Jobs {
    /// Jobs whose bytes are taken from this budget.
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

    /// Does `work` on a thread that may block.
    pub(super) async fn run<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl FnOnce(&Waiter) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        self.run_with(async {}, |waiter, ()| work(waiter)).await
    }

    /// Does `work` with what `ready` gives. That is only asked for once the job has its place: no job that waits for one
    /// has what others need.
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
                // Held by the job and not by who waits for it: an abandoned one takes its place until it has noticed.
                let _place = place;
                work(&waiter, ready)
            }),
            _waits: waits,
        };
        (&mut job.handle)
            .await
            .map_err(|error| StoreError::Failed(error.into()))?
    }

    /// Waits until a job that takes long may begin, so that those that take less time have places left. It may run as long as
    /// the result lives.
    #[cfg(feature = "tools")]
    pub(super) async fn long(&self) -> Result<StorePlace, StoreError> {
        self.long.take().await
    }

    /// Waits like [`long`](Self::long) for a job that then waits for others of its kind: it takes no place of the rest.
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
    /// Takes `bytes` of the budget, those that it has already included, until the result is taken. Waits until there is room.
    pub(super) fn hold(&self, bytes: u64) -> Result<(), StoreError> {
        if let Some(waits) = self.0.upgrade() {
            // A job is one thread, and nobody else takes any for it.
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

    /// A caller that waits until the returned value is dropped.
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
        // Done, but nobody takes the result.
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
        // It has its place and waits for the only thread.
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
        // Nobody can say anything any more once both have ended.
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
