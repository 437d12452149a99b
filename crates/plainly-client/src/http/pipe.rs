//! A connection over HTTP with SSE (2024-11-05): the client posts its messages, and the server
//! sends its own on one stream of events. To the rest of the client, this is a connection over
//! whole messages, which ends with the stream. But a request whose POST the server rejects fails
//! alone.

use std::io;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, FuturesUnordered};
use futures_util::{FutureExt, Stream, StreamExt};
use http::HeaderMap;
use plainly_protocol::method::Method;

use super::detached::send_answer;
use super::endpoint::{Endpoint, HttpResponse};
use super::failure::HttpFailure;
use super::opening::OpenedPipe;
use super::session::no_message;
use super::sse::EventKind;
use crate::error::Error;
use crate::link::ClientConnection;
use crate::link::dispatcher::Dispatcher;
use crate::link::stream::MessageConnection;
use crate::message::budget::Budget;
use crate::message::reply::CallReply;
use crate::message::request::OutgoingRequest;
use plainly_transport::{FlushProgress, Frame, Inbound, Messages, Meter};

/// The client's end of a pipe. Dropping it ends the session.
#[derive(Debug)]
pub(crate) struct PipeConnection {
    entrance: Endpoint,
    stream: MessageConnection,
}

impl PipeConnection {
    pub(crate) fn new(pipe: OpenedPipe, dispatcher: Dispatcher) -> Self {
        let OpenedPipe { events, entrance } = pipe;
        let messages = PostedMessages {
            received: received(events).fuse().boxed(),
            posts: FuturesUnordered::new(),
            entrance: entrance.clone(),
        };
        // This meter is unused, because the endpoint counts the received bytes.
        let stream = MessageConnection::new(messages, Meter::default(), (), dispatcher);
        Self { entrance, stream }
    }

    /// Posts a request and waits for its reply on the stream. The reply may come before the
    /// response to the POST, because some servers respond only after handling the request.
    async fn exchange(&self, request: &OutgoingRequest<'_>) -> Result<CallReply, Error> {
        let mut expected = self.stream.expect(request)?;
        let posting = self.post(request.method, request.frame.clone(), request.budget);
        tokio::select! {
            biased;
            reply = expected.reply() => return reply,
            posted = posting => if let Err(error) = posted {
                expected.withdraw();
                return Err(error);
            },
        }
        expected.reply().await
    }

    async fn post(
        &self,
        method: Method,
        frame: Frame,
        budget: Option<&Budget>,
    ) -> Result<(), Error> {
        let method = method.name();
        let response = self.entrance.post(frame, budget).await;
        let response = response.map_err(|failure| failure.explain(method, &self.entrance))?;
        if !response.status.is_success() {
            return Err(no_message(method, response).await);
        }
        response.discard();
        Ok(())
    }
}

impl ClientConnection for PipeConnection {
    fn call<'a>(
        &'a self,
        request: &'a OutgoingRequest<'a>,
    ) -> BoxFuture<'a, Result<CallReply, Error>> {
        self.exchange(request).boxed()
    }

    fn notify(&self, frame: Frame, method: Method) -> BoxFuture<'_, Result<(), Error>> {
        async move {
            self.stream.check()?;
            self.post(method, frame, None).await
        }
        .boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.stream.close()
    }

    fn closed(&self) -> BoxFuture<'_, Error> {
        self.stream.closed()
    }

    fn check(&self) -> Result<(), Error> {
        self.stream.check()
    }

    fn dispatcher(&self) -> &Dispatcher {
        self.stream.dispatcher()
    }

    fn transport(&self) -> &'static str {
        "http"
    }

    fn stray(&self) -> Option<String> {
        self.stream.stray()
    }

    fn received(&self) -> u64 {
        self.entrance.received()
    }
}

/// The server's messages as they arrive, and this client's answers and cancellations, whose outcome
/// is ignored.
struct PostedMessages {
    received: BoxStream<'static, io::Result<Inbound>>,
    posts: FuturesUnordered<BoxFuture<'static, ()>>,
    entrance: Endpoint,
}

impl Messages for PostedMessages {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
        self.received
            .poll_next_unpin(context)
            .map(Option::transpose)
    }

    fn send(&mut self, message: Bytes) {
        let frame = Frame::new(HeaderMap::new(), message);
        self.posts
            .push(send_answer(self.entrance.clone(), frame).boxed());
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        while let Some(()) = ready!(self.posts.poll_next_unpin(context)) {}
        Poll::Ready(Ok(FlushProgress::Complete))
    }
}

/// The messages in a stream of events.
fn received(events: HttpResponse) -> impl Stream<Item = io::Result<Inbound>> + Send {
    stream::try_unfold(events, async |mut events| {
        loop {
            let message = match events.next_event().await {
                Ok(Some(event)) => match event.kind {
                    EventKind::Message => Inbound::Message(event.data),
                    EventKind::Error => continue,
                    EventKind::Endpoint => {
                        return Err(io::Error::other("it sent a second `endpoint` event"));
                    }
                },
                Ok(None) => {
                    let said = events.complaint().map(|said| format!("it sent {said}"));
                    let said = said.unwrap_or_else(|| "its stream of events ended".to_owned());
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, said));
                }
                Err(HttpFailure::TooLarge(_)) => Inbound::TooLong { id: None },
                Err(HttpFailure::Broken(error) | HttpFailure::Unreachable(error)) => {
                    return Err(io::Error::other(error));
                }
                // Only a request can be rejected so, and this request was accepted.
                Err(HttpFailure::Authorization(error)) => return Err(io::Error::other(error)),
            };
            return Ok(Some((message, events)));
        }
    })
}
