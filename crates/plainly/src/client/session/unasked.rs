//! What a legacy server says that answers nothing: on a stream that the client opens for it.

use std::time::Duration;

use http::{HeaderValue, StatusCode};
use tokio::task::JoinSet;

use super::resuming::LAST_EVENT_ID;
use super::{Session, no_message};
use crate::client::error::{Error, LocalError};
use crate::client::reply;
use crate::transport::http_client::{Content, Response, Resumption};

/// What stands for the method in errors.
const GET: &str = "GET";

/// How long is waited between the attempts to open a stream that the server says is open: the one before was hung up on,
/// and the server learns of that in its own time.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(20),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
];

/// Such a stream.
pub(in crate::client) struct Opened {
    response: Response,
    /// The session that it is of: what was subscribed to in another is not told on it.
    session: Option<HeaderValue>,
}

impl Opened {
    pub(in crate::client) fn session(&self) -> Option<HeaderValue> {
        self.session.clone()
    }
}

impl Session {
    /// Opens the stream on which a legacy server tells what is no reply, or opens it again where it ended; `None` if it has
    /// none.
    pub(in crate::client) async fn open_news(
        &self,
        from: &Resumption,
    ) -> Result<Option<Opened>, Error> {
        let mut pauses = PAUSES.into_iter();
        loop {
            let (response, session) = self.ask_for_news(from).await?;
            if response.status == StatusCode::CONFLICT
                && let Some(pause) = pauses.next()
            {
                tokio::time::sleep(pause).await;
                continue;
            }
            return self.opened(response, session).await;
        }
    }

    async fn ask_for_news(
        &self,
        from: &Resumption,
    ) -> Result<(Response, Option<HeaderValue>), Error> {
        let mut headers = self.version();
        let session = self.join(&mut headers)?;
        if let Some(last) = self.last_event(from) {
            headers.insert(LAST_EVENT_ID, last);
        }
        let response = self.endpoint.get(headers).await;
        let response = response.map_err(|failure| self.failed(failure, GET))?;
        Ok((response, session))
    }

    async fn opened(
        &self,
        response: Response,
        session: Option<HeaderValue>,
    ) -> Result<Option<Opened>, Error> {
        match (response.status, response.content) {
            (StatusCode::OK, Content::Events) => Ok(Some(Opened { response, session })),
            (StatusCode::METHOD_NOT_ALLOWED, _) => Ok(None),
            (StatusCode::NOT_FOUND, _) if session.is_some() => {
                self.lose(session);
                Err(LocalError::SessionLost.into())
            }
            _ => Err(no_message(GET, response).await),
        }
    }

    /// Reads such a stream to its end, and notes how to go on with it. Whether there was anything on it.
    pub(in crate::client) async fn read_news(
        &self,
        Opened { mut response, .. }: Opened,
        from: &mut Resumption,
    ) -> Result<bool, Error> {
        let mut is_used = false;
        let mut answering = JoinSet::new();
        loop {
            let event = response.next_event().await;
            let Some(event) = event.map_err(|failure| self.failed(failure, GET))? else {
                from.update(response.resumption());
                return Ok(is_used);
            };
            is_used = true;
            for incoming in reply::read(&event) {
                self.take(incoming, None, &mut answering).await;
            }
        }
    }
}
