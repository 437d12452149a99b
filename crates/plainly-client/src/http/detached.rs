//! Messages on a stream other than replies, and messages that outlive their call: answers to a
//! legacy server's questions, and the cancellation of a dropped call. No caller waits for their
//! outcome.

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use plainly_protocol::method::Method;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;
use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::failure::HttpFailure;
use super::session::HttpSession;
use crate::message::budget::Budget;
use crate::message::reply::{ServerMessage, ServerRequest};
use crate::message::request::OutgoingRequest;
use crate::message::timeouts::{CallQuestions, FAREWELL};
use plainly_transport::Frame;

impl HttpSession {
    /// Handles a message on a stream, other than the reply. `on` is the request whose reply the
    /// stream carries, if there is one.
    pub(super) async fn take(
        &self,
        incoming: ServerMessage,
        on: Option<&OutgoingRequest<'_>>,
        answering: &mut JoinSet<()>,
    ) {
        match incoming {
            ServerMessage::Request(request) => {
                let of = on.and_then(|on| on.questions);
                self.answer(request, of, answering).await;
            }
            ServerMessage::Notification { method, params } => {
                let listening = on.filter(|on| on.method == Method::Listen);
                let listening = listening.map(|on| &on.id);
                self.dispatcher.notification(&method, &params, listening);
            }
            other @ (ServerMessage::Reply { .. } | ServerMessage::NoMessage { .. }) => {
                tracing::debug!(?other, "dropped: not the reply to the request");
            }
        }
        // A server that sends such messages without pause must not delay deadlines and other calls.
        consume_budget().await;
    }

    /// Answers a question that a legacy server asks on a stream. `of` is the call whose reply the
    /// stream carries, if there is one.
    async fn answer(
        &self,
        request: ServerRequest,
        of: Option<&CallQuestions<'_>>,
        answering: &mut JoinSet<()>,
    ) {
        let mut headers = self.version();
        if self.join(&mut headers).is_err() {
            return;
        }
        let (endpoint, closed) = (self.endpoint.clone(), self.closed());
        let later = headers.clone();
        let at_once = self
            .dispatcher
            .request(request, of, answering, |message, open| async {
                send_apart(endpoint, closed, Frame::new(later, message), open);
            });
        if let Some(message) = at_once {
            let place = Arc::clone(&self.answers).acquire_owned().await;
            let endpoint = self.endpoint.clone();
            send_apart(endpoint, self.closed(), Frame::new(headers, message), place);
        }
    }
}

/// Sends an answer, which holds its `place` meanwhile. It is sent in a task of its own, because the
/// next message on the stream may be the reply, which ends the call, and the server may accept no
/// answer before the reply. When the client closes the connection, the task ends without reporting
/// a failure, because otherwise every pending answer would look like a failure when the runtime
/// shuts down.
fn send_apart(
    endpoint: Endpoint,
    mut closed: watch::Receiver<bool>,
    frame: Frame,
    place: impl Send + 'static,
) {
    tokio::spawn(async move {
        let sent = tokio::select! {
            biased;
            _ = closed.wait_for(|closed| *closed) => Ok(()),
            sent = deliver(endpoint, frame) => sent,
        };
        // The client may have closed the connection while the answer was being sent.
        if let Err(failure) = sent
            && !*closed.borrow()
        {
            failure.warn();
        }
        drop(place);
    });
}

/// Sends an answer or a cancellation. A failure is only logged.
pub(super) async fn send_answer(endpoint: Endpoint, frame: Frame) {
    if let Err(failure) = deliver(endpoint, frame).await {
        failure.warn();
    }
}

/// The reason why an answer was not accepted.
enum AnswerFailure {
    Refused(StatusCode),
    Broken(HttpFailure),
    Late,
}

impl AnswerFailure {
    fn warn(self) {
        match self {
            Self::Refused(status) => tracing::warn!(%status, "the server refused an answer"),
            Self::Broken(failure) => {
                tracing::warn!(%failure, "an answer did not reach the server");
            }
            Self::Late => tracing::warn!("the server did not accept an answer"),
        }
    }
}

async fn deliver(endpoint: Endpoint, frame: Frame) -> Result<(), AnswerFailure> {
    let budget = Budget::unattended();
    let posted = timeout(FAREWELL, endpoint.post(frame, Some(&budget)));
    let response = posted
        .await
        .map_err(|_elapsed| AnswerFailure::Late)?
        .map_err(AnswerFailure::Broken)?;
    if !response.status.is_success() {
        return Err(AnswerFailure::Refused(response.status));
    }
    response.discard();
    Ok(())
}

/// Cancels a call when dropped, because a legacy server does not treat a broken connection as a
/// cancellation.
pub(super) struct Cancellation<'a> {
    session: &'a HttpSession,
    /// The notification to send, if there is one.
    frame: Option<Frame>,
}

impl<'a> Cancellation<'a> {
    /// Cancels `request`, which was sent with these headers.
    pub(super) fn of(
        session: &'a HttpSession,
        request: &OutgoingRequest<'_>,
        headers: &HeaderMap,
    ) -> Self {
        let traits = session.dispatcher.revision.get().traits();
        let message = match traits.cancelled_by_disconnect {
            true => None,
            false => request.cancellation(),
        };
        Self {
            session,
            frame: message.map(|message| Frame::new(headers.clone(), message)),
        }
    }

    /// Prevents the cancellation, because the call has ended.
    pub(super) fn disarm(&mut self) {
        self.frame = None;
    }
}

impl Drop for Cancellation<'_> {
    fn drop(&mut self) {
        // The end of the session also ends its calls.
        if self.session.is_closed() {
            return;
        }
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(frame), Ok(runtime)) = (self.frame.take(), runtime) {
            let endpoint = self.session.endpoint.clone();
            runtime.spawn(timeout(FAREWELL, async move {
                endpoint.post(frame, Some(&Budget::unattended())).await
            }));
        }
    }
}
