//! The beginning of an HTTPS connection: the TLS handshake with its time limit, and a response to
//! peers that use plain HTTP.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use rustls::ServerConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::HttpLimits;
use super::connection::Drain;
use super::paced::PacedStream;
use super::watch::{LINGER, TLS_HANDSHAKE};

/// The response to plain HTTP.
const SPEAKS_HTTPS: &[u8] = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 59\r\nConnection: close\r\n\r\n\
    This port speaks HTTPS: use a URL that starts with https://";
/// The maximum number of bytes that are still read from a peer that gets this response.
const DISCARDED: u64 = 64 << 10;

/// Performs the TLS handshake within the time limit of a head; `None` if it failed or the server is
/// stopping.
pub(super) async fn secure(
    stream: TcpStream,
    limits: &HttpLimits,
    config: Arc<ServerConfig>,
    drain: &Drain,
) -> Option<TlsStream<PacedStream>> {
    let begun = timeout(limits.head, agree(stream, limits, config));
    let stopped = pin!(drain.wait());
    tokio::select! {
        agreed = begun => match agreed {
            Ok(Ok(agreed)) => agreed,
            Ok(Err(error)) => {
                tracing::debug!(%error, "no TLS");
                None
            }
            Err(_elapsed) => {
                tracing::debug!("no TLS handshake: the peer took too long");
                None
            }
        },
        () = stopped => None,
    }
}

async fn agree(
    mut stream: TcpStream,
    limits: &HttpLimits,
    config: Arc<ServerConfig>,
) -> io::Result<Option<TlsStream<PacedStream>>> {
    let mut first = [0];
    let peeked = stream.peek(&mut first).await?;
    if peeked == 0 {
        return Ok(None);
    }
    if first[0] != TLS_HANDSHAKE {
        tracing::debug!("a client spoke plain HTTP, but this port speaks HTTPS");
        stream.write_all(SPEAKS_HTTPS).await?;
        stream.shutdown().await?;
        // Unread data would cause a TCP reset, which can overtake the response.
        let rest = &mut stream.take(DISCARDED);
        let _late = timeout(LINGER, tokio::io::copy(rest, &mut tokio::io::sink())).await;
        return Ok(None);
    }
    let stream = PacedStream::new(stream, limits);
    TlsAcceptor::from(config).accept(stream).await.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_plain_http_is_as_long_as_it_says() {
        let answer = str::from_utf8(SPEAKS_HTTPS).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
    }
}
