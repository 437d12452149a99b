//! A recorded server over HTTP, regardless of the recorded transport.

use std::io::{self, Write};
use std::net::IpAddr;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use plainly::errors::{Dialect, ProtocolError, Refusal, Revision};
use plainly::shutdown;
use plainly::transport::http::{HttpServer, HttpService};
use plainly::transport::{Event, Exchange, Feed, Frame, Reply};
use tokio::sync::mpsc;

use super::player::{ClientMessage, Listener, LiveRequest, Player, error_response};
use crate::failure::Failure;
use crate::visible::visible;

/// The path of the endpoint.
const PATH: &str = "/mcp";
/// The header for the session id, and the only session.
const SESSION: (&str, HeaderValue) = ("mcp-session-id", HeaderValue::from_static("replayed"));

pub(super) async fn serve(
    player: Player,
    address: SocketAddr,
    target: &str,
) -> Result<(), Failure> {
    let cannot = |error| Failure::caused("cannot serve HTTP", error);
    let http = HttpServer::bind(address).await.map_err(cannot)?;
    let url = format!("http://{}{PATH}", http.local_addr());
    // The server is still useful if this can't be written.
    let _ = writeln!(
        io::stderr(),
        "replaying at {url}\n\nIt answers as {} did. Ctrl-C stops it.",
        visible(target)
    );
    let service = HttpService::new(Stage::new(player)).path(PATH);
    http.serve(service, shutdown::requested())
        .await
        .map_err(cannot)
}

/// A player, and the stream for messages that belong to no request.
#[derive(Clone, Debug)]
struct Stage {
    player: Player,
    others: Arc<Mutex<Others>>,
}

/// Messages that belong to no request, which wait for a listener.
#[derive(Debug)]
struct Others {
    listener: Listener,
    said: Option<mpsc::UnboundedReceiver<Bytes>>,
}

impl Default for Others {
    fn default() -> Self {
        let (listener, said) = mpsc::unbounded_channel();
        let said = Some(said);
        Self { listener, said }
    }
}

impl Stage {
    fn new(player: Player) -> Self {
        let others = Arc::default();
        Self { player, others }
    }

    fn others(&self) -> Listener {
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        others.listener.clone()
    }

    async fn answer(&self, asked: LiveRequest) -> Reply {
        let (listener, mut said) = mpsc::unbounded_channel();
        let opens = asked.method == "initialize";
        let is_plain = self.player.is_plain(&asked);
        tokio::spawn(self.player.clone().play(asked, listener, self.others()));
        let mut reply = match is_plain {
            true => Reply::new(StatusCode::OK, said.recv().await.unwrap_or_default()),
            false => Reply::feed(EventFeed(said)),
        };
        if opens {
            let (name, session) = SESSION;
            reply.headers.insert(name, session);
        }
        reply
    }
}

impl Exchange for Stage {
    async fn exchange(&self, frame: &Frame) -> Reply {
        match Player::read(&frame.body) {
            Ok(ClientMessage::Request(asked)) => return self.answer(asked).await,
            Ok(ClientMessage::Notification(key)) => {
                tokio::spawn(self.player.clone().follow(&key, self.others()));
            }
            Ok(ClientMessage::Answer(id)) => self.player.hear(id),
            Err(error) => return self.refuse(&error, frame.client),
        }
        Reply::new(StatusCode::ACCEPTED, Bytes::new())
    }

    async fn open_stream(&self, frame: &Frame) -> Reply {
        if !frame.headers.contains_key(SESSION.0) {
            return self.refuse(&Refusal::MethodNotAllowed.into(), frame.client);
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if others.said.is_none() {
            // The previous listener has gone, or soon will.
            *others = Others::default();
        }
        let said = others.said.take();
        said.map_or_else(
            || Reply::new(StatusCode::OK, Bytes::new()),
            |said| Reply::feed(EventFeed(said)),
        )
    }

    async fn end_session(&self, _frame: &Frame) -> Reply {
        Reply::new(StatusCode::NO_CONTENT, Bytes::new())
    }

    fn refuse(&self, error: &ProtocolError, _client: Option<IpAddr>) -> Reply {
        let status = Dialect::default()
            .encode(error, Revision::LATEST)
            .http_status;
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
        Reply::new(status, error_response(None, error))
    }
}

/// The server's messages, as events.
#[derive(Debug)]
struct EventFeed(mpsc::UnboundedReceiver<Bytes>);

impl Feed for EventFeed {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.0.poll_recv(context).map(|said| said.map(Event::from))
    }

    fn end(&mut self) {
        self.0.close();
    }
}
