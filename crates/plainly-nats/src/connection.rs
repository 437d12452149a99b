//! The connection to NATS: its state, and requests with the most precise outcome possible.

use std::error::Error;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{
    Client, ClientError, Event, HeaderMap, Message, Request, RequestErrorKind, Subscriber,
};
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
    /// No server is connected, so the request was not sent.
    #[error("{0}")]
    Down(Cause),
    /// The server has rejected the request, or it can't be sent at all.
    #[error("{0}")]
    Denied(Cause),
    /// The subject has no listener.
    #[error("nobody listens there")]
    Nobody,
    /// The request is larger than the server accepts.
    #[error("it is larger than NATS takes")]
    TooLarge,
    /// A listener may have received the request.
    #[error("{0}")]
    Silent(Cause),
}

/// The state of the connection, from the events of the client library.
#[derive(Clone, Debug, Default)]
pub(crate) struct News {
    /// Counts the times that the connection came up or went down. Odd while connected.
    turns: u64,
    /// The reason why the last attempt to connect failed, during the current outage. The first one
    /// of an outage was logged.
    failed: Option<String>,
    /// The number of gaps, at which messages may be missing.
    pub(crate) gaps: u64,
    /// The number of errors from the server, and the last one.
    errors: (u64, String),
}

impl News {
    fn is_up(&self) -> bool {
        self.turns % 2 == 1
    }

    fn down(&self) -> NoReply {
        let why = self.failed.as_ref().map(|why| format!(": {why}"));
        NoReply::Down(format!("there is no connection to NATS{}", why.unwrap_or_default()).into())
    }
}

/// The reason why an attempt to connect failed, and what to do. The library has no other name for
/// the first.
fn in_words(error: &ClientError) -> String {
    match error {
        ClientError::Other(text) if text == "authorization violation" => {
            "NATS rejects the user: check the credentials, or the password in the URL".to_owned()
        }
        ClientError::Other(text) => text.clone(),
        ClientError::MaxReconnects | ClientError::ServerNotInPool => error.to_string(),
    }
}

/// Updates [`News`] by an event of the client library. The log shows the servers' addresses.
pub(crate) fn note(news: &watch::Sender<News>, event: Event, places: &str) {
    news.send_modify(|news| match event {
        Event::Connected if !news.is_up() => {
            news.gaps += u64::from(news.turns > 0);
            news.turns += 1;
            news.failed = None;
            tracing::info!("connected to NATS");
        }
        Event::Disconnected if news.is_up() => news.turns += 1,
        Event::SlowConsumer(_) => news.gaps += 1,
        Event::ServerError(error) => {
            tracing::warn!("NATS reports an error: {error}");
            news.errors = (news.errors.0 + 1, error.to_string());
        }
        Event::ClientError(error) => {
            let why = in_words(&error);
            if news.failed.is_none() {
                tracing::warn!("no connection to NATS at {places}, retrying: {why}");
            }
            news.failed = Some(why);
        }
        Event::Connected
        | Event::Disconnected
        | Event::LameDuckMode
        | Event::Draining
        | Event::Closed => {}
    });
}

/// A connection that is restored automatically.
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

    /// Whether the server is in a cluster.
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

    /// Publishes a message if that is possible at once.
    pub(crate) fn publish(&self, subject: String, payload: Bytes) {
        if self.is_up() {
            // If the queue is full, the message is dropped as if the connection were down.
            // `unconstrained`, because many messages at once would use up the task's budget.
            unconstrained(self.client.publish(subject, payload)).now_or_never();
        }
    }

    /// Subscribes from now on; `None` if the connection is closed for good.
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
            Err(_) => Err(self.news.borrow().down()),
        }
    }

    /// Sends a request to the listener of the subject, if the connection is up.
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
            return Err(before.down());
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

/// Waits until a reply has become impossible: the connection is lost, or this replica may not
/// publish to the subject.
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

/// The instant after this time.
pub(crate) fn within(time: Duration) -> Instant {
    Instant::now() + time
}
