//! The requests of a connection of HTTP/2, many at a time. They run in the task of the connection and end with it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use hyper::rt::Executor;
use tokio::time::{Instant, Sleep};

use plainly_transport::lock::Lock;

/// The requests that a peer may cancel, or leave to wait for too long, before it is cut off (CVE-2023-44487): so many at once.
const CANCELLED: u64 = 200;
/// And so many a second.
const CANCELLED_PER_SECOND: u64 = 10;

/// Takes the requests that hyper has read.
#[derive(Clone, Default)]
pub(super) struct Newcomers(Arc<Lock<Arriving>>);

#[derive(Default)]
struct Arriving {
    /// The state of the request whose future comes next.
    state: Arc<StreamState>,
    streams: Vec<RunningStream>,
}

/// The state of a request.
#[derive(Debug, Default)]
pub(super) struct StreamState {
    /// Its answer has been taken from here as a whole.
    is_over: AtomicBool,
    /// Whether a piece of the answer was handed over and no more was polled: the peer must read
    /// first.
    is_waiting: AtomicBool,
    /// The pieces so far.
    pieces: AtomicU64,
}

impl StreamState {
    /// Notes that another piece of the answer is wanted.
    pub(super) fn note_wanted(&self) {
        self.is_waiting.store(false, Relaxed);
    }

    /// Notes that one was handed over.
    pub(super) fn note_piece(&self) {
        self.pieces.fetch_add(1, Relaxed);
        self.is_waiting.store(true, Relaxed);
    }

    /// Whether any was.
    pub(super) fn has_begun(&self) -> bool {
        self.pieces.load(Relaxed) > 0
    }

    /// Notes that there is none any more.
    pub(super) fn note_over(&self) {
        self.is_over.store(true, Relaxed);
    }

    /// The pieces that the peer has still to read the last of.
    fn unread(&self) -> Option<u64> {
        self.is_waiting
            .load(Relaxed)
            .then(|| self.pieces.load(Relaxed))
    }
}

impl Newcomers {
    /// The state of a request; its future must be the next that is executed.
    pub(super) fn announce(&self) -> Arc<StreamState> {
        let state = Arc::<StreamState>::default();
        self.0.lock().state = Arc::clone(&state);
        state
    }
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Newcomers {
    fn execute(&self, future: F) {
        let mut arriving = self.0.lock();
        let state = Arc::clone(&arriving.state);
        arriving.streams.push(RunningStream {
            future: Box::pin(future),
            state,
            timer: None,
        });
    }
}

/// All requests of a connection.
pub(super) struct ConnectionStreams {
    newcomers: Newcomers,
    running: FuturesUnordered<Stalling>,
    /// The time that a peer may read nothing of an answer.
    stall: Duration,
    cancelled: Cancelled,
}

impl ConnectionStreams {
    pub(super) fn new(newcomers: Newcomers, stall: Duration) -> Self {
        Self {
            newcomers,
            running: FuturesUnordered::new(),
            stall,
            cancelled: Cancelled::new(),
        }
    }

    /// Has all of them look again, such as whether the server stops.
    pub(super) fn wake(&mut self) {
        let running = std::mem::take(&mut self.running);
        self.running = running.into_iter().collect();
    }

    /// Runs them as far as they get. Ready if the peer cancels too many.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let streams = std::mem::take(&mut self.newcomers.0.lock().streams);
            let stall = self.stall;
            let streams = streams.into_iter();
            self.running
                .extend(streams.map(|stream| Stalling { stream, stall }));
            match self.running.poll_next_unpin(cx) {
                Poll::Ready(Some(is_over)) if !is_over && self.cancelled.is_too_much() => {
                    return Poll::Ready(());
                }
                Poll::Ready(Some(_)) => {}
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    }
}

struct RunningStream {
    future: BoxFuture<'static, ()>,
    state: Arc<StreamState>,
    /// Until when the peer must have read the piece with this number.
    timer: Option<(u64, Pin<Box<Sleep>>)>,
}

/// A request that ends if its peer reads nothing of the answer for this time. Returns whether all
/// of the answer was taken.
struct Stalling {
    stream: RunningStream,
    stall: Duration,
}

impl Future for Stalling {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<bool> {
        let stall = self.stall;
        let stream = &mut self.stream;
        if stream.future.as_mut().poll(cx).is_ready() {
            return Poll::Ready(stream.state.is_over.load(Relaxed));
        }
        let Some(unread) = stream.state.unread() else {
            stream.timer = None;
            return Poll::Pending;
        };
        let timer = match &mut stream.timer {
            Some((piece, timer)) if *piece == unread => timer,
            _ => {
                let timer = Box::pin(tokio::time::sleep(stall));
                &mut stream.timer.insert((unread, timer)).1
            }
        };
        timer.as_mut().poll(cx).map(|()| false)
    }
}

/// The requests that ended without an answer.
struct Cancelled {
    count: u64,
    since: Instant,
}

impl Cancelled {
    fn new() -> Self {
        let since = Instant::now();
        Self { count: 0, since }
    }

    /// Counts another one.
    fn is_too_much(&mut self) -> bool {
        let seconds = self.since.elapsed().as_secs();
        if seconds > 0 {
            let forgiven = seconds.saturating_mul(CANCELLED_PER_SECOND);
            self.count = self.count.saturating_sub(forgiven);
            self.since = Instant::now();
        }
        self.count += 1;
        self.count > CANCELLED
    }
}
