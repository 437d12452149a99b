//! The transports, and a middleware that observes HTTP: the status of each response, and whether
//! each message is valid.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use futures_util::StreamExt;
use plainly::Server;
use plainly_tests::valid::Conversation;
use tokio::net::TcpListener;

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// A byte stream, like standard input and output.
    Stream,
    /// Streamable HTTP.
    Http,
    /// A client in the server's process.
    Memory,
}

impl Transport {
    pub(crate) const ALL: [Self; 3] = [Self::Stream, Self::Http, Self::Memory];
}

/// The observed traffic of one cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Arc<Mutex<Overheard>>);

#[derive(Debug, Default)]
struct Overheard {
    status: Option<u16>,
    conversation: Conversation,
    faults: Vec<String>,
}

impl Line {
    /// The status of the last response to a request.
    pub(crate) fn status(&self) -> Option<u16> {
        self.with(|overheard| overheard.status)
    }

    /// The faults of invalid messages.
    pub(crate) fn faults(&self) -> Vec<String> {
        self.with(|overheard| overheard.faults.clone())
    }

    fn with<T>(&self, act: impl FnOnce(&mut Overheard) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn check(&self, message: &[u8], check: fn(&mut Conversation, &[u8])) {
        self.with(
            |Overheard {
                 conversation,
                 faults,
                 ..
             }| {
                let checked = catch_unwind(AssertUnwindSafe(|| check(conversation, message)));
                if let Err(panic) = checked {
                    faults.push(crate::words(&*panic));
                }
            },
        );
    }

    /// Checks the message of each event. No event spans two chunks.
    fn events(&self, chunk: &Bytes) {
        let chunk = String::from_utf8_lossy(chunk);
        let data = chunk.lines().filter_map(|line| line.strip_prefix("data:"));
        let messages = data.map(str::trim).filter(|data| !data.is_empty());
        messages.for_each(|message| self.check(message.as_bytes(), Conversation::heard));
    }
}

/// Serves `server` on loopback and observes its traffic. Returns its URL.
pub(crate) async fn listen(server: &Server, line: &Line) -> String {
    let router = Router::new()
        .route_service("/mcp", server.http())
        .layer(from_fn_with_state(line.clone(), overhear));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn overhear(State(line): State<Line>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    if !body.is_empty() {
        line.check(&body, Conversation::said);
    }
    let response = next.run(Request::from_parts(head, body.into())).await;
    let (head, body) = response.into_parts();
    if head.status != StatusCode::ACCEPTED {
        line.with(|overheard| overheard.status = Some(head.status.as_u16()));
    }
    let content = head
        .headers
        .get(CONTENT_TYPE)
        .map(|value| value.to_str().unwrap());
    let body = match content {
        Some("application/json") => {
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let check = if head.status.is_success() {
                Conversation::heard
            } else {
                Conversation::refused
            };
            line.check(&body, check);
            Body::from(body)
        }
        Some("text/event-stream") => {
            let hear = move |chunk: &Result<Bytes, axum::Error>| {
                if let Ok(chunk) = chunk {
                    line.events(chunk);
                }
            };
            Body::from_stream(body.into_data_stream().inspect(hear))
        }
        _ => body,
    };
    Response::from_parts(head, body)
}
