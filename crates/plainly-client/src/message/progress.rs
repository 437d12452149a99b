//! The progress of calls, as servers report it: finds the call that a notification is about, passes
//! the progress to the caller's function, and notes the time of the progress. Knows the progress
//! tokens, which are the ids of requests, and nothing else of the calls.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use plainly_protocol::id::{ProgressToken, RequestId};
use plainly_protocol::method::Method;
use plainly_protocol::types::ProgressParams;
use tokio::time::Instant;

use crate::error::mistakes;
use plainly_transport::lock::Lock;

/// A progress update of a call (Progress).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// The amount done so far, which increases each time. A task reports only messages: each comes
    /// with the amount that was reported before the call became a task.
    pub done: f64,
    /// The total amount, in the same unit, if the server knows it.
    pub total: Option<f64>,
    /// A description of the current step, for the user.
    pub message: Option<String>,
}

/// Called with each update.
pub(crate) type OnProgress = Box<dyn FnMut(ProgressUpdate) + Send>;

/// The calls of a connection that asked for progress.
#[derive(Debug, Default)]
pub(crate) struct ProgressTable(Lock<HashMap<ProgressToken, Arc<ProgressListener>>>);

/// The caller's function for the progress of one call, across all requests of the call.
pub(crate) struct ProgressListener {
    tell: Lock<Option<OnProgress>>,
    heard: Lock<LastProgress>,
}

#[derive(Clone, Copy, Debug)]
struct LastProgress {
    at: Instant,
    done: f64,
    total: Option<f64>,
}

/// Keeps a call in the table until it is dropped.
pub(crate) struct ProgressEntry<'a> {
    table: &'a ProgressTable,
    token: ProgressToken,
}

impl ProgressListener {
    pub(crate) fn new(tell: OnProgress) -> Arc<Self> {
        Arc::new(Self {
            tell: Lock::new(Some(tell)),
            heard: Lock::new(LastProgress::none()),
        })
    }

    /// The time of the last progress, or when the request was sent.
    pub(crate) fn last(&self) -> Instant {
        self.heard.lock().at
    }

    /// Reports progress. The amount must have increased, because otherwise a server could keep a
    /// call waiting without any progress.
    fn take(&self, progress: ProgressUpdate) {
        {
            // The lock is released before the callback runs, because the call's timeout needs it
            // too.
            let mut heard = self.heard.lock();
            if progress.done <= heard.done {
                return tracing::debug!(?progress, "dropped progress that did not advance");
            }
            *heard = LastProgress {
                at: Instant::now(),
                done: progress.done,
                total: progress.total,
            };
        }
        self.tell(progress);
    }

    /// Reports the message of a task as progress.
    pub(crate) fn say(&self, message: &str) {
        let LastProgress { done, total, .. } = *self.heard.lock();
        self.tell(ProgressUpdate {
            done: done.max(0.0),
            total,
            message: Some(message.to_owned()),
        });
    }

    fn tell(&self, progress: ProgressUpdate) {
        let mut tell = self.tell.lock();
        let Some(callback) = tell.as_mut() else {
            return;
        };
        // The callback runs where the connection is read, which must continue for all other calls
        // after a panic.
        if catch_unwind(AssertUnwindSafe(|| callback(progress))).is_err() {
            tracing::error!("the handler of progress panicked: it is not called again");
            *tell = None;
        }
    }
}

impl LastProgress {
    fn none() -> Self {
        Self {
            at: Instant::now(),
            done: f64::NEG_INFINITY,
            total: None,
        }
    }
}

impl ProgressTable {
    /// Reports the progress of the request `id` to `listener`, until the result is dropped.
    pub(crate) fn add(
        &self,
        id: &RequestId,
        listener: &Arc<ProgressListener>,
    ) -> ProgressEntry<'_> {
        let token = ProgressToken::from(id.clone());
        // A call may need several requests, and each starts its progress again.
        *listener.heard.lock() = LastProgress::none();
        self.0.lock().insert(token.clone(), Arc::clone(listener));
        ProgressEntry { table: self, token }
    }

    /// Stops reporting the progress of the request `id`, because its reply has arrived.
    pub(crate) fn remove(&self, id: &RequestId) {
        self.0.lock().remove(&ProgressToken::from(id.clone()));
    }

    /// Handles a progress notification.
    pub(crate) fn take(&self, params: &[u8]) {
        let params: ProgressParams = match serde_json::from_slice(params) {
            Ok(params) => params,
            Err(why) => return mistakes::log(Method::Progress, params, &why),
        };
        let listener = self.0.lock().get(&params.progress_token).cloned();
        match listener {
            Some(listener) => listener.take(ProgressUpdate {
                done: params.progress,
                total: params.total,
                message: params.message,
            }),
            None => tracing::debug!("dropped progress of an unknown request"),
        }
    }
}

impl Drop for ProgressEntry<'_> {
    fn drop(&mut self) {
        self.table.0.lock().remove(&self.token);
    }
}

impl fmt::Debug for ProgressListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgressListener")
            .field("heard", &self.heard)
            .finish_non_exhaustive()
    }
}
