//! Events as a server writes them over HTTP, split anywhere. Our own reader must find the same
//! messages, and the position to resume from.

#![no_main]

#[path = "../../crates/plainly-client/src/http/sse.rs"]
#[expect(dead_code, reason = "the rest is for clients that go on")]
mod sse;

use std::collections::VecDeque;
use std::net::IpAddr;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::ProtocolError;
use plainly::transport::http::HttpService;
use plainly::transport::{Event, Exchange, Feed, Frame, Reply};
use plainly_fuzz::{pieces, simulate};
use tower_service::Service;

#[derive(Arbitrary, Debug)]
struct Input {
    lengths: [u8; 4],
    events: Vec<Said>,
}

#[derive(Arbitrary, Clone, Debug)]
struct Said {
    is_message: bool,
    id: Option<String>,
    retry: Option<u32>,
    data: String,
}

impl Said {
    /// Removes invalid characters: line breaks in data, and all but visible ASCII in an id.
    fn tidy(mut self) -> Self {
        self.data.retain(|letter| !"\r\n".contains(letter));
        self.id
            .iter_mut()
            .for_each(|id| id.retain(|letter| letter.is_ascii_graphic()));
        self
    }

    fn event(&self) -> Event {
        let mut event = Event::from(Bytes::from(self.data.clone()));
        event.name = (!self.is_message).then_some("endpoint");
        event.id = self.id.clone().map(Into::into);
        event.retry = self.retry.map(|retry| Duration::from_millis(retry.into()));
        event
    }
}

/// A feed with these events.
#[derive(Clone, Debug)]
struct Script(VecDeque<Said>);

impl Feed for Script {
    fn poll_event(&mut self, _: &mut Context<'_>) -> Poll<Option<Event>> {
        Poll::Ready(self.0.pop_front().as_ref().map(Said::event))
    }

    fn end(&mut self) {
        self.0.clear();
    }
}

impl Exchange for Script {
    async fn exchange(&self, _: &Frame) -> Reply {
        Reply::feed(self.clone())
    }

    async fn open_stream(&self, _: &Frame) -> Reply {
        Reply::feed(self.clone())
    }

    async fn end_session(&self, _: &Frame) -> Reply {
        Reply::new(StatusCode::OK, Bytes::new())
    }

    fn refuse(&self, _: &ProtocolError, _: Option<IpAddr>) -> Reply {
        Reply::new(StatusCode::BAD_REQUEST, Bytes::new())
    }
}

fuzz_target!(|input: Input| simulate(async move {
    let said: VecDeque<Said> = input.events.into_iter().map(Said::tidy).collect();
    let request = Request::get("/")
        .header("host", "localhost")
        .header("accept", "text/event-stream");
    let request = request.body(Full::<Bytes>::default()).unwrap();
    let response = HttpService::new(Script(said.clone()))
        .call(request)
        .await
        .unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let written = response.into_body().collect().await.unwrap().to_bytes();

    let mut parser = sse::EventParser::new(1 << 20);
    let mut messages = Vec::new();
    for piece in pieces(&input.lengths, &written) {
        let mut piece = Bytes::copy_from_slice(piece);
        while let Some(event) = parser.next(&mut piece).unwrap() {
            if event.kind == sse::EventKind::Message {
                messages.push(event.data);
            }
        }
    }
    let expected = said
        .iter()
        .filter(|said| said.is_message && !said.data.is_empty());
    assert!(
        messages
            .iter()
            .eq(expected.map(|said| said.data.as_bytes()))
    );
    let last_id = said.iter().rev().find_map(|said| said.id.as_deref());
    let last_id = last_id.filter(|id| id.len() <= 4 << 10).unwrap_or_default();
    assert_eq!(parser.resumption().last_id, last_id);
    let retry = said.iter().rev().find_map(|said| said.retry);
    assert_eq!(
        parser.resumption().retry,
        retry.map(|retry| Duration::from_millis(retry.into()))
    );
}));
