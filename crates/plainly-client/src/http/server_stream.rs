//! The stream on which a legacy server sends messages that answer no request ("Listening for
//! Messages from the Server"). All subscriptions of a client share it: it is opened with the first
//! of them, reopened when it ends, and closed with the last.

use std::convert::Infallible;
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::{HeaderValue, StatusCode};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::endpoint::{ContentKind, HttpResponse};
use super::resuming::LAST_EVENT_ID;
use super::session::{GET, HttpSession, no_message};
use super::sse::Resumption;
use crate::cache::Change;
use crate::error::{Error, LocalError};
use crate::link::BackgroundTask;
use crate::link::backoff::Backoff;
use crate::message::budget::Budget;
use crate::message::reply;

/// The pauses between attempts to open a stream that the server considers open. The server may
/// notice late that this client has closed the previous one.
const CONFLICT_PAUSES: [Duration; 5] = [
    Duration::from_millis(20),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
];
/// The longest wait for a stream that no subscription needs.
const UNASKED: Duration = Duration::from_secs(1);

/// The stream of a session, for as long as it is needed.
#[derive(Debug, Default)]
pub(super) struct ServerStream(tokio::sync::Mutex<StreamReader>);

#[derive(Debug, Default)]
struct StreamReader {
    task: Weak<BackgroundTask>,
    /// The session of the stream.
    session: Option<HeaderValue>,
}

/// A stream that the server has opened.
struct ServerEvents {
    response: HttpResponse,
    /// The session of the stream, which serves no subscriptions of another session.
    session: Option<HeaderValue>,
}

/// Reads the stream in the background until the result is dropped; `None` if the server has no such
/// stream.
pub(super) async fn open(
    session: Arc<HttpSession>,
    stream: Arc<ServerStream>,
    budget: Option<Budget>,
) -> Result<Option<Arc<BackgroundTask>>, Error> {
    // The lock is held while the stream opens: subscriptions that begin together share one, and
    // servers may allow only one.
    let mut reader = stream.0.lock().await;
    let task = reader.task.upgrade().filter(|task| !task.is_finished());
    if let Some(task) = task
        && reader.session == session.id()
    {
        return Ok(Some(task));
    }
    let from = Resumption::default();
    let opening = session.open_stream(&from, budget.as_ref());
    let Some(events) = session.until_closed(opening).await? else {
        return Ok(None);
    };
    reader.session.clone_from(&events.session);
    let reading = read(Arc::clone(&session), events);
    let task = Arc::new(BackgroundTask::spawn(reading));
    reader.task = Arc::downgrade(&task);
    Ok(Some(task))
}

/// Reads the stream in the background, for messages other than those of subscriptions, until the
/// result is dropped.
///
/// Waits until the stream is open, because messages before that may be lost. The wait is short,
/// because some servers only respond once they have the first message to send.
pub(super) async fn keep(session: Arc<HttpSession>, stream: Arc<ServerStream>) -> BackgroundTask {
    let (settle, settled) = oneshot::channel();
    let task = BackgroundTask::spawn(async move {
        let opened = open(session, stream, Some(Budget::unattended())).await;
        // Fails if the caller does not wait any more.
        let _late = settle.send(());
        match opened {
            Ok(Some(_reading)) => std::future::pending().await,
            Ok(None) => tracing::debug!("the server has no stream for messages of its own"),
            // This client has closed the connection.
            Err(error) if error.is_closed() => {}
            Err(error) => tracing::warn!(%error, "can't receive messages from the server"),
        }
    });
    let _settled_or_slow = timeout(UNASKED, settled).await;
    task
}

async fn read(session: Arc<HttpSession>, stream: ServerEvents) {
    let own = stream.session.clone();
    let Err(error) = session.until_closed(session.read_streams(stream)).await;
    if session.id().is_some_and(|id| Some(id) != own) {
        // The subscriptions belong to a new session, which has a stream of its own.
        return;
    }
    session.dispatcher.subscriptions.end(&error);
}

impl HttpSession {
    /// Opens the stream, or resumes it where it ended; `None` if the server has no such stream.
    async fn open_stream(
        &self,
        from: &Resumption,
        budget: Option<&Budget>,
    ) -> Result<Option<ServerEvents>, Error> {
        let mut pauses = CONFLICT_PAUSES.into_iter();
        loop {
            let stream = self.get_stream(from, budget).await?;
            if stream.response.status == StatusCode::CONFLICT
                && let Some(pause) = pauses.next()
            {
                tokio::time::sleep(pause).await;
                continue;
            }
            return self.check_stream(stream).await;
        }
    }

    async fn get_stream(
        &self,
        from: &Resumption,
        budget: Option<&Budget>,
    ) -> Result<ServerEvents, Error> {
        let mut headers = self.version();
        let session = self.join(&mut headers)?;
        if let Some(last) = self.last_event(from) {
            headers.insert(LAST_EVENT_ID, last);
        }
        let response = self.endpoint.get(headers, budget).await;
        let response = response.map_err(|failure| self.failed(failure, GET))?;
        Ok(ServerEvents { response, session })
    }

    async fn check_stream(&self, stream: ServerEvents) -> Result<Option<ServerEvents>, Error> {
        match (stream.response.status, stream.response.content) {
            (StatusCode::OK, ContentKind::Events) => Ok(Some(stream)),
            // The answer of a server without such a stream (2025-11-25, "Listening for Messages
            // from the Server").
            (StatusCode::METHOD_NOT_ALLOWED, _) => Ok(None),
            (StatusCode::NOT_FOUND, _) if stream.session.is_some() => {
                self.lose(stream.session);
                Err(LocalError::SessionLost.into())
            }
            _ => Err(no_message(GET, stream.response).await),
        }
    }

    /// Reads one stream after another, because a server may end each at any time. All belong to one
    /// session, because a new session knows nothing of earlier subscriptions.
    async fn read_streams(&self, mut stream: ServerEvents) -> Result<Infallible, Error> {
        let own = stream.session.clone();
        let mut from = Resumption::default();
        let mut backoff = Backoff::default();
        loop {
            backoff.opened();
            let mut lost = self
                .read_stream(stream.response, &mut from, &mut backoff)
                .await;
            stream = loop {
                let asked = lost.retry_after().or(from.retry);
                let pause = Some(&lost).filter(|lost| lost.is_passing());
                let Some(pause) = pause.and_then(|_| backoff.pause(asked)) else {
                    return Err(lost);
                };
                tracing::debug!(error = %lost, ?pause, "lost the server's stream");
                tokio::time::sleep(pause).await;
                if self.id() != own {
                    return Err(LocalError::SessionLost.into());
                }
                match self.open_stream(&from, Some(&Budget::unattended())).await {
                    Ok(Some(stream)) => break stream,
                    Ok(None) => return Err(interrupted()),
                    // Many servers send 400 for an unknown session, where the specification
                    // requires 404. In a known session, the same request was valid before.
                    Err(error) if own.is_some() && error.http_status() == Some(400) => {
                        self.lose(own);
                        return Err(LocalError::SessionLost.into());
                    }
                    Err(error) => lost = error,
                }
            };
            // Changes in between may be lost, because not every server stores events for later.
            self.dispatcher.subscriptions.put(&Change::Missed);
        }
    }

    /// Reads one stream to its end, and notes where to resume it. Returns how it ended.
    async fn read_stream(
        &self,
        mut response: HttpResponse,
        from: &mut Resumption,
        backoff: &mut Backoff,
    ) -> Error {
        let mut answering = JoinSet::new();
        let failure = loop {
            match response.next_message().await {
                Ok(Some(event)) => {
                    backoff.came();
                    for incoming in reply::read(&event) {
                        self.take(incoming, None, &mut answering).await;
                    }
                }
                Ok(None) => break None,
                Err(failure) => break Some(failure),
            }
        };
        from.update(response.resumption());
        let lost = failure.map_or_else(interrupted, |failure| self.failed(failure, GET));
        lost.with_instead(response.complaint())
    }
}

fn interrupted() -> Error {
    Error::interrupted(GET)
}
