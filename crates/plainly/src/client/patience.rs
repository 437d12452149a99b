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
pub(super) struct Busy(watch::Sender<Answers>);

#[derive(Debug, Default)]
struct Answers {
    open: usize,
    /// When the last one was given.
    last: Option<Instant>,
}

/// One of them, until it is dropped.
#[derive(Debug)]
pub(super) struct Answering(Arc<Busy>);

impl Default for Busy {
    fn default() -> Self {
        Self(watch::Sender::new(Answers::default()))
    }
}

impl Busy {
    /// One more, unless there are `most`.
    pub(super) fn begin(self: &Arc<Self>, most: usize) -> Option<Answering> {
        let begun = self.0.send_if_modified(|answers| {
            let has_room = answers.open < most;
            answers.open += usize::from(has_room);
            has_room
        });
        begun.then(|| Answering(Arc::clone(self)))
    }

    fn is_idle(&self) -> bool {
        self.0.borrow().open == 0
    }

    /// When the last answer was given, if any was.
    fn last(&self) -> Option<Instant> {
        self.0.borrow().last
    }

    async fn idle(&self) {
        let mut answers = self.0.subscribe();
        // Whoever waits holds the sender, which is what could fail.
        let _idle = answers.wait_for(|answers| answers.open == 0).await;
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.0.send_modify(|answers| {
            answers.open -= 1;
            answers.last = Some(Instant::now());
        });
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
            }
            let heard = [signs.map(Signs::last), busy.last()];
            last = heard.into_iter().flatten().fold(last, Instant::max);
            let now = Instant::now();
            if now >= end || now >= last + self.after {
                let after = if now >= end { self.most } else { self.after };
                let method = method.name();
                return Err(LocalError::Timeout { method, after }.into());
            }
        }
    }
}
