//! HTTP/2: concurrent requests, peers that ask for too much, and the end.

use std::future::poll_fn;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{Reason, RecvStream};
use http::{Request, StatusCode};
use plainly::transport::http::HttpLimits;
use plainly_peer::within;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;

use super::https::{Secure, read_to_end};

const SHORT: Duration = Duration::from_millis(300);

/// An HTTP/2 connection.
struct Peer {
    requests: SendRequest<Bytes>,
    /// The task of the connection, which ends with it.
    connection: JoinHandle<Result<(), h2::Error>>,
    authority: String,
}

impl Peer {
    async fn of(server: &Secure) -> Self {
        Self::with(server, &mut Builder::new()).await
    }

    async fn with(server: &Secure, builder: &mut Builder) -> Self {
        let stream = server.connect("h2").await;
        let (requests, connection) = within(builder.handshake(stream)).await.unwrap();
        Self {
            requests,
            connection: tokio::spawn(connection),
            authority: server.address.to_string(),
        }
    }

    fn request(&self, method: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(format!("https://{}/mcp", self.authority))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
    }

    /// Sends a request as soon as the server allows one more.
    async fn send(&mut self, request: Request<()>, body: &str) -> ResponseFuture {
        let ready = self.requests.clone().ready();
        let mut requests = within(ready).await.unwrap();
        let (response, mut stream) = requests.send_request(request, false).unwrap();
        let body = Bytes::copy_from_slice(body.as_bytes());
        stream.send_data(body, true).unwrap();
        response
    }

    async fn post(&mut self, body: &str) -> ResponseFuture {
        let request = self.request("POST").body(()).unwrap();
        self.send(request, body).await
    }
}

async fn body(response: ResponseFuture) -> (StatusCode, Bytes) {
    let (head, mut body) = within(response).await.unwrap().into_parts();
    let bytes = within(read(&mut body)).await.unwrap();
    (head.status, bytes)
}

async fn read(body: &mut RecvStream) -> Result<Bytes, h2::Error> {
    let mut all = BytesMut::new();
    while let Some(piece) = body.data().await {
        let piece = piece?;
        body.flow_control().release_capacity(piece.len()).ok();
        all.extend_from_slice(&piece);
    }
    Ok(all.freeze())
}

async fn limited(change: impl FnOnce(&mut HttpLimits)) -> Secure {
    Secure::start(change).await
}

#[tokio::test]
async fn many_requests_are_answered_at_a_time_in_any_order() {
    let server = limited(|_default| {}).await;
    let mut peer = Peer::of(&server).await;
    let slow = peer.post("\"slow\"").await;
    server.echo.running(1).await;
    for number in 0..300 {
        let response = peer.post(&format!("[{number}]")).await;
        let expected = Bytes::from(format!("[{number}]"));
        assert_eq!(body(response).await, (StatusCode::OK, expected));
    }
    let large = peer.post("\"large\"").await;
    assert_eq!(body(large).await.1.len(), 32 << 20);
    let accepted = peer.post("\"notification\"").await;
    assert_eq!(body(accepted).await, (StatusCode::ACCEPTED, Bytes::new()));
    server.echo.release(1);
    assert_eq!(body(slow).await.1, "\"slow\"");
}

#[tokio::test]
async fn a_head_alone_is_sent_where_it_alone_is_asked_for() {
    let server = limited(|_default| {}).await;
    let mut peer = Peer::of(&server).await;
    for (method, content) in [("GET", "{}"), ("HEAD", "")] {
        let about = Request::builder().method(method);
        let about = about.uri(format!("https://{}/about", peer.authority));
        let response = peer.send(about.body(()).unwrap(), "").await;
        let (head, mut body) = within(response).await.unwrap().into_parts();
        assert_eq!(head.headers["content-length"], "2");
        assert!(head.headers.contains_key("date"));
        assert_eq!(within(read(&mut body)).await.unwrap(), content);
    }
}

#[tokio::test]
async fn headers_about_a_connection_stay_behind() {
    let server = limited(|_default| {}).await;
    let mut peer = Peer::of(&server).await;
    let last = within(peer.post("\"last\"").await).await.unwrap();
    assert!(!last.headers().contains_key("connection"));
    assert_eq!(body(peer.post("[1]").await).await.1, "[1]");
}

#[tokio::test]
async fn a_limit_of_time_may_be_as_long_as_a_number_can_be() {
    let server = limited(|limits| {
        for limit in [
            &mut limits.body,
            &mut limits.body_grace,
            &mut limits.head,
            &mut limits.idle,
            &mut limits.keep_alive,
            &mut limits.write_stall,
            &mut limits.shutdown,
        ] {
            *limit = Duration::MAX;
        }
    })
    .await;
    let mut peer = Peer::of(&server).await;
    let large = peer.post("\"large\"").await;
    assert_eq!(body(large).await.1.len(), 32 << 20);
    server.assert_lives().await;
}

#[tokio::test]
async fn what_http_refuses_is_refused_over_http_2_as_well() {
    let server = limited(|limits| limits.headers = 20).await;
    let mut peer = Peer::of(&server).await;
    let foreign = Request::post("https://evil.example/mcp").body(()).unwrap();
    let response = peer.send(foreign, "[1]").await;
    assert_eq!(body(response).await.0, StatusCode::FORBIDDEN);
    let elsewhere = Request::post(format!("https://{}/", peer.authority));
    let response = peer.send(elsewhere.body(()).unwrap(), "[1]").await;
    assert_eq!(body(response).await.0, StatusCode::NOT_FOUND);
    let mut many = peer.request("POST");
    for number in 0..20 {
        many = many.header(format!("x-{number}"), "");
    }
    let response = peer.send(many.body(()).unwrap(), "[1]").await;
    let (status, told) = body(response).await;
    assert_eq!(
        (status, told.len()),
        (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, 0)
    );
    let long = peer.request("POST").header("x-long", "x".repeat(70_000));
    let response = within(peer.send(long.body(()).unwrap(), "[1]").await).await;
    let refused = response.map_or(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, |it| {
        it.status()
    });
    assert_eq!(refused, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    assert_eq!(server.echo.calls(), 0);
    server.assert_lives().await;
}

#[tokio::test]
async fn a_body_that_is_too_large_is_taken_to_its_end() {
    let server = limited(|limits| limits.message_bytes = 1_000).await;
    let mut peer = Peer::of(&server).await;
    let request = peer.request("POST").body(()).unwrap();
    let (response, mut stream) = peer.requests.send_request(request, false).unwrap();
    let piece = Bytes::from(vec![b'x'; 64 << 10]);
    for number in (0..64).rev() {
        stream.reserve_capacity(piece.len());
        while stream.capacity() < piece.len() {
            let more = within(poll_fn(|context| stream.poll_capacity(context))).await;
            more.unwrap().unwrap();
        }
        stream.send_data(piece.clone(), number == 0).unwrap();
    }
    assert_eq!(body(response).await.0, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn so_many_requests_run_at_a_time_and_the_next_waits() {
    let server = limited(|limits| limits.streams = 2).await;
    let mut peer = Peer::of(&server).await;
    // The server announces its limit only with its first response.
    let first = peer.post("[1]").await;
    assert_eq!(body(first).await.0, StatusCode::OK);
    let mut running = Vec::new();
    for _ in 0..3 {
        let request = peer.request("POST").body(()).unwrap();
        let (response, mut stream) = peer.requests.send_request(request, false).unwrap();
        stream.send_data("\"slow\"".into(), true).unwrap();
        running.push(response);
    }
    server.echo.running(2).await;
    server.echo.release(3);
    for response in running {
        assert_eq!(body(response).await.1, "\"slow\"");
    }
}

#[tokio::test]
async fn a_cancelled_request_ends_and_its_connection_goes_on() {
    let server = limited(|_default| {}).await;
    let mut peer = Peer::of(&server).await;
    for _ in 0..20 {
        let response = peer.post("\"slow\"").await;
        server.echo.running(1).await;
        drop(response);
        server.echo.running(0).await;
    }
    assert_eq!(body(peer.post("[1]").await).await.1, "[1]");
}

#[tokio::test]
async fn a_peer_that_cancels_one_request_after_another_is_cut_off() {
    let server = limited(|_default| {}).await;
    let peer = Peer::of(&server).await;
    let cancel = async {
        for _ in 0..100_000 {
            let Ok(mut requests) = peer.requests.clone().ready().await else {
                return;
            };
            let request = peer.request("POST").body(()).unwrap();
            let Ok((response, mut stream)) = requests.send_request(request, false) else {
                return;
            };
            stream.send_data("\"slow\"".into(), true).ok();
            // The task yields, so that each request has begun before it is cancelled.
            tokio::task::yield_now().await;
            stream.send_reset(Reason::CANCEL);
            drop(response);
        }
        panic!("nobody minds");
    };
    within(cancel).await;
    assert!(server.echo.calls() < 1_000, "{}", server.echo.calls());
    server.echo.running(0).await;
    server.assert_lives().await;
}

/// The server closes the connection after it has dropped the unread request, because only then the
/// connection is idle.
#[tokio::test]
async fn a_request_whose_answer_is_not_read_ends_and_the_others_go_on() {
    for unread in ["\"large\"", &format!("[{}]", "1".repeat(200))] {
        let server = limited(|limits| {
            limits.write_stall = SHORT;
            limits.idle = SHORT;
        })
        .await;
        let mut builder = Builder::new();
        builder.initial_window_size(100);
        let mut peer = Peer::with(&server, &mut builder).await;
        // The client does not release these bytes, so the server can't send more.
        let (_, mut stream) = within(peer.post(unread).await).await.unwrap().into_parts();
        assert_eq!(body(peer.post("[1]").await).await.1, "[1]");
        within(peer.connection).await.unwrap().ok();
        let mut read = 0;
        while let Some(Ok(piece)) = within(stream.data()).await {
            read += piece.len();
        }
        assert_eq!(read, 100);
        server.assert_lives().await;
    }
}

/// Reads a response byte by byte, until the server ends it or `most` bytes are read.
async fn sip(response: ResponseFuture, most: usize) -> usize {
    let mut stream = within(response).await.unwrap().into_body();
    let mut read = 0;
    let reading = async {
        while read < most
            && let Some(Ok(piece)) = stream.data().await
        {
            read += piece.len();
            stream.flow_control().release_capacity(piece.len()).ok();
        }
    };
    within(reading).await;
    read
}

#[tokio::test]
async fn a_request_whose_answer_is_read_byte_by_byte_ends() {
    let server = limited(|limits| {
        limits.write_stall = SHORT;
        limits.write_rate = u32::MAX;
        limits.keep_alive = SHORT / 4;
    })
    .await;
    let mut builder = Builder::new();
    builder.initial_window_size(1);
    let mut peer = Peer::with(&server, &mut builder).await;
    let large = peer.post("\"large\"").await;
    assert!(sip(large, usize::MAX).await < 32 << 20);
    // The silence of an event stream does not count, and each comment in it has three bytes.
    let events = peer.request("GET").header("mcp-session-id", "silent");
    let events = peer.send(events.body(()).unwrap(), "").await;
    assert_eq!(sip(events, 3 * 10).await, 3 * 10);
    server.assert_lives().await;
}

#[tokio::test]
async fn a_connection_waits_for_its_next_request_only_so_long_whatever_else_it_says() {
    let server = limited(|limits| limits.idle = SHORT).await;
    let stream = server.connect("h2").await;
    let (requests, mut connection) = within(Builder::new().handshake::<_, Bytes>(stream))
        .await
        .unwrap();
    let mut pings = connection.ping_pong().unwrap();
    let mut peer = Peer {
        requests,
        connection: tokio::spawn(connection),
        authority: server.address.to_string(),
    };
    assert_eq!(body(peer.post("[1]").await).await.1, "[1]");
    let pinging = async { while pings.ping(h2::Ping::opaque()).await.is_ok() {} };
    within(pinging).await;
    within(peer.connection).await.unwrap().ok();
    server.assert_lives().await;
}

#[tokio::test]
async fn a_stop_finishes_requests_and_says_goodbye_to_streams() {
    let mut server = limited(|_default| {}).await;
    let mut peer = Peer::of(&server).await;
    let slow = peer.post("\"slow\"").await;
    server.echo.running(1).await;
    let events = peer.request("GET").header("mcp-session-id", "silent");
    let events = peer.send(events.body(()).unwrap(), "").await;
    let (head, mut events) = within(events).await.unwrap().into_parts();
    assert_eq!(head.headers["content-type"], "text/event-stream");
    server.stop();
    let told = within(read(&mut events)).await.unwrap();
    assert!(
        String::from_utf8_lossy(&told).contains("goodbye"),
        "{told:?}"
    );
    let refused = poll_fn(|cx| peer.requests.poll_ready(cx));
    server.echo.release(1);
    assert_eq!(body(slow).await.1, "\"slow\"");
    within(refused).await.ok();
    within(peer.connection).await.unwrap().ok();
    server.stopped().await;
}

/// A frame (RFC 9113, 4.1).
#[tokio::test]
async fn a_peer_that_no_longer_answers_delays_a_stop_only_for_a_moment() {
    let mut server = limited(|limits| {
        limits.idle = Duration::from_secs(3_600);
        limits.shutdown = Duration::from_secs(3_600);
    })
    .await;
    let stream = server.connect("h2").await;
    let handshake = Builder::new().handshake::<_, Bytes>(stream);
    let (_requests, _frozen) = within(handshake).await.unwrap();
    server.stop();
    server.stopped().await;
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

#[tokio::test]
async fn floods_of_frames_end_their_connection_or_cost_nothing() {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let settings = frame(4, 0, 0, &[]);
    // The head has the fields `:method` POST and `:scheme` https, and is never complete.
    let open = frame(1, 0, 1, &[0x83, 0x87]);
    for (_name, begin, again) in [
        (
            "CONTINUATION (CVE-2024-27983)",
            open.clone(),
            frame(9, 0, 1, &[0x40, 1, b'x', 1, b'y']),
        ),
        ("empty CONTINUATION", open, frame(9, 0, 1, &[])),
        ("SETTINGS", Vec::new(), settings.clone()),
        ("PING", Vec::new(), frame(6, 0, 0, &[0; 8])),
        (
            "empty DATA",
            frame(1, 4, 1, &[0x83, 0x87, 0x84]),
            frame(0, 0, 1, &[]),
        ),
        ("PRIORITY", Vec::new(), frame(2, 0, 1, &[0, 0, 0, 3, 0])),
    ] {
        let server = limited(|limits| {
            limits.head = SHORT * 3;
            limits.idle = SHORT * 3;
            limits.body_grace = SHORT * 3;
            // So many small answers may get stuck even if the client reads them.
            limits.write_stall = SHORT * 3;
        })
        .await;
        let stream = server.connect_at_last("h2").await;
        let (mut reader, mut writer) = tokio::io::split(stream);
        let flood = async {
            writer
                .write_all(&[PREFACE, &settings, &begin].concat())
                .await?;
            let many = again.repeat(1_000);
            loop {
                writer.write_all(&many).await?;
            }
        };
        let reading = async {
            let mut some = vec![0; 1 << 16];
            while reader.read(&mut some).await.is_ok_and(|read| read > 0) {}
        };
        let ended = async {
            tokio::select! {
                end = flood => { let _: std::io::Result<()> = end; }
                () = reading => {}
            }
        };
        within(ended).await;
        server.assert_lives_at_last().await;
    }
}

#[tokio::test]
async fn who_is_not_http_2_after_all_is_closed() {
    let server = limited(|_default| {}).await;
    let mut stream = server.connect("h2").await;
    let good = server.good("[1]");
    within(stream.write_all(good.as_bytes())).await.unwrap();
    let told = read_to_end(&mut stream).await;
    assert!(!told.contains("HTTP/1.1"), "{told}");
    server.assert_lives().await;
}
