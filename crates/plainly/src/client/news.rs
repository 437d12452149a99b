//! How the news of a legacy server come in, for all subscriptions of a client together: over a byte stream among everything
//! else; over HTTP on a stream that is opened with the first subscription, opened again where it ends, and closed with the
//! last one.

use std::sync::Arc;
#[cfg(feature = "http-client")]
use std::{convert::Infallible, sync::Weak, time::Duration};

#[cfg(feature = "http-client")]
use http::HeaderValue;
#[cfg(feature = "http-client")]
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
#[cfg(feature = "http-client")]
use tokio::time::timeout;

use super::Result;
#[cfg(feature = "http-client")]
use super::error::{Error, LocalError};
use super::link::Connection;
#[cfg(feature = "http-client")]
use super::session::{Opened, Session};
#[cfg(feature = "http-client")]
use crate::transport::http_client::Resumption;

/// How long is waited before a stream is opened again, where the server does not say.
#[cfg(feature = "http-client")]
const PAUSE: Duration = Duration::from_secs(1);
/// How long is waited for a stream that nobody has asked for.
#[cfg(feature = "http-client")]
const SOON: Duration = Duration::from_secs(1);
/// How many streams in a row may end with nothing on them.
#[cfg(feature = "http-client")]
const IN_VAIN: u32 = 30;

/// The stream of a session, as long as somebody has it read.
#[cfg(feature = "http-client")]
#[derive(Debug, Default)]
pub(super) struct News {
    reading: tokio::sync::Mutex<Reading>,
}

#[cfg(feature = "http-client")]
#[derive(Debug, Default)]
struct Reading {
    task: Weak<Task>,
    /// The session that the stream is of.
    session: Option<HeaderValue>,
}

/// A task that ends when this is dropped, if there is one.
#[derive(Debug)]
pub(super) struct Task(Option<AbortHandle>);

impl Task {
    pub(super) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Some(tokio::spawn(work).abort_handle()))
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// Has news come in until what is returned is dropped; `None`: the server can't send any.
pub(super) async fn open(connection: &Connection) -> Result<Option<Arc<Task>>> {
    match connection {
        Connection::Stream(stream) => {
            stream.check()?;
            Ok(Some(Task(None).into()))
        }
        #[cfg(feature = "http-client")]
        Connection::Http(session) => open_stream(session).await,
    }
}

/// Has what concerns no subscription come in until what is returned is dropped; `None`: it does anyway.
///
/// What a server has to say before there is a stream for it may be lost, so it is waited for; but not for long, since some
/// servers open it with the first thing that they have to say.
pub(super) async fn hear(connection: &Connection) -> Option<Task> {
    match connection {
        Connection::Stream(_) => None,
        #[cfg(feature = "http-client")]
        Connection::Http(session) => {
            let session = Arc::clone(session);
            let (settle, settled) = oneshot::channel();
            let task = Task::spawn(async move {
                let opened = open_stream(&session).await;
                // Fails where nobody waits any more.
                let _late = settle.send(());
                match opened {
                    Ok(Some(_reading)) => std::future::pending().await,
                    Ok(None) => tracing::debug!("the server has no stream to speak first on"),
                    Err(error) => tracing::warn!(%error, "the server can't be heard"),
                }
            });
            let _settled_or_slow = timeout(SOON, settled).await;
            Some(task)
        }
    }
}

#[cfg(feature = "http-client")]
async fn open_stream(session: &Arc<Session>) -> Result<Option<Arc<Task>>> {
    let mut reading = session.news.reading.lock().await;
    let task = reading.task.upgrade().filter(|task| task.goes_on());
    if let Some(task) = task
        && reading.session == session.id()
    {
        return Ok(Some(task));
    }
    let Some(opened) = session
        .until_closed(session.open_news(&Resumption::default()))
        .await?
    else {
        return Ok(None);
    };
    reading.session = opened.session();
    let task = Arc::new(Task::spawn(read(Arc::clone(session), opened)));
    reading.task = Arc::downgrade(&task);
    Ok(Some(task))
}

#[cfg(feature = "http-client")]
impl Task {
    fn goes_on(&self) -> bool {
        self.0.as_ref().is_some_and(|task| !task.is_finished())
    }
}

#[cfg(feature = "http-client")]
async fn read(session: Arc<Session>, opened: Opened) {
    let Err(error) = session.until_closed(read_on(&session, opened)).await;
    let again = again(&error);
    let mut first = Some(error);
    let listeners = &session.reception().listeners;
    listeners.end(|| first.take().unwrap_or_else(&again));
}

/// Reads one stream after the other: a server may end one whenever it wants. All are of one session, for a new one knows
/// nothing of what was subscribed to before.
#[cfg(feature = "http-client")]
async fn read_on(session: &Session, mut opened: Opened) -> Result<Infallible> {
    let first = opened.session();
    let mut from = Resumption::default();
    let mut in_vain = 0;
    loop {
        in_vain = if session.read_news(opened, &mut from).await? {
            0
        } else {
            in_vain + 1
        };
        if in_vain == IN_VAIN {
            return Err(interrupted());
        }
        tokio::time::sleep(from.retry.unwrap_or(PAUSE)).await;
        opened = session.open_news(&from).await?.ok_or_else(interrupted)?;
        if opened.session() != first {
            return Err(LocalError::SessionLost.into());
        }
        session.reception().listeners.miss();
    }
}

/// What to tell the second subscription of what ended the first: as much of it as counts.
#[cfg(feature = "http-client")]
fn again(error: &Error) -> impl Fn() -> Error + use<> {
    let closed = match error.local() {
        Some(LocalError::Closed(closed)) => Some(Arc::clone(closed)),
        _ => None,
    };
    let is_lost = matches!(error.local(), Some(LocalError::SessionLost));
    move || match &closed {
        Some(closed) => LocalError::Closed(Arc::clone(closed)).into(),
        None if is_lost => LocalError::SessionLost.into(),
        None => interrupted(),
    }
}

#[cfg(feature = "http-client")]
fn interrupted() -> Error {
    LocalError::Interrupted {
        method: "GET",
        source: None,
    }
    .into()
}
