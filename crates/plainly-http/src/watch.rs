//! The phases of a connection of HTTP/1.1, and the time limit of each. One timer serves the
//! connection for its whole life and is set anew only for an earlier deadline, so a request costs
//! one look at the clock.

use std::pin::Pin;
use std::sync::{Arc, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Version;
use tokio::time::{Instant, Sleep};

use super::HttpLimits;
use super::limits::after;
use plainly_transport::lock::Lock;

/// The time that a closing connection keeps reading from its peer. If it closed earlier, its last response could get
/// lost.
pub(super) const LINGER: Duration = Duration::from_secs(1);
/// The first byte of a connection with TLS (RFC 8446, 5.1).
pub(super) const TLS_HANDSHAKE: u8 = 22;

/// The events on a connection, which its socket and its requests note.
#[derive(Clone, Debug, Default)]
pub(super) struct Activity(Arc<Lock<ConnectionEvents>>);

#[derive(Debug, Default)]
pub(super) struct ConnectionEvents {
    /// Requests so far.
    requests: u64,
    /// A request is being served: from the end of its head until its response's body is handed
    /// over.
    is_serving: bool,
    /// The first bytes were those of TLS.
    pub(super) is_secure: bool,
    /// The body of the last request is here.
    pub(super) has_body: bool,
    /// Its response has begun.
    pub(super) is_answering: bool,
    /// The peer understands informational responses: it speaks HTTP/1.1.
    takes_interim: bool,
    /// Bytes have arrived since the last request was served.
    has_heard: bool,
    /// The peer has still to read what was sent.
    pub(super) is_blocked: bool,
    /// The last response was sent.
    pub(super) is_closing: bool,
}

impl Activity {
    pub(super) fn events(&self) -> MutexGuard<'_, ConnectionEvents> {
        self.0.lock()
    }

    /// Notes that a request is being served, for as long as the result lives.
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
    /// Notes that bytes were read, and the first of them.
    pub(super) fn note_read(&mut self, first: u8) {
        if !self.is_serving {
            self.is_secure |= first == TLS_HANDSHAKE && self.requests == 0 && !self.has_heard;
            self.has_heard = true;
        }
    }

    /// Whether the peer still waits for an answer, or the rest of one, although it has finished
    /// sending.
    pub(super) fn owes_answer(&self) -> bool {
        self.is_blocked || self.is_serving && !self.is_answering
    }

    /// Whether the body of the current request is still incomplete.
    pub(super) fn lacks_body(&self) -> bool {
        self.is_serving && !self.has_body
    }

    /// Whether the peer was cut off: in the middle of a body, or of a head.
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

/// A request is being served.
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

/// The event that a connection waits for. A deadline starts when this changes, so an occasional byte does not extend
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The rest of a head.
    Head { requests: u64 },
    /// The next request.
    Idle { requests: u64 },
    /// A body or an answer, or the peer to read one: these have limits of their own.
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

/// Detects when a connection has waited for too long.
pub(super) struct Watch<'a> {
    activity: &'a Activity,
    limits: &'a HttpLimits,
    phase: Phase,
    deadline: Option<Instant>,
    /// Never set after the deadline, and mostly long before it.
    timer: Pin<&'a mut Sleep>,
}

impl<'a> Watch<'a> {
    /// Starts with a new connection; `timer` may be any.
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
        // The timer may still be set for an earlier phase: moving it with every phase would cost time on each request.
        while self.timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            self.timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}
