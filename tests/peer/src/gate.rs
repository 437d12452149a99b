//! A gate where handlers wait until the test opens it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Notify, Semaphore};

use crate::within;

/// A gate, which counts all arrivals and the waiting ones. Clones are the same gate.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    open: Semaphore,
    came: AtomicUsize,
    waiting: AtomicUsize,
    changed: Notify,
}

impl Default for Gate {
    fn default() -> Self {
        Self(Arc::new(Inner {
            open: Semaphore::new(0),
            came: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            changed: Notify::new(),
        }))
    }
}

/// Counts as waiting until it is dropped.
struct Waiting<'a>(&'a Inner);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

impl Gate {
    /// Creates a closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until the gate is opened for the caller.
    pub async fn pass(&self) {
        let inner = &*self.0;
        inner.came.fetch_add(1, Ordering::SeqCst);
        inner.waiting.fetch_add(1, Ordering::SeqCst);
        let _waiting = Waiting(inner);
        inner.changed.notify_waiters();
        inner.open.acquire().await.unwrap().forget();
    }

    /// Opens the gate for this number of callers.
    pub fn open(&self, count: usize) {
        self.0.open.add_permits(count);
    }

    /// The number of all arrivals.
    #[must_use]
    pub fn came(&self) -> usize {
        self.0.came.load(Ordering::SeqCst)
    }

    /// The number of waiting callers.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::SeqCst)
    }

    /// Waits until this number of callers wait.
    pub async fn holds(&self, count: usize) {
        self.until(|| self.waiting() == count).await;
    }

    /// Waits until this number of callers have arrived.
    pub async fn saw(&self, count: usize) {
        self.until(|| self.came() == count).await;
    }

    async fn until(&self, is_so: impl Fn() -> bool) {
        within(async {
            loop {
                let changed = self.0.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if is_so() {
                    return;
                }
                changed.await;
            }
        })
        .await;
    }
}
