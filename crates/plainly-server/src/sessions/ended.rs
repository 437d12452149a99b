//! The end of each session, for measurements by the program.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plainly_errors::Revision;

use crate::failure::incident::chain;
use crate::panics::caught;

/// A session that has ended, as
/// [`ServerBuilder::on_session_end`](crate::ServerBuilder::on_session_end) reports it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EndedSession {
    /// The revision of the client, or that of its last request if it used several.
    pub revision: Revision,
    /// `http`, or `stream` for all other transports.
    pub transport: &'static str,
    /// The time from the beginning of the session to its last use. An idle session ends later than
    /// that.
    pub duration: Duration,
    /// The failure of the connection, if the session ended by one. `None` over HTTP, where a
    /// session outlives its connections.
    pub error: Option<io::ErrorKind>,
}

/// The program's function that observes the ends of sessions, if there is one.
#[derive(Clone, Default)]
pub(crate) struct SessionObserver(Option<Arc<SessionCount>>);

type SessionCount = dyn Fn(&EndedSession) + Send + Sync;

impl SessionObserver {
    pub(crate) fn new(count: impl Fn(&EndedSession) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(count)))
    }

    pub(super) fn report(&self, ended: impl FnOnce() -> EndedSession) {
        if let Some(count) = &self.0
            && let Err(error) = caught(|| count(&ended()))
        {
            tracing::error!(error = chain(&error), "the observer of sessions panicked");
        }
    }

    /// The session of a connection that begins now, if an observer exists.
    pub(crate) fn connection(&self) -> Option<ConnectionSession> {
        self.0.as_ref().map(|_| ConnectionSession {
            observer: self.clone(),
            began: Instant::now(),
            revision: None,
            error: None,
        })
    }
}

impl fmt::Debug for SessionObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionObserver")
            .field(&self.0.is_some())
            .finish()
    }
}

/// A connection as a session. It ends when this is dropped, and is reported if a client identified
/// itself on the connection.
#[derive(Debug)]
pub(crate) struct ConnectionSession {
    observer: SessionObserver,
    began: Instant,
    pub(crate) revision: Option<Revision>,
    pub(crate) error: Option<io::ErrorKind>,
}

impl Drop for ConnectionSession {
    fn drop(&mut self) {
        if let Some(revision) = self.revision {
            self.observer.report(|| EndedSession {
                revision,
                transport: "stream",
                duration: self.began.elapsed(),
                error: self.error,
            });
        }
    }
}
