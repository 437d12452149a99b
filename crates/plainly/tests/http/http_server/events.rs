//! Streams of events: silent streams, clients that stop reading, clients that leave, and the end.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use plainly_peer::within;

use super::support::{Server, statuses};

const SHORT: Duration = Duration::from_millis(100);

fn get(server: &Server, session: &str, accept: &str) -> String {
    format!(
        "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: {accept}\r\nMcp-Session-Id: {session}\r\n\r\n",
        server.port()
    )
}

/// Time is simulated, so that delays of the machine do not count.
#[tokio::test(start_paused = true)]
async fn silence_is_kept_alive_beyond_all_limits_of_waiting() {
    let server = Server::with_limits(|limits| {
        limits.head = SHORT;
        limits.body = SHORT;
        limits.idle = SHORT;
        limits.write_stall = SHORT;
        limits.keep_alive = SHORT;
    })
    .await;
    let mut client = server.connect().await;
    client
        .write(get(&server, "silence", "text/event-stream"))
        .await;
    let head = client.read_until("\r\n\r\n").await;
    for header in [
        "content-type: text/event-stream",
        "cache-control: no-store",
        "x-accel-buffering: no",
        "transfer-encoding: chunked",
    ] {
        assert!(head.contains(&format!("\r\n{header}\r\n")), "{head}");
    }
    for _ in 0..10 {
        assert_eq!(client.read_until("\r\n:\n\n\r\n").await, "3\r\n:\n\n\r\n");
    }
}

#[tokio::test]
async fn who_does_not_read_events_is_closed() {
    let server = Server::with_limits(|limits| limits.write_stall = SHORT * 2).await;
    let mut client = server.connect().await;
    client.write(get(&server, "flood", "*/*")).await;
    let mut bytes = vec![0; 1 << 10];
    within(client.0.read_exact(&mut bytes)).await.unwrap();
    server.echo.a_flood_is_dropped().await;
    // The server had already sent the rest when it gave up.
    let end = within(async {
        let mut total = 0;
        loop {
            match client.0.read(&mut bytes).await {
                Ok(0) | Err(_) => return total,
                Ok(read) => total += read,
            }
        }
    });
    assert!(end.await < 64 << 20);
    server.assert_lives("a reader that stopped").await;
}

#[tokio::test]
async fn who_says_that_it_leaves_is_gone() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.write(get(&server, "silence", "*/*")).await;
    client.read_until("\r\n\r\n").await;
    client.0.shutdown().await.unwrap();
    assert_eq!(client.read_to_end().await, "");
}

#[tokio::test]
async fn at_the_end_events_end_with_their_last_words() {
    let mut server = Server::start().await;
    let mut clients = Vec::new();
    for _ in 0..10 {
        let mut client = server.connect().await;
        client.write(get(&server, "silence", "*/*")).await;
        client.read_until("\r\n\r\n").await;
        clients.push(client);
    }
    let mut stalled = server.connect().await;
    stalled.write(get(&server, "flood", "*/*")).await;
    stalled.read_until("\r\n\r\n").await;
    server.stop();
    for mut client in clients {
        let rest = client.read_to_end().await;
        assert_eq!(rest, "F\r\ndata: goodbye\n\n\r\n0\r\n\r\n");
    }
    drop(stalled);
    within(server.site.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_get_that_takes_no_events_is_refused() {
    let server = Server::start().await;
    for accept in ["application/json", "text/event-stream;q=0"] {
        let response = server.send(get(&server, "silence", accept)).await;
        assert_eq!(statuses(&response), [405], "{accept}: {response}");
    }
}
