//! Clients behind a proxy: their addresses, and the number of concurrent requests of each.

use std::net::SocketAddr;

use plainly::transport::http::{HttpLimits, HttpServer, HttpService};
use plainly_peer::within;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::support::{Echo, statuses};

/// Starts a server that trusts the proxies of this network.
async fn behind(network: &str) -> (SocketAddr, Echo) {
    let mut limits = HttpLimits::default();
    limits.connections_per_peer = 2;
    let echo = Echo::default();
    let service = HttpService::new(echo.clone()).limits(limits);
    let service = service.allow_origin("https://app.example.com").unwrap();
    let server = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let server = server.trust_proxies([network.parse().unwrap()]);
    let address = server.local_addr();
    tokio::spawn(server.serve(service, std::future::pending()));
    (address, echo)
}

async fn send(address: SocketAddr, headers: &str, body: &str) -> TcpStream {
    let mut stream = within(TcpStream::connect(address)).await.unwrap();
    let length = body.len();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    within(stream.write_all(request.as_bytes())).await.unwrap();
    stream
}

async fn answer(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer)).await.unwrap();
    answer
}

#[tokio::test]
async fn only_a_trusted_proxy_says_who_its_clients_are() {
    for (network, expected) in [
        ("127.0.0.0/8", "\"203.0.113.7\""),
        ("10.0.0.0/8", "\"127.0.0.1\""),
    ] {
        let (address, _echo) = behind(network).await;
        let header = "X-Forwarded-For: 1.1.1.1, 203.0.113.7\r\n";
        let told = answer(send(address, header, "\"who\"").await).await;
        assert!(told.ends_with(expected), "{network}: {told}");
    }
}

#[tokio::test]
async fn a_client_behind_a_proxy_has_its_share_and_leaves_the_rest_to_others() {
    let (address, echo) = behind("127.0.0.1").await;
    let (one, other) = (
        "X-Forwarded-For: 203.0.113.7\r\n",
        "X-Forwarded-For: 203.0.113.8\r\n",
    );
    let running = [
        send(address, one, "\"slow\"").await,
        send(address, one, "\"slow\"").await,
    ];
    echo.running(2).await;
    let page = format!("{one}Origin: https://app.example.com\r\n");
    let refused = answer(send(address, &page, "[1]").await).await;
    assert_eq!(statuses(&refused), [503]);
    assert!(
        refused.contains("access-control-allow-origin: https://app.example.com\r\n"),
        "{refused}"
    );
    assert!(
        refused.to_ascii_lowercase().contains("retry-after: 1\r\n"),
        "{refused}"
    );
    // The proxy itself may open more connections than a peer.
    for _ in 0..3 {
        let answered = answer(send(address, other, "[1]").await).await;
        assert_eq!(statuses(&answered), [200]);
    }
    echo.release(2);
    for stream in running {
        assert_eq!(statuses(&answer(stream).await), [200]);
    }
    let answered = answer(send(address, one, "[1]").await).await;
    assert_eq!(statuses(&answered), [200]);
}
