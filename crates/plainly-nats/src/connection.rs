//! The connection: whether it is up, and requests whose outcome is known as well as it can be.

use std::error::Error;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, Event, HeaderMap, Message, Request, RequestErrorKind, Subscriber};
use bytes::Bytes;
use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::task::unconstrained;
use tokio::time::{Instant, sleep_until, timeout_at};

/// A cause of an error.
pub(crate) type Cause = Box<dyn Error + Send + Sync>;

/// The reason why a request has no reply.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoReply {
    /// No server is connected: the request was not sent.
    #[error("{0}")]
    Down(Cause),
    /// The server has dropped the request, or it can't be sent at all.
    #[error("{0}")]
    Denied(Cause),
    /// No listener has the subject.
    #[error("nobody listens there")]
    Nobody,
    /// The request is larger than the server takes.
    #[error("it is larger than NATS takes")]
    TooLarge,
    /// A listener may have heard the request.
    #[error("{0}")]
    Silent(Cause),
}

/// The state of the connection, by the events of the client library.
#[derive(Clone, Debug, Default)]
pub(crate) struct News {
    /// Counts each time that the connection comes up or goes down: odd while connected.
    turns: u64,
    /// Whether the log has a warning of the present outage.
    is_said: bool,
    /// Counts the gaps, where messages may be missing.
    pub(crate) gaps: u64,
    /// The number of errors that the server has sent, and the last of them.
    errors: (u64, String),
}

impl News {
    fn is_up(&self) -> bool {
        self.turns % 2 == 1
    }
}

/// Writes the events of the client library into [`News`]. The log names the servers' places.
pub(crate) fn note(news: &watch::Sender<News>, event: Event, places: &str) {
    news.send_modify(|news| match event {
        Event::Connected if !news.is_up() => {
            news.gaps += u64::from(news.turns > 0);
            news.turns += 1;
            news.is_said = false;
            tracing::info!("connected to NATS");
        }
        Event::Disconnected if news.is_up() => news.turns += 1,
        Event::SlowConsumer(_) => news.gaps += 1,
        Event::ServerError(error) => {
            tracing::warn!("NATS reports an error: {error}");
            news.errors = (news.errors.0 + 1, error.to_string());
        }
        Event::ClientError(error) if !news.is_said => {
            news.is_said = true;
            tracing::warn!("no connection to NATS at {places}, retrying: {error}");
        }
        Event::Connected
        | Event::Disconnected
        | Event::ClientError(_)
        | Event::LameDuckMode
        | Event::Draining
        | Event::Closed => {}
    });
}

/// A connection that comes up by itself, again and again.
#[derive(Clone)]
pub(crate) struct Connection {
    client: Client,
    news: watch::Receiver<News>,
}

impl Connection {
    pub(crate) fn new(client: Client, news: watch::Receiver<News>) -> Self {
        Self { client, news }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    pub(crate) fn max_payload(&self) -> usize {
        self.client.max_payload()
    }

    /// Whether the server is one of several.
    pub(crate) fn is_clustered(&self) -> bool {
        let info = self.client.try_server_info();
        info.is_some_and(|info| info.cluster.is_some())
    }

    pub(crate) fn news(&self) -> watch::Receiver<News> {
        self.news.clone()
    }

    pub(crate) fn new_inbox(&self) -> String {
        self.client.new_inbox()
    }

    /// Publishes now or never.
    pub(crate) fn publish(&self, subject: String, payload: Bytes) {
        if self.is_up() {
            // A full queue is as if the connection were down: the message is not sent later. Without
            // the task's budget, which many messages at once would use up.
            unconstrained(self.client.publish(subject, payload)).now_or_never();
        }
    }

    /// Listens from now on; at nothing if the connection is closed for ever.
    pub(crate) fn subscribe(
        &self,
        subject: String,
    ) -> impl Future<Output = Option<Subscriber>> + Send + use<> {
        let client = self.client.clone();
        let mut begun = Box::pin(async move { client.subscribe(subject).await.ok() });
        let ready = (&mut begun).now_or_never();
        async move {
            match ready {
                Some(subscriber) => subscriber,
                None => begun.await,
            }
        }
    }

    /// Waits until the connection is up.
    pub(crate) async fn up(&self, until: Instant) -> Result<(), NoReply> {
        let mut news = self.news.clone();
        let up = news.wait_for(News::is_up);
        match timeout_at(until, up).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(closed)) => Err(NoReply::Down(closed.into())),
            Err(_) => Err(NoReply::Down("there is no connection to NATS".into())),
        }
    }

    /// Asks who listens at the subject, if the connection is up.
    pub(crate) async fn request(
        &self,
        subject: &str,
        headers: HeaderMap,
        payload: Bytes,
        until: Instant,
    ) -> Result<Message, NoReply> {
        let mut news = self.news.clone();
        let before = news.borrow_and_update().clone();
        if !before.is_up() || !self.is_up() {
            return Err(NoReply::Down("there is no connection to NATS".into()));
        }
        let mut request = Request::new().payload(payload).timeout(None);
        if !headers.is_empty() {
            request = request.headers(headers);
        }
        let reply = self.client.send_request(subject.to_owned(), request);
        tokio::select! {
            biased;
            reply = reply => reply.map_err(|error| match error.kind() {
                RequestErrorKind::NoResponders => NoReply::Nobody,
                RequestErrorKind::MaxPayloadExceeded => NoReply::TooLarge,
                RequestErrorKind::InvalidSubject => NoReply::Denied(error.into()),
                RequestErrorKind::TimedOut | RequestErrorKind::Other => NoReply::Silent(error.into()),
            }),
            reason = in_vain(&mut news, &before, subject) => Err(reason),
            () = sleep_until(until) => Err(NoReply::Silent("there was no reply in time".into())),
        }
    }
}

/// Waits until there will be no reply: the connection is lost, or this replica may not publish there.
async fn in_vain(news: &mut watch::Receiver<News>, before: &News, subject: &str) -> NoReply {
    loop {
        if news.changed().await.is_err() {
            return NoReply::Silent("the connection to NATS is closed".into());
        }
        let now = news.borrow_and_update();
        if now.turns != before.turns {
            return NoReply::Silent("the connection to NATS was lost".into());
        }
        let (count, error) = &now.errors;
        if *count != before.errors.0 && error.contains(&format!("\"{subject}\"")) {
            return NoReply::Denied(error.clone().into());
        }
    }
}

/// The time from now on, as an instant.
pub(crate) fn within(time: Duration) -> Instant {
    Instant::now() + time
}
