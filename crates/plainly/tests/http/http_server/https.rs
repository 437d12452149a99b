//! TLS: the handshake, the protocols over it, and clients that speak something else.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use plainly::transport::http::{HttpLimits, HttpServer, HttpService, Route, ServerCertificate};
use plainly_peer::within;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::support::{Echo, statuses};

/// A server over HTTPS, with a certificate of its own.
pub(crate) struct Secure {
    pub(crate) echo: Echo,
    pub(crate) address: SocketAddr,
    authority: CertificateDer<'static>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
}

/// Returns a certificate for this machine with its key, in PEM.
pub(crate) fn certificate() -> (CertificateDer<'static>, String, String) {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    (cert.der().clone(), cert.pem(), signing_key.serialize_pem())
}

impl Secure {
    pub(crate) async fn start(change: impl FnOnce(&mut HttpLimits)) -> Self {
        let (authority, certificate, key) = certificate();
        let certificate = ServerCertificate::from_pem(certificate.as_bytes(), key.as_bytes());
        Self::with(authority, certificate.unwrap(), change).await
    }

    pub(crate) async fn with(
        authority: CertificateDer<'static>,
        certificate: ServerCertificate,
        change: impl FnOnce(&mut HttpLimits),
    ) -> Self {
        let mut limits = HttpLimits::default();
        change(&mut limits);
        let echo = Echo::default();
        let service = HttpService::new(echo.clone()).path("/mcp").limits(limits);
        let service = service.route("/about", Route::document("{}"));
        let server = HttpServer::bind("127.0.0.1:0").await.unwrap();
        let server = server.tls(certificate);
        let address = server.local_addr();
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let serving = async move { server.serve(service, stopped).await.unwrap() };
        Self {
            echo,
            address,
            authority,
            stop: Some(stop),
            serving: tokio::spawn(serving),
        }
    }

    /// Opens a connection with one of these protocols.
    pub(crate) async fn connect(&self, protocol: &str) -> TlsStream<TcpStream> {
        within(connect(self.address, &self.authority, protocol))
            .await
            .unwrap()
    }

    /// Like `connect`, for a server with a short limit for the handshake. A busy machine may exceed
    /// the limit, so the handshake is repeated.
    pub(crate) async fn connect_at_last(&self, protocol: &str) -> TlsStream<TcpStream> {
        let connected = async {
            loop {
                if let Ok(stream) = connect(self.address, &self.authority, protocol).await {
                    return stream;
                }
            }
        };
        within(connected).await
    }

    pub(crate) fn good(&self, body: &str) -> String {
        let (address, length) = (self.address, body.len());
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    }

    /// Checks that a valid request is answered.
    pub(crate) async fn assert_lives(&self) {
        let stream = self.connect("http/1.1").await;
        let response = self.ask(stream).await;
        assert_answered(&response);
    }

    /// Like `assert_lives`, for a server with a short limit for requests, or without a free slot.
    /// The request is repeated until it is answered.
    pub(crate) async fn assert_lives_at_last(&self) {
        let answered = async {
            loop {
                let stream = self.connect_at_last("http/1.1").await;
                let response = self.ask(stream).await;
                if !response.is_empty() {
                    return response;
                }
            }
        };
        assert_answered(&within(answered).await);
    }

    /// Returns the response to a valid request.
    async fn ask(&self, mut stream: TlsStream<TcpStream>) -> String {
        let good = self.good("[1]");
        let good = good.replacen("\r\n", "\r\nConnection: close\r\n", 1);
        stream.write_all(good.as_bytes()).await.ok();
        read_to_end(&mut stream).await
    }

    /// Tells the server to stop.
    pub(crate) fn stop(&mut self) {
        self.stop = None;
    }

    /// Waits until the server has stopped.
    pub(crate) async fn stopped(self) {
        within(self.serving).await.unwrap();
    }
}

fn assert_answered(response: &str) {
    assert!(
        response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("\r\n\r\n[1]"),
        "{response}"
    );
}

pub(crate) async fn connect(
    address: SocketAddr,
    authority: &CertificateDer<'static>,
    protocol: &str,
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots);
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = vec![protocol.into()];
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, stream).await
}

pub(crate) async fn read_to_end(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    // The peer may close the connection without a TLS alert.
    within(stream.read_to_end(&mut bytes)).await.ok();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn requests_are_answered_over_tls_one_after_the_other() {
    let server = Secure::start(|_default| {}).await;
    let mut stream = server.connect("http/1.1").await;
    let all: String = (0..100)
        .map(|it| server.good(&format!("[{it:03}]")))
        .collect();
    within(stream.write_all(all.as_bytes())).await.unwrap();
    within(stream.shutdown()).await.unwrap();
    let response = read_to_end(&mut stream).await;
    assert_eq!(statuses(&response), [200; 100]);
    assert!(response.ends_with("[099]"), "{response}");
    server.assert_lives().await;
}

#[tokio::test]
async fn half_a_connection_of_tls_is_enough_for_an_answer() {
    let server = Secure::start(|_default| {}).await;
    let mut stream = server.connect("http/1.1").await;
    let good = server.good("\"slow\"");
    within(stream.write_all(good.as_bytes())).await.unwrap();
    within(stream.shutdown()).await.unwrap();
    server.echo.running(1).await;
    server.echo.release(1);
    let response = read_to_end(&mut stream).await;
    assert!(response.ends_with("\"slow\""), "{response}");
    let mut stream = server.connect("http/1.1").await;
    let good = server.good("\"slow\"");
    within(stream.write_all(good.as_bytes())).await.unwrap();
    server.echo.running(1).await;
    drop(stream);
    server.echo.running(0).await;
}

#[tokio::test]
async fn plain_http_is_told_that_the_port_speaks_https() {
    let server = Secure::start(|_default| {}).await;
    for request in [
        server.good("[1]"),
        "PRI * HTTP/2.0\r\n\r\n".to_owned(),
        "x".repeat(70_000),
    ] {
        let mut stream = within(TcpStream::connect(server.address)).await.unwrap();
        within(stream.write_all(request.as_bytes())).await.unwrap();
        let response = read_to_end(&mut stream).await;
        assert_eq!(statuses(&response), [400]);
        assert!(response.contains("This port speaks HTTPS"), "{response}");
    }
    assert_eq!(server.echo.calls(), 0);
    server.assert_lives().await;
}

#[tokio::test]
async fn who_does_not_finish_the_handshake_is_closed() {
    let server = Secure::start(|limits| limits.head = Duration::from_millis(300)).await;
    for start in [&b""[..], &[22], &[22, 3, 1, 2, 0, 1]] {
        let mut stream = within(TcpStream::connect(server.address)).await.unwrap();
        within(stream.write_all(start)).await.unwrap();
        assert_eq!(read_to_end(&mut stream).await, "");
    }
    // A client that sends nothing after the handshake is disconnected too, over either protocol.
    for protocol in ["http/1.1", "h2"] {
        let mut stream = server.connect_at_last(protocol).await;
        let told = read_to_end(&mut stream).await;
        assert!(!told.contains("HTTP"), "{told}");
    }
    server.assert_lives_at_last().await;
}

#[tokio::test]
async fn garbage_is_no_handshake() {
    let server = Secure::start(|_default| {}).await;
    for garbage in [
        [22_u8; 5000],
        [22, 3, 1, 0, 1].repeat(1000).try_into().unwrap(),
    ] {
        let mut stream = within(TcpStream::connect(server.address)).await.unwrap();
        within(stream.write_all(&garbage)).await.ok();
        read_to_end(&mut stream).await;
    }
    server.assert_lives().await;
}

#[tokio::test]
async fn a_stop_ends_a_handshake_at_once_and_finishes_a_request() {
    let mut server = Secure::start(|_default| {}).await;
    let _waiting = within(TcpStream::connect(server.address)).await.unwrap();
    let mut stream = server.connect("http/1.1").await;
    let good = server.good("\"slow\"");
    within(stream.write_all(good.as_bytes())).await.unwrap();
    server.echo.running(1).await;
    server.stop();
    server.echo.release(1);
    let response = read_to_end(&mut stream).await;
    assert!(response.ends_with("\"slow\""), "{response}");
    server.stopped().await;
}

#[tokio::test]
async fn who_takes_no_answer_over_tls_is_closed() {
    let server = Secure::start(|limits| {
        limits.write_stall = Duration::from_millis(300);
        limits.connections_per_peer = 1;
    })
    .await;
    let mut stream = server.connect("http/1.1").await;
    let good = server.good("\"large\"");
    within(stream.write_all(good.as_bytes())).await.unwrap();
    // The client reads nothing until the server has closed the connection, which frees the slot of
    // the only peer.
    server.assert_lives_at_last().await;
    let read = read_to_end(&mut stream).await;
    assert!(read.len() < 32 << 20, "{}", read.len());
}
