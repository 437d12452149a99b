//! The two endpoints of HTTP with SSE (2024-11-05), at the same path: GET opens a pipe, whose first
//! event contains the URL for POSTing messages.

use std::task::{Context, Poll};

use http::Uri;

use bytes::Bytes;
use plainly_transport::{Event, Feed, Pipe, Reply};

/// The parameter of the query that names the pipe.
const NAME: &str = "session=";

/// The reply for a pipe that was opened at `path`.
pub(super) fn opened(path: &str, pipe: Pipe) -> Reply {
    let Pipe { name, feed } = pipe;
    Reply::feed(PipeEvents {
        endpoint: Some(format!("{path}?{NAME}{name}")),
        feed,
    })
}

/// The name of the pipe in the URI of a message. Empty if there is none, because no pipe has an
/// empty name.
pub(super) fn name_of(uri: &Uri) -> &str {
    let parts = uri.query().unwrap_or_default().split('&');
    parts
        .filter_map(|part| part.strip_prefix(NAME))
        .next()
        .unwrap_or_default()
}

/// The events of a pipe, after the event with the URL for messages.
#[derive(Debug)]
struct PipeEvents {
    /// The path without a host, because clients must send to the host where they opened the pipe.
    /// `None` once sent.
    endpoint: Option<String>,
    feed: Box<dyn Feed>,
}

impl Feed for PipeEvents {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        if let Some(endpoint) = self.endpoint.take() {
            let event = Event::from(Bytes::from(endpoint)).name("endpoint");
            return Poll::Ready(Some(event));
        }
        self.feed.poll_event(context)
    }

    fn end(&mut self) {
        self.feed.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_named_in_the_query() {
        for (uri, name) in [
            ("/sse?session=1a", "1a"),
            ("/sse?x=y&session=1a", "1a"),
            ("/sse?session=1a&session=2b", "1a"),
            ("/sse?session=", ""),
            ("/sse?xsession=1a", ""),
            ("/sse?", ""),
            ("/sse", ""),
        ] {
            assert_eq!(name_of(&uri.parse().unwrap()), name, "{uri}");
        }
    }
}
