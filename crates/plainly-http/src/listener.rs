//! A complete HTTP server, which listens and runs a task for each connection. It serves HTTP/1.1,
//! and with a certificate HTTP/1.1 and HTTP/2 over TLS.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream, ToSocketAddrs};
use tokio::task::JoinSet;

use super::HttpService;
#[cfg(feature = "tls")]
use super::certificate::ServerCertificate;
use super::connection::{self, Drain};
use super::paced::PacedStream;
use super::proxies::{ConnectionPeer, ProxyNetwork, TrustedProxies};
use super::slots::{PeerSlot, Slots};
#[cfg(feature = "tls")]
use super::{handshake, http2};
use plainly_transport::{Exchange, ServeError};

/// The pause after the operating system could not accept a connection, usually for lack of file
/// descriptors.
const NO_ROOM: Duration = Duration::from_millis(100);
/// The maximum number of connections that may wait to be accepted, as far as the operating system
/// allows it. Beyond that, peers have to retry after a second. With tokio's default of 128, that
/// happens to most peers if many arrive at once.
const QUEUE: u32 = 1_024;

/// A server that is listening but not yet serving.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    proxies: Vec<ProxyNetwork>,
    #[cfg(feature = "tls")]
    certificate: Option<Arc<ServerCertificate>>,
}

impl HttpServer {
    /// Listens at `address`, such as `127.0.0.1:3333` or `localhost:0`; port 0 picks a free port.
    ///
    /// Except on a loopback address, [`serve`](Self::serve) accepts only services that name their
    /// hosts.
    pub async fn bind(address: impl ToSocketAddrs) -> Result<Self, ServeError> {
        let (listener, address) = listen(address).await?;
        Ok(Self {
            listener,
            address,
            proxies: Vec::new(),
            #[cfg(feature = "tls")]
            certificate: None,
        })
    }

    /// Trusts the proxies in these networks to report their clients' addresses in `X-Forwarded-For`
    /// or `Forwarded`. The last address there that is not a trusted proxy is the client's. It is in
    /// the access log, and each client behind a proxy may have as many requests at the same time as
    /// [connections](super::HttpLimits::connections_per_peer), beyond which it gets 503. The
    /// connections of these proxies are limited only in total.
    ///
    /// Any other peer can set these headers too, so list only proxies that append to them.
    #[must_use]
    pub fn trust_proxies(mut self, networks: impl IntoIterator<Item = ProxyNetwork>) -> Self {
        self.proxies.extend(networks);
        self
    }

    /// Serves HTTPS with this certificate, by HTTP/1.1 and HTTP/2, and no longer plain HTTP.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self, certificate: ServerCertificate) -> Self {
        self.certificate = Some(Arc::new(certificate));
        self
    }

    /// The address at which the server listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` resolves, then finishes running requests within the time that the
    /// limits allow.
    ///
    /// Fails at once with [`ServeError::Nameless`] if the server listens on an address other than
    /// loopback and the service was not given its host names with [`HttpService::allow_host`].
    pub async fn serve<E: Exchange>(
        self,
        service: HttpService<E>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let Self {
            listener,
            address,
            proxies,
            #[cfg(feature = "tls")]
            certificate,
        } = self;
        if !address.ip().to_canonical().is_loopback() && !service.names_hosts() {
            return Err(ServeError::Nameless(address));
        }
        #[cfg(feature = "tls")]
        let service = match &certificate {
            Some(_) => service.secure(),
            None => service,
        };
        let slots = Slots::new(service.http_limits());
        let proxies = Arc::new(TrustedProxies::new(proxies, service.http_limits()));
        let drain = Arc::new(Drain::default());
        let mut connections = JoinSet::new();
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                biased;
                // Polled first, because a steady stream of connections could delay it forever.
                () = &mut shutdown => break,
                // Collected as they end, because a `JoinSet` stores the result of every task until
                // it is collected.
                Some(end) = connections.join_next(), if !connections.is_empty() => log_panic(end),
                (stream, peer, slot) = accept(&listener, &slots, &proxies) => {
                    let connection = NewConnection {
                        caller: ConnectionPeer::new(peer, &proxies),
                        service: service.clone(),
                        drain: Arc::clone(&drain),
                        #[cfg(feature = "tls")]
                        certificate: certificate.clone(),
                    };
                    connections.spawn(async move {
                        connection.run(stream).await;
                        drop(slot);
                    });
                }
            }
        }
        // Dropped at once, so that new connections are refused instead of left waiting, and the
        // next server can use the port.
        drop(listener);
        drain.begin();
        finish(connections, service.http_limits().shutdown).await;
        Ok(())
    }
}

/// Waits until all connections have ended, but at most `time`.
async fn finish(mut connections: JoinSet<()>, time: Duration) {
    let all_ended = async {
        while let Some(end) = connections.join_next().await {
            log_panic(end)
        }
    };
    if tokio::time::timeout(time, all_ended).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "requests still run at shutdown: dropping them"
        );
        connections.shutdown().await;
    }
}

/// The parts that a connection needs.
struct NewConnection<E> {
    caller: ConnectionPeer,
    service: HttpService<E>,
    drain: Arc<Drain>,
    #[cfg(feature = "tls")]
    certificate: Option<Arc<ServerCertificate>>,
}

impl<E: Exchange> NewConnection<E> {
    async fn run(self, stream: TcpStream) {
        let (caller, service, drain) = (self.caller, self.service, self.drain);
        let limits = service.http_limits();
        #[cfg(feature = "tls")]
        if let Some(certificate) = self.certificate {
            let secure = handshake::secure(stream, limits, certificate.current(), &drain);
            // Boxed, because these futures are larger than everything that a plain connection
            // needs.
            let Some(stream) = Box::pin(secure).await else {
                return;
            };
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                return Box::pin(http2::serve(stream, caller, service, &drain)).await;
            }
            return Box::pin(connection::serve(stream, caller, service, drain)).await;
        }
        let stream = PacedStream::new(stream, limits);
        connection::serve(stream, caller, service, drain).await;
    }
}

/// Listens at the first of the addresses where that is possible.
async fn listen(address: impl ToSocketAddrs) -> Result<(TcpListener, SocketAddr), ServeError> {
    let no_address = io::Error::new(io::ErrorKind::InvalidInput, "the name has no address");
    let mut failure = ServeError::Lookup(no_address);
    let addresses = tokio::net::lookup_host(address).await;
    for address in addresses.map_err(ServeError::Lookup)? {
        match listen_at(address) {
            Ok(listening) => return Ok(listening),
            Err(source) => failure = ServeError::Listen { address, source },
        }
    }
    Err(failure)
}

fn listen_at(address: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // Without this option the port would stay in use for a minute after a restart. On Windows the
    // option would allow other programs to use the port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(QUEUE)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Accepts the next connection once a slot is free. Cancel-safe.
async fn accept(
    listener: &TcpListener,
    slots: &Slots,
    proxies: &TrustedProxies,
) -> (TcpStream, IpAddr, PeerSlot) {
    loop {
        // Before a connection is accepted, because beyond the limit connections wait in the kernel
        // and use no memory here.
        let slot = slots.free().await;
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Responses are written as a whole, so waiting for more data would only delay them.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "no TCP_NODELAY");
                }
                let address = peer.ip();
                match slots.take(slot, Some(address).filter(|it| !proxies.contain(*it))) {
                    Some(slot) => return (stream, address, slot),
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
