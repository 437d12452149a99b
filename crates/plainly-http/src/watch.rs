//! The phases of an HTTP/1.1 connection, and the time limit of each. One timer serves the
//! connection for its whole life and is reset only for an earlier deadline, so a request costs a
//! single reading of the clock.

use std::pin::Pin;
use std::sync::{Arc, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Version;
use tokio::time::{Instant, Sleep};

use super::HttpLimits;
use super::limits::after;
use plainly_transport::lock::Lock;

/// The time for which a closing connection continues to read from its peer. If it closed earlier,
/// its last response could get lost.
pub(super) const LINGER: Duration = Duration::from_secs(1);
/// The first byte of a connection with TLS (RFC 8446, 5.1).
pub(super) const TLS_HANDSHAKE: u8 = 22;

/// The events on a connection, which its socket and its requests record.
#[derive(Clone, Debug, Default)]
pub(super) struct Activity(Arc<Lock<ConnectionEvents>>);

#[derive(Debug, Default)]
pub(super) struct ConnectionEvents {
    /// The number of requests so far.
    requests: u64,
    /// Whether a request is being served: from the end of its head until its response's body is
    /// sent.
    is_serving: bool,
    /// Whether the first bytes were those of TLS.
    pub(super) is_secure: bool,
    /// Whether the body of the last request has arrived completely.
    pub(super) has_body: bool,
    /// Whether its response has begun.
    pub(super) is_answering: bool,
    /// Whether the peer understands informational responses, because it uses HTTP/1.1.
    takes_interim: bool,
    /// Whether bytes have arrived since the last request was served.
    has_heard: bool,
    /// Whether the peer has not yet read all sent bytes.
    pub(super) is_blocked: bool,
    /// Whether the last response was sent.
    pub(super) is_closing: bool,
}

impl Activity {
    pub(super) fn events(&self) -> MutexGuard<'_, ConnectionEvents> {
        self.0.lock()
    }

    /// Records that a request is being served, for as long as the result lives.
    pub(super) fn serve(&self, version: Version) -> ServedRequest {
        let mut events = self.events();
        *events = ConnectionEvents {
            requests: events.requests + 1,
            is_serving: true,
            takes_interim: version == Version::HTTP_11,
            is_blocked: events.is_blocked,
            ..ConnectionEvents::default()
        };
        ServedRequest(self.clone())
    }
}

impl ConnectionEvents {
    /// Records that bytes were read, the first of which is `first`.
    pub(super) fn note_read(&mut self, first: u8) {
        if !self.is_serving {
            self.is_secure |= first == TLS_HANDSHAKE && self.requests == 0 && !self.has_heard;
            self.has_heard = true;
        }
    }

    /// Whether the peer still waits for a response, or for the rest of one, although it has
    /// finished sending.
    pub(super) fn owes_answer(&self) -> bool {
        self.is_blocked || self.is_serving && !self.is_answering
    }

    /// Whether the body of the current request is still incomplete.
    pub(super) fn lacks_body(&self) -> bool {
        self.is_serving && !self.has_body
    }

    /// Whether the connection ended in the middle of a body or of a head.
    pub(super) fn was_cut_off(&self) -> bool {
        self.has_heard || self.requests > 0 && !self.has_body
    }

    /// Whether an informational response may be sent now.
    pub(super) fn takes_interim(&self) -> bool {
        self.owes_answer() && !self.is_blocked && self.takes_interim
    }

    fn phase(&self) -> Phase {
        let requests = self.requests;
        if self.is_closing {
            Phase::Closing
        } else if self.is_serving || self.is_blocked {
            Phase::Serving
        } else if requests == 0 || self.has_heard {
            Phase::Head { requests }
        } else {
            Phase::Idle { requests }
        }
    }
}

/// A guard for a request that is being served.
#[derive(Debug)]
pub(super) struct ServedRequest(Activity);

impl ServedRequest {
    pub(super) fn note_answer(&self) {
        self.0.events().is_answering = true;
    }
}

impl Drop for ServedRequest {
    fn drop(&mut self) {
        self.0.events().is_serving = false;
    }
}

/// The event that a connection waits for. The deadline starts when this changes, so that occasional
/// bytes do not extend it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The rest of a head.
    Head { requests: u64 },
    /// The next request.
    Idle { requests: u64 },
    /// A body, a response, or the peer to read one; these have separate limits.
    Serving,
    /// The peer to close its side too.
    Closing,
}

impl Phase {
    fn limit(self, limits: &HttpLimits) -> Option<Duration> {
        match self {
            Self::Head { .. } => Some(limits.head),
            Self::Idle { .. } => Some(limits.idle),
            Self::Serving => None,
            Self::Closing => Some(LINGER),
        }
    }
}

/// Detects that a connection has waited for too long.
pub(super) struct Watch<'a> {
    activity: &'a Activity,
    limits: &'a HttpLimits,
    phase: Phase,
    deadline: Option<Instant>,
    /// Never set later than the deadline, and usually much earlier.
    timer: Pin<&'a mut Sleep>,
}

impl<'a> Watch<'a> {
    /// Starts with a new connection; `timer` may be set to any time.
    pub(super) fn new(
        activity: &'a Activity,
        limits: &'a HttpLimits,
        mut timer: Pin<&'a mut Sleep>,
    ) -> Self {
        let phase = Phase::Head { requests: 0 };
        let deadline = after(limits.head);
        timer.as_mut().reset(deadline);
        Self {
            activity,
            limits,
            phase,
            deadline: Some(deadline),
            timer,
        }
    }

    /// Ready once the connection must be closed.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let phase = self.activity.events().phase();
        if phase != self.phase {
            self.phase = phase;
            let limit = phase.limit(self.limits);
            self.deadline = limit.map(after);
        }
        let Some(deadline) = self.deadline else {
            return Poll::Pending;
        };
        if deadline < self.timer.deadline() {
            self.timer.as_mut().reset(deadline);
        }
        // The timer may still be set for an earlier phase, because resetting it in every phase
        // would cost time for each request.
        while self.timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}
