//! Streams of events over HTTP, of either era.

use std::net::SocketAddr;

use plainly::server::Server;
use plainly::transport::http::{HttpLimits, HttpServer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::legacy::{LEGACY, done, listed, subscribe, updated as told};
use crate::support::{
    Source, acknowledged, changed, ended, initialize, limited, listen, server, updated, within,
};

/// A server that listens.
struct Http {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Http {
    async fn serve(server: &Server) -> Self {
        let http = HttpServer::bind("127.0.0.1:0").await.unwrap();
        let address = http.local_addr();
        let service = server.http().limits(HttpLimits::from(server.limits()));
        let (stop, stopped) = oneshot::channel::<()>();
        let serving =
            tokio::spawn(async move { http.serve(service, async { drop(stopped.await) }).await });
        Self {
            address,
            stop: Some(stop),
            serving,
        }
    }

    async fn send(&self, method: &str, headers: &str, body: &str) -> Response {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!(
            "{method} / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        Response::read(BufReader::new(stream)).await
    }

    async fn listen(&self, id: impl Into<Value>, notifications: &Value) -> Response {
        let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n";
        let message = listen(id, notifications).to_string();
        self.send("POST", headers, &message).await
    }

    /// Opens a session; the header that names it.
    async fn session(&self, revision: &str) -> String {
        let opened = self
            .send("POST", "", &initialize(revision).to_string())
            .await;
        let name = opened.header("mcp-session-id").expect("it opens a session");
        format!("Mcp-Session-Id: {name}\r\n")
    }

    async fn ask(&self, session: &str, message: &Value) -> Value {
        let mut response = self.send("POST", session, &message.to_string()).await;
        serde_json::from_str(&response.body().await).unwrap()
    }
}

/// A response whose head is read.
struct Response {
    status: u16,
    head: String,
    stream: BufReader<TcpStream>,
}

impl Response {
    async fn read(mut stream: BufReader<TcpStream>) -> Self {
        let mut head = Vec::new();
        within(async {
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.expect("the server closed"));
            }
        })
        .await;
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        let status = head.get(9..12).unwrap().parse().unwrap();
        Self {
            status,
            head,
            stream,
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    async fn body(&mut self) -> String {
        let length = self
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        within(self.stream.read_exact(&mut body)).await.unwrap();
        String::from_utf8(body).unwrap()
    }

    /// The next chunk of the stream; `None` at its end.
    async fn chunk(&mut self) -> Option<String> {
        let mut size = String::new();
        within(async {
            while !size.ends_with("\r\n") {
                size.push(
                    self.stream
                        .read_u8()
                        .await
                        .expect("the server closed")
                        .into(),
                );
            }
        })
        .await;
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        within(self.stream.read_exact(&mut chunk)).await.unwrap();
        chunk.truncate(size);
        (size > 0).then(|| String::from_utf8(chunk).unwrap())
    }

    async fn event(&mut self) -> Option<Value> {
        let chunk = self.chunk().await?;
        let data = chunk
            .strip_prefix("data: ")
            .and_then(|rest| rest.strip_suffix("\n\n"));
        Some(serde_json::from_str(data.expect("one event")).unwrap())
    }
}

#[tokio::test]
async fn a_listen_request_is_answered_by_events() {
    let source = Source::new();
    let http = Http::serve(&server(&source)).await;
    let asked = json!({"resourcesListChanged": true, "resourceSubscriptions": ["db://1"]});
    let mut first = http.listen("x", &asked).await;
    assert_eq!(first.status, 200);
    assert_eq!(first.header("content-type"), Some("text/event-stream"));
    assert_eq!(first.event().await, Some(acknowledged("x", &asked)));
    let mut second = http.listen(2, &json!({"resourcesListChanged": true})).await;
    second.event().await;
    source.updated("db://1");
    assert_eq!(first.event().await, Some(updated("x", "db://1")));
    source.listed();
    assert_eq!(first.event().await, Some(changed("x", "resources")));
    assert_eq!(second.event().await, Some(changed(2, "resources")));
    drop(first);
    drop(second);
    source.watched_by(0).await;
}

#[tokio::test]
async fn a_server_that_stops_ends_its_streams_with_a_result() {
    let source = Source::new();
    let mut http = Http::serve(&server(&source)).await;
    let mut modern = Vec::new();
    for id in 1..=20 {
        let mut response = http
            .listen(id, &json!({"resourcesListChanged": true}))
            .await;
        response.event().await;
        modern.push((id, response));
    }
    let session = http.session("2025-11-25").await;
    let mut legacy = http.send("GET", &session, "").await;
    http.stop.take();
    for (id, mut response) in modern {
        assert_eq!(response.event().await, Some(ended(id)));
        assert_eq!(response.event().await, None);
    }
    assert_eq!(legacy.event().await, None);
    within(http.serving).await.unwrap().unwrap();
    source.watched_by(0).await;
}

#[tokio::test]
async fn beyond_all_places_listening_is_refused() {
    let http = Http::serve(&limited(&Source::new(), |limits| limits.listens = 1)).await;
    let mut first = http.listen(1, &json!({"resourcesListChanged": true})).await;
    first.event().await;
    let mut second = http.listen(2, &json!({"resourcesListChanged": true})).await;
    assert_eq!(second.status, 503);
    let error: Value = serde_json::from_str(&second.body().await).unwrap();
    assert_eq!(
        (&error["id"], &error["error"]["data"]["kind"]),
        (&json!(2), &json!("overloaded"))
    );
    let session = http.session("2025-11-25").await;
    assert_eq!(http.send("GET", &session, "").await.status, 503);
}

#[tokio::test]
async fn a_session_hears_on_its_stream() {
    for revision in LEGACY {
        let source = Source::new();
        let http = Http::serve(&server(&source)).await;
        let session = http.session(revision).await;
        assert_eq!(http.ask(&session, &subscribe(1, "db://1")).await, done(1));
        let mut stream = http.send("GET", &session, "").await;
        assert_eq!(stream.status, 200, "{revision}");
        assert_eq!(stream.header("content-type"), Some("text/event-stream"));
        assert_eq!(http.ask(&session, &subscribe(2, "db://2")).await, done(2));
        source.updated("db://2");
        assert_eq!(stream.event().await, Some(told("db://2")), "{revision}");
        source.updated("db://1");
        assert_eq!(stream.event().await, Some(told("db://1")), "{revision}");
        source.listed();
        assert_eq!(stream.event().await, Some(listed()), "{revision}");
        drop(stream);
        source.watched_by(0).await;
    }
}

#[tokio::test]
async fn the_stream_of_a_session_stays_with_who_opened_it() {
    let source = Source::new();
    let http = Http::serve(&server(&source)).await;
    let (session, other) = (
        http.session("2025-11-25").await,
        http.session("2025-11-25").await,
    );
    let mut first = http.send("GET", &session, "").await;
    let mut second = http.send("GET", &session, "").await;
    assert_eq!(second.status, 409);
    assert!(second.body().await.contains("stream_taken"));
    let mut third = http.send("GET", &other, "").await;
    source.listed();
    assert_eq!(first.event().await, Some(listed()));
    assert_eq!(third.event().await, Some(listed()));
    drop(first);
    // The server learns of it in its own time.
    let again = within(async {
        loop {
            let response = http.send("GET", &session, "").await;
            if response.status == 200 {
                return response;
            }
        }
    });
    let mut again = again.await;
    source.listed();
    assert_eq!(again.event().await, Some(listed()));
}

#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let source = Source::new();
    let http = Http::serve(&limited(&source, |limits| limits.sessions = 1)).await;
    let session = http.session("2025-11-25").await;
    let mut stream = http.send("GET", &session, "").await;
    assert_eq!(http.send("DELETE", &session, "").await.status, 204);
    assert_eq!(stream.event().await, None);
    assert_eq!(http.send("GET", &session, "").await.status, 404);
    let session = http.session("2025-11-25").await;
    let mut stream = http.send("GET", &session, "").await;
    http.session("2025-11-25").await;
    assert_eq!(
        stream.event().await,
        None,
        "of a session that had to make room"
    );
    source.watched_by(0).await;
}

#[tokio::test]
async fn a_session_with_a_stream_is_not_idle() {
    let source = Source::new();
    let idle = std::time::Duration::from_millis(50);
    let http = Http::serve(&limited(&source, |limits| limits.session_idle = idle)).await;
    let session = http.session("2025-11-25").await;
    let mut stream = http.send("GET", &session, "").await;
    tokio::time::sleep(idle * 4).await;
    assert_eq!(http.ask(&session, &subscribe(1, "db://1")).await, done(1));
    source.updated("db://1");
    assert_eq!(stream.event().await, Some(told("db://1")));
}

#[tokio::test]
async fn only_sessions_have_streams_of_their_own() {
    let http = Http::serve(&server(&Source::new())).await;
    let session = http.session("2025-11-25").await;
    let modern = "MCP-Protocol-Version: 2026-07-28\r\n";
    let cases = [
        (String::new(), 405),
        (modern.to_owned(), 405),
        (format!("{modern}{session}"), 405),
        ("Mcp-Session-Id: 0123\r\n".to_owned(), 404),
    ];
    for (headers, status) in cases {
        assert_eq!(
            http.send("GET", &headers, "").await.status,
            status,
            "{headers}"
        );
    }
    let blind = Http::serve(&server(&Source::blind())).await;
    let session = blind.session("2025-11-25").await;
    assert_eq!(blind.send("GET", &session, "").await.status, 405);
}

#[tokio::test]
async fn a_server_that_is_mounted_elsewhere_ends_them_when_it_is_told() {
    let source = Source::new();
    let server = server(&source);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let router = axum::Router::new().fallback_service(server.http());
    let serving = tokio::spawn(async move {
        let serving = axum::serve(listener, router);
        serving
            .with_graceful_shutdown(async { drop(stopped.await) })
            .await
    });
    let http = Http {
        address,
        stop: Some(stop),
        serving,
    };
    let asked = json!({"resourcesListChanged": true});
    let mut first = http.listen(1, &asked).await;
    first.event().await;
    let session = http.session("2025-11-25").await;
    let mut stream = http.send("GET", &session, "").await;
    server.end_subscriptions();
    let mut late = http.listen(2, &asked).await;
    assert_eq!(late.status, 503);
    assert!(late.body().await.contains("shutting_down"));
    drop(http.stop);
    assert_eq!(first.event().await, Some(ended(1)));
    assert_eq!(first.event().await, None);
    assert_eq!(stream.event().await, None);
    drop((first, stream, late));
    within(http.serving).await.unwrap().unwrap();
    source.watched_by(0).await;
}

#[tokio::test]
async fn a_session_outlives_the_listener_on_which_its_stream_was_ended() {
    let source = Source::new();
    let server = server(&source);
    let (mut first, second) = (Http::serve(&server).await, Http::serve(&server).await);
    let session = first.session("2025-11-25").await;
    let mut stream = first.send("GET", &session, "").await;
    first.stop.take().unwrap().send(()).unwrap();
    assert_eq!(stream.event().await, None);
    drop(stream);
    within(first.serving).await.unwrap().unwrap();
    let mut stream = second.send("GET", &session, "").await;
    assert_eq!(stream.status, 200);
    source.watched_by(1).await;
    source.listed();
    assert_eq!(stream.event().await, Some(listed()));
}
