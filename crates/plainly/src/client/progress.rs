//! How far calls have come, as servers tell it: which call a notification is about, what it says to whoever asked, and that
//! it is a sign of life. Knows the tokens, which are the ids of requests, and nothing else of the calls.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use plainly_protocol::id::{ProgressToken, RequestId};
use plainly_protocol::types::ProgressParams;
use tokio::time::Instant;

use super::stream::lock;

/// How far a call has come (Progress).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// How far it has come; more each time.
    pub done: f64,
    /// How far there is to go, in the same unit, if the server knows.
    pub total: Option<f64>,
    /// What is being done, for people.
    pub message: Option<String>,
}

/// Whom to tell.
pub(super) type OnProgress = Box<dyn FnMut(Progress) + Send>;

/// The calls of a connection that asked for progress.
#[derive(Debug, Default)]
pub(super) struct Underway(Mutex<HashMap<ProgressToken, Arc<Signs>>>);

/// What is heard of one call, over all the requests that it takes.
pub(super) struct Signs {
    tell: Mutex<Option<OnProgress>>,
    heard: Mutex<Heard>,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    at: Instant,
    done: f64,
}

/// A place among the calls, until it is dropped.
pub(super) struct Followed<'a> {
    underway: &'a Underway,
    token: ProgressToken,
}

impl Signs {
    pub(super) fn new(tell: OnProgress) -> Arc<Self> {
        Arc::new(Self {
            tell: Mutex::new(Some(tell)),
            heard: Mutex::new(Heard::nothing()),
        })
    }

    /// When there was one last.
    pub(super) fn last(&self) -> Instant {
        lock(&self.heard).at
    }

    /// Tells of progress, which must be more than before: what is not would keep a call waiting for nothing.
    fn take(&self, progress: Progress) {
        {
            let mut heard = lock(&self.heard);
            if progress.done <= heard.done {
                return tracing::debug!(?progress, "progress that is none is dropped");
            }
            *heard = Heard {
                at: Instant::now(),
                done: progress.done,
            };
        }
        let mut tell = lock(&self.tell);
        let Some(callback) = tell.as_mut() else {
            return;
        };
        // It runs where the connection is read, which must go on for all other calls.
        if catch_unwind(AssertUnwindSafe(|| callback(progress))).is_err() {
            tracing::error!("what was to be told of progress panicked: it is told no more");
            *tell = None;
        }
    }
}

impl Heard {
    fn nothing() -> Self {
        Self {
            at: Instant::now(),
            done: f64::NEG_INFINITY,
        }
    }
}

impl Underway {
    /// Follows the request `id` from now on.
    pub(super) fn follow(&self, id: &RequestId, signs: &Arc<Signs>) -> Followed<'_> {
        let token = ProgressToken::from(id.clone());
        *lock(&signs.heard) = Heard::nothing();
        lock(&self.0).insert(token.clone(), Arc::clone(signs));
        Followed {
            underway: self,
            token,
        }
    }

    /// Follows the request `id` no more: its reply has come.
    pub(super) fn leave(&self, id: &RequestId) {
        lock(&self.0).remove(&ProgressToken::from(id.clone()));
    }

    /// Takes a notification of progress.
    pub(super) fn take(&self, params: &[u8]) {
        let params: ProgressParams = match serde_json::from_slice(params) {
            Ok(params) => params,
            Err(error) => return tracing::debug!(%error, "illegible progress is dropped"),
        };
        let signs = lock(&self.0).get(&params.progress_token).cloned();
        match signs {
            Some(signs) => signs.take(Progress {
                done: params.progress,
                total: params.total,
                message: params.message,
            }),
            None => tracing::debug!("progress of nothing that goes on is dropped"),
        }
    }
}

impl Drop for Followed<'_> {
    fn drop(&mut self) {
        lock(&self.underway.0).remove(&self.token);
    }
}

impl fmt::Debug for Signs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signs")
            .field("heard", &self.heard)
            .finish_non_exhaustive()
    }
}
