//! A ready-made HTTP server: listens, and runs a task per connection. HTTP/1.1 only, which offers less to attack; for
//! HTTP/2 or TLS, mount the service in a server of your own, or put a reverse proxy in front of this one.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream, ToSocketAddrs};
use tokio::task::JoinSet;

use super::HttpService;
use super::connection::{self, Drain};
use super::slots::{PeerSlot, Slots};
use crate::transport::Exchange;

/// The pause after the operating system has no room for a connection, mostly for want of file descriptors.
const NO_ROOM: Duration = Duration::from_millis(100);
/// The number of connections that may wait to be accepted, as far as the operating system allows it. Beyond that, it
/// lets peers try again after a second; with tokio's default of 128, that happens to most of a crowd that arrives at
/// once.
const QUEUE: u32 = 1_024;

/// A server that is listening but not serving yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
}

impl HttpServer {
    /// Listens at `address`, such as `127.0.0.1:3333` or `localhost:0`; port 0 picks a free port.
    ///
    /// Except on a loopback address, [`serve`](Self::serve) only accepts services that name their hosts.
    pub async fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = listen(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// The address where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` is ready, then finishes running requests, for as long as the limits allow.
    ///
    /// Fails at once, with [`io::ErrorKind::InvalidInput`], if it listens on more than loopback and the service was not
    /// given its host names with [`HttpService::allow_host`].
    pub async fn serve<E: Exchange>(
        self,
        service: HttpService<E>,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let Self { listener, address } = self;
        if !address.ip().to_canonical().is_loopback() && !service.names_hosts() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                Nameless(address),
            ));
        }
        let service = service.port(address.port());
        let slots = Slots::new(service.http_limits());
        let drain = Arc::new(Drain::default());
        let mut connections = JoinSet::new();
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                biased;
                // First, or a steady stream of newcomers could put it off for ever.
                () = &mut shutdown => break,
                // Taken as they end: a set keeps the outcome of every task until somebody asks for it.
                Some(end) = connections.join_next(), if !connections.is_empty() => log_panic(end),
                (stream, slot) = accept(&listener, &slots) => {
                    let serving = connection::serve(stream, service.clone(), Arc::clone(&drain));
                    connections.spawn(async move {
                        serving.await;
                        drop(slot);
                    });
                }
            }
        }
        // Right away: newcomers are refused instead of left waiting, and the next server can take the port.
        drop(listener);
        drain.begin();
        let all_ended = async {
            while let Some(end) = connections.join_next().await {
                log_panic(end)
            }
        };
        if tokio::time::timeout(service.http_limits().shutdown, all_ended)
            .await
            .is_err()
        {
            tracing::warn!(
                connections = connections.len(),
                "requests still run at shutdown: dropping them"
            );
            connections.shutdown().await;
        }
        Ok(())
    }
}

/// Listens at the first of the addresses where that is possible.
async fn listen(address: impl ToSocketAddrs) -> io::Result<TcpListener> {
    let mut failure = io::Error::new(io::ErrorKind::InvalidInput, "the name has no address");
    for address in tokio::net::lookup_host(address).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // Otherwise the port would stay taken for a minute after a restart. On Windows, the option would let others take
    // it.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE)
}

/// Accepts the next connection for which there is a place. Nothing is lost if the future is dropped.
async fn accept(listener: &TcpListener, slots: &Slots) -> (TcpStream, PeerSlot) {
    loop {
        // Before a connection is accepted: beyond the limit, connections wait in the kernel and take no memory here.
        let slot = slots.free().await;
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Replies are written whole: waiting for more data to send along would only delay them.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "no TCP_NODELAY");
                }
                match slots.take(slot, peer.ip()) {
                    Some(slot) => return (stream, slot),
                    None => {
                        tracing::debug!(%peer, "too many connections from one peer: closed another")
                    }
                }
            }
            Err(error) if is_of_the_peer(&error) => {
                tracing::debug!(%error, "connection lost before it was accepted")
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                // The connection stays in the queue, so without a pause this loop would spin.
                tokio::time::sleep(NO_ROOM).await;
            }
        }
    }
}

fn is_of_the_peer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
    )
}

fn log_panic(end: Result<(), tokio::task::JoinError>) {
    if let Err(error) = end {
        tracing::error!(%error, "connection ended with an error");
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{0} is not a loopback address: name the hosts that clients use (allow_host)")]
struct Nameless(SocketAddr);
