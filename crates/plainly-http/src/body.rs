//! The body of a response.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use super::events::Events;

/// The body of a response: a JSON-RPC message, nothing, or server-sent events.
#[derive(Debug, Default)]
pub struct Body(Content);

#[derive(Debug)]
enum Content {
    /// The bytes that are still to be sent; never empty.
    Whole(Option<Bytes>),
    Events(Events),
}

impl Default for Content {
    fn default() -> Self {
        Self::Whole(None)
    }
}

impl Body {
    pub(super) fn events(events: Events) -> Self {
        Self(Content::Events(events))
    }

    /// Ends a stream of events early, in good order.
    pub(super) fn end(&mut self) {
        match &mut self.0 {
            Content::Whole(_) => {}
            Content::Events(events) => events.end(),
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self(Content::Whole((!bytes.is_empty()).then_some(bytes)))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut self.0 {
            Content::Whole(rest) => Poll::Ready(rest.take()),
            Content::Events(events) => events.poll_next(context),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Whole(rest) => rest.is_none(),
            Content::Events(events) => events.is_over(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Whole(rest) => {
                SizeHint::with_exact(rest.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::Events(_) => SizeHint::default(),
        }
    }
}
