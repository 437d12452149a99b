//! Waits for the browser's request among other requests to the same port.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{poll_fn, ready};
use std::io;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::callback::ExpectedRequest;
use plainly_transport::lock::Lock;

/// The most connections at a time.
const CONNECTIONS: usize = 32;

/// The largest head of a request, in bytes. Browsers send the cookies of all programs on this
/// machine.
const HEAD: usize = 64 << 10;

/// The longest time for which a connection stays open.
const LASTS: Duration = Duration::from_secs(10);

/// The pause after the system could not accept another connection.
const NO_ROOM: Duration = Duration::from_millis(100);

/// Answers the expected request, and returns its query. Other requests are answered too, but don't
/// end the wait.
pub(super) async fn wait(listeners: &[TcpListener], awaited: ExpectedRequest) -> String {
    let awaited = Arc::new(awaited);
    let mut connections = JoinSet::new();
    // The open connections, oldest first. Dropping an entry ends its connection.
    let mut open = VecDeque::new();
    let (sender, mut found) = mpsc::channel(1);
    loop {
        let stream = tokio::select! {
            biased;
            Some(query) = found.recv() => return query,
            Some(_ended) = connections.join_next(), if !connections.is_empty() => continue,
            stream = accept(listeners) => stream,
        };
        let Ok(stream) = stream else {
            tokio::time::sleep(NO_ROOM).await;
            continue;
        };
        open.retain(|kept: &oneshot::Sender<()>| !kept.is_closed());
        if open.len() == CONNECTIONS {
            // A browser sends its request at once, so the oldest connection is the least likely to
            // be the browser's.
            open.pop_front();
        }
        let (kept, dropped) = oneshot::channel();
        open.push_back(kept);
        connections.spawn(serve(stream, Arc::clone(&awaited), dropped, sender.clone()));
        // Yields, so that requests are read even while new connections arrive without pause.
        tokio::task::yield_now().await;
    }
}

async fn accept(listeners: &[TcpListener]) -> io::Result<TcpStream> {
    poll_fn(|context| {
        let mut accepted = listeners.iter().map(|it| it.poll_accept(context));
        let accepted = accepted.find(Poll::is_ready);
        accepted.map_or(Poll::Pending, |it| it.map_ok(|(stream, _)| stream))
    })
    .await
}

/// Answers one connection, and then sends the query if it was the expected request.
async fn serve(
    stream: TcpStream,
    awaited: Arc<ExpectedRequest>,
    dropped: oneshot::Receiver<()>,
    sender: mpsc::Sender<String>,
) {
    let found = Lock::new(None);
    let service = service_fn(|request: Request<Incoming>| {
        let (answer, query) = awaited.judge(&request);
        tracing::debug!(?answer, "a request to where a login ends");
        if query.is_some() {
            *found.lock() = query;
        }
        ready(Ok::<_, Infallible>(answer.response()))
    });
    let connection = http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    // The result is ignored, because the browser may have read the answer even if the connection
    // failed.
    tokio::select! {
        _ended = tokio::time::timeout(LASTS, connection) => {}
        _dropped = dropped => {}
    }
    let found = found.lock().take();
    if let Some(query) = found {
        // If this fails, another query that is just as valid was sent before.
        let _ = sender.try_send(query);
    }
}
