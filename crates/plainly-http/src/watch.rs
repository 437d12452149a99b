//! The phases of a connection, and the time limit of each. One timer serves the connection for its whole life and is
//! set anew only for an earlier deadline, so a request costs one look at the clock.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Version;
use tokio::time::{Instant, Sleep};

use super::HttpLimits;

/// The time that a closing connection keeps reading from its peer. If it closed earlier, its last response could get
/// lost.
pub(super) const LINGER: Duration = Duration::from_secs(1);
/// The first byte of a connection with TLS (RFC 8446, 5.1).
pub(super) const TLS_HANDSHAKE: u8 = 22;

/// The events on a connection, noted where they happen. Only one task at a time uses this, hence the relaxed ordering.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// Requests so far.
    requests: AtomicU64,
    /// Requests that are being served: each from the end of its head until its response's body is handed over. There is one
    /// at most, except in HTTP/2.
    serving: AtomicU32,
    /// HTTP/2 is spoken: bytes need not be of a request.
    is_multiplexed: AtomicBool,
    /// The first bytes were those of TLS.
    is_secure: AtomicBool,
    /// The body of that request is here.
    has_body: AtomicBool,
    /// Its response has begun.
    is_answering: AtomicBool,
    /// The peer understands informational responses: it speaks HTTP/1.1.
    takes_interim: AtomicBool,
    /// Bytes have arrived since the last request was served.
    has_heard: AtomicBool,
    /// Bytes sent so far.
    sent: AtomicU64,
    /// Whether the peer does not read the answer.
    is_blocked: AtomicBool,
    /// The last response was sent.
    is_closing: AtomicBool,
}

impl Activity {
    /// Notes that HTTP/2 is spoken.
    #[cfg(feature = "tls")]
    pub(super) fn note_http_2(&self) {
        self.is_multiplexed.store(true, Relaxed);
    }

    /// Notes that bytes were read, and the first of them.
    pub(super) fn note_read(&self, first: u8) {
        if self.is_serving() || self.is_multiplexed.load(Relaxed) {
            return;
        }
        let had_heard = self.has_heard.swap(true, Relaxed);
        if first == TLS_HANDSHAKE && !had_heard && self.requests.load(Relaxed) == 0 {
            self.is_secure.store(true, Relaxed);
        }
    }

    /// Whether the peer began with TLS.
    pub(super) fn was_secure(&self) -> bool {
        self.is_secure.load(Relaxed)
    }

    fn is_serving(&self) -> bool {
        self.serving.load(Relaxed) > 0
    }

    pub(super) fn note_sent(&self, bytes: u64) {
        self.sent.store(self.sent.load(Relaxed) + bytes, Relaxed);
        self.is_blocked.store(false, Relaxed);
    }

    pub(super) fn note_blocked(&self) {
        self.is_blocked.store(true, Relaxed);
    }

    pub(super) fn note_body(&self) {
        self.has_body.store(true, Relaxed);
    }

    pub(super) fn note_closing(&self) {
        self.is_closing.store(true, Relaxed);
    }

    /// Whether the peer still waits for an answer, or the rest of one, although it has finished
    /// sending. In HTTP/2 a peer that still waits does not finish.
    pub(super) fn owes_answer(&self) -> bool {
        let is_owed = self.is_serving() && !self.is_answering.load(Relaxed);
        (self.is_blocked.load(Relaxed) || is_owed) && !self.is_multiplexed.load(Relaxed)
    }

    /// Whether the body of the current request is still incomplete.
    pub(super) fn lacks_body(&self) -> bool {
        self.is_serving() && !self.has_body.load(Relaxed)
    }

    /// Whether the peer was cut off: in the middle of a body, or of a head.
    pub(super) fn was_cut_off(&self) -> bool {
        let has_begun = self.requests.load(Relaxed) > 0;
        self.has_heard.load(Relaxed) || has_begun && !self.has_body.load(Relaxed)
    }

    /// Whether an informational response may be sent now.
    pub(super) fn takes_interim(&self) -> bool {
        self.owes_answer() && !self.is_blocked.load(Relaxed) && self.takes_interim.load(Relaxed)
    }

    /// Notes that a request is being served, for as long as the result lives.
    pub(super) fn serve(self: &Arc<Self>, version: Version) -> ServedRequest {
        self.requests
            .store(self.requests.load(Relaxed) + 1, Relaxed);
        self.has_heard.store(false, Relaxed);
        self.has_body.store(false, Relaxed);
        self.is_answering.store(false, Relaxed);
        self.takes_interim
            .store(version == Version::HTTP_11, Relaxed);
        self.serving.store(self.serving.load(Relaxed) + 1, Relaxed);
        ServedRequest(Arc::clone(self))
    }

    fn phase(&self) -> Phase {
        let requests = self.requests.load(Relaxed);
        // In HTTP/2, what is sent need not be an answer: reading it slowly buys no time for the next request.
        let is_answer = self.is_serving() || !self.is_multiplexed.load(Relaxed);
        // First, as it may be true besides the others: serving has no limit, and the one for closing is too short.
        if self.is_blocked.load(Relaxed) && is_answer {
            Phase::Blocked {
                sent: self.sent.load(Relaxed),
            }
        } else if self.is_closing.load(Relaxed) {
            Phase::Closing
        } else if self.is_serving() {
            Phase::Serving
        } else if requests == 0 || self.has_heard.load(Relaxed) {
            Phase::Head { requests }
        } else {
            Phase::Idle { requests }
        }
    }
}

/// A request is being served.
#[derive(Debug)]
pub(super) struct ServedRequest(Arc<Activity>);

impl ServedRequest {
    pub(super) fn note_answer(&self) {
        self.0.is_answering.store(true, Relaxed);
    }
}

impl Drop for ServedRequest {
    fn drop(&mut self) {
        let serving = self.0.serving.load(Relaxed);
        self.0.serving.store(serving - 1, Relaxed);
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
    /// A body or an answer: these have limits of their own.
    Serving,
    /// The peer to read; any progress counts.
    Blocked { sent: u64 },
    /// The peer to close its side too.
    Closing,
}

impl Phase {
    fn limit(self, limits: &HttpLimits) -> Option<Duration> {
        match self {
            Self::Head { .. } => Some(limits.head),
            Self::Idle { .. } => Some(limits.idle),
            Self::Serving => None,
            Self::Blocked { .. } => Some(limits.write_stall),
            Self::Closing => Some(LINGER),
        }
    }
}

/// Detects when a connection has waited for too long.
pub(super) struct Watch<'a> {
    activity: &'a Activity,
    limits: &'a HttpLimits,
    phase: Phase,
    /// Since when the peer has been slow to read, and what was sent before.
    slow: Option<(Instant, u64)>,
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
        let deadline = Instant::now() + limits.head;
        timer.as_mut().reset(deadline);
        Self {
            activity,
            limits,
            phase,
            slow: None,
            deadline: Some(deadline),
            timer,
        }
    }

    /// The time by which the peer must have read more, to keep the least rate.
    fn too_slow(&mut self, now: Instant) -> Option<Instant> {
        let Phase::Blocked { sent } = self.phase else {
            self.slow = None;
            return None;
        };
        let (since, before) = *self.slow.get_or_insert((now, sent));
        let time = self.limits.write_time(sent - before)?;
        since.checked_add(time)
    }

    /// Ready once the connection must be closed.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let phase = self.activity.phase();
        if phase != self.phase {
            self.phase = phase;
            let now = Instant::now();
            let late = phase.limit(self.limits).map(|limit| now + limit);
            self.deadline = late.into_iter().chain(self.too_slow(now)).min();
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

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;

    use super::*;

    /// After how many seconds a connection is closed whose peer reads so many bytes every ten seconds.
    async fn closed_after(bytes: u64, change: fn(&mut HttpLimits)) -> Option<u64> {
        let activity = Arc::<Activity>::default();
        let _serving = activity.serve(Version::HTTP_11);
        activity.note_body();
        let mut limits = HttpLimits::default();
        change(&mut limits);
        let timer = pin!(tokio::time::sleep(Duration::ZERO));
        let mut watch = Watch::new(&activity, &limits, timer);
        let begun = Instant::now();
        let reading = async {
            for _ in 0..100 {
                activity.note_sent(bytes);
                activity.note_blocked();
                tokio::time::sleep(Duration::from_secs(10)).await;
            }
        };
        tokio::select! {
            biased;
            () = reading => None,
            () = poll_fn(|cx| watch.poll(cx)) => Some(begun.elapsed().as_secs()),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_too_slowly_is_closed() {
        assert_eq!(closed_after(1, |_default| {}).await, Some(30));
        assert_eq!(closed_after(5 << 10, |_default| {}).await, Some(55));
        assert_eq!(closed_after(10 << 10, |_default| {}).await, None);
        assert_eq!(closed_after(1, |limits| limits.write_rate = 0).await, None);
    }
}
