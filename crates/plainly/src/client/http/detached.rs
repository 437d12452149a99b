//! Messages that outlive what they belong to: answers to what a legacy server asks on a stream, and the cancellation of a
//! call that was given up. Nobody waits for their outcome.

use std::time::Duration;

use http::HeaderMap;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::connection::HttpConnection;
use super::endpoint::Endpoint;
use crate::client::message::OutgoingRequest;
use crate::client::reply::ServerRequest;
use crate::transport::Frame;

/// The time that such a message may take.
pub(super) const FAREWELL: Duration = Duration::from_secs(5);

impl HttpConnection {
    /// Has answered what a legacy server asks on a stream.
    pub(super) async fn answer(&self, request: ServerRequest, answering: &mut JoinSet<()>) {
        let mut headers = self.version();
        if self.join(&mut headers).is_err() {
            return;
        }
        let (endpoint, later) = (self.endpoint.clone(), headers.clone());
        let at_once = self
            .dispatcher
            .request(request, answering, |message, open| async {
                // It goes its way whatever happens to the call, which may end before the server has said that it got it.
                tokio::spawn(async move {
                    send_answer(endpoint, Frame::new(later, message)).await;
                    drop(open);
                });
            });
        if let Some(message) = at_once {
            send_answer(self.endpoint.clone(), Frame::new(headers, message)).await;
        }
    }
}

async fn send_answer(endpoint: Endpoint, frame: Frame) {
    match timeout(FAREWELL, endpoint.post(frame)).await {
        Ok(Ok(response)) if response.status.is_success() => response.discard(),
        Ok(Ok(response)) => {
            tracing::warn!(status = %response.status, "the server refuses an answer")
        }
        Ok(Err(failure)) => tracing::warn!(?failure, "an answer did not reach the server"),
        Err(_elapsed) => tracing::warn!("the server does not take an answer"),
    }
}

/// Cancels a call when it is dropped: to a legacy server, a connection that breaks is not a cancellation.
pub(super) struct Cancellation<'a> {
    connection: &'a HttpConnection,
    /// The notification to send, if any.
    frame: Option<Frame>,
}

impl<'a> Cancellation<'a> {
    /// Cancels `request`, which was sent with these headers.
    pub(super) fn of(
        connection: &'a HttpConnection,
        request: &OutgoingRequest,
        headers: &HeaderMap,
    ) -> Self {
        let traits = connection.dispatcher.revision.get().traits();
        let message = match traits.cancelled_by_disconnect {
            true => None,
            false => request.cancellation(),
        };
        Self {
            connection,
            frame: message.map(|message| Frame::new(headers.clone(), message)),
        }
    }

    /// The call has ended by itself.
    pub(super) fn disarm(&mut self) {
        self.frame = None;
    }
}

impl Drop for Cancellation<'_> {
    fn drop(&mut self) {
        // A session that ends takes its calls along.
        if self.connection.is_closed() {
            return;
        }
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(frame), Ok(runtime)) = (self.frame.take(), runtime) {
            let endpoint = self.connection.endpoint.clone();
            runtime.spawn(timeout(FAREWELL, async move { endpoint.post(frame).await }));
        }
    }
}
