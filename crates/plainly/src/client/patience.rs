//! How long a call is waited for: its time begins anew with each sign of life, does not run while the server waits for us,
//! and has an end all the same (Cancellation, "Timeouts").

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use plainly_protocol::method::Method;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::error::{Error, LocalError};
use super::progress::Signs;

/// How many questions of the server are being answered on one connection.
#[derive(Debug)]
pub(super) struct Busy(watch::Sender<usize>);

/// One of them, until it is dropped.
#[derive(Debug)]
pub(super) struct Answering(Arc<Busy>);

impl Default for Busy {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Busy {
    /// One more, unless there are `most`.
    pub(super) fn begin(self: &Arc<Self>, most: usize) -> Option<Answering> {
        let begun = self.0.send_if_modified(|answering| {
            let has_room = *answering < most;
            *answering += usize::from(has_room);
            has_room
        });
        begun.then(|| Answering(Arc::clone(self)))
    }

    fn is_idle(&self) -> bool {
        *self.0.borrow() == 0
    }

    async fn idle(&self) {
        let mut answering = self.0.subscribe();
        // Whoever waits holds the sender, which is what could fail.
        let _idle = answering.wait_for(|answering| *answering == 0).await;
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.0.send_modify(|answering| *answering -= 1);
    }
}

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For a sign of life.
    pub(super) after: Duration,
    /// In all.
    pub(super) most: Duration,
}

impl Patience {
    /// What calling `method` leads to in this time.
    pub(super) async fn within<T>(
        self,
        method: Method,
        signs: Option<&Signs>,
        busy: &Busy,
        calling: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let start = Instant::now();
        let end = start + self.most;
        let mut last = start;
        let mut calling = pin!(calling);
        loop {
            tokio::select! {
                biased;
                called = &mut calling => return called,
                () = sleep_until(end.min(last + self.after)) => {}
            }
            let now = Instant::now();
            if now < end && !busy.is_idle() {
                tokio::select! {
                    biased;
                    called = &mut calling => return called,
                    () = busy.idle() => {}
                    () = sleep_until(end) => {}
                }
                last = Instant::now();
                continue;
            }
            last = signs.map_or(last, |signs| last.max(signs.last()));
            if now >= end || now >= last + self.after {
                let after = if now >= end { self.most } else { self.after };
                let method = method.name();
                return Err(LocalError::Timeout { method, after }.into());
            }
        }
    }
}
