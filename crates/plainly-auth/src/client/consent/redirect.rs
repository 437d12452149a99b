//! The redirect URI of a login, which belongs to this machine, and the ports that are bound for it.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::Uri;
use plainly_errors::mistake::printable;
use tokio::net::{TcpListener, TcpSocket};

use super::ConsentError;

/// The path, unless the registration has another.
const PATH: &str = "/callback";

/// The most connections that may wait to be accepted.
const QUEUE: u32 = 1_024;

/// The most tries with another port, if a port is free in only one address family.
const TRIES: usize = 16;

/// A URI that leads to this machine.
#[derive(Debug)]
pub(super) struct Redirect {
    host: String,
    addresses: &'static [IpAddr],
    /// The port in the URI.
    pub(super) port: Option<u16>,
    /// The part after host and port.
    path: String,
}

/// The names of this machine, and the addresses that a browser resolves each to.
const HOSTS: [(&str, &[IpAddr]); 3] = [
    ("127.0.0.1", &[IpAddr::V4(Ipv4Addr::LOCALHOST)]),
    ("[::1]", &[IpAddr::V6(Ipv6Addr::LOCALHOST)]),
    (
        "localhost",
        &[
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::LOCALHOST),
        ],
    ),
];

/// A redirect URI whose port is bound by this program.
#[derive(Debug)]
pub(super) struct BoundRedirect {
    pub(super) listeners: Vec<TcpListener>,
    /// The whole URI.
    pub(super) uri: String,
    /// The values of `Host` that a browser may send to this URI.
    pub(super) hosts: Vec<String>,
    pub(super) path: String,
}

impl Default for Redirect {
    /// The default redirect URI has an address, because a name would have to be resolved and could
    /// lead elsewhere (RFC 8252, 8.3).
    fn default() -> Self {
        let (host, addresses) = HOSTS[0];
        Self {
            host: host.to_owned(),
            addresses,
            port: None,
            path: PATH.to_owned(),
        }
    }
}

impl Redirect {
    pub(super) fn parse(text: &str) -> Result<Self, ConsentError> {
        let unfit = |why| ConsentError::Redirect {
            redirect: printable(text).into_owned(),
            why,
        };
        let uri: Uri = text.parse().map_err(|_invalid| unfit("it is not a URL"))?;
        let authority = uri.authority().map_or("", |it| it.as_str());
        let Some(path) = text
            .strip_prefix("http://")
            .and_then(|rest| rest.strip_prefix(authority))
        else {
            return Err(unfit("it does not start with http://"));
        };
        if path.contains(['?', '#']) || authority.contains('@') {
            return Err(unfit("it has more than a host, a port and a path"));
        }
        let host = uri.host().unwrap_or_default();
        let Some((_, addresses)) = HOSTS.iter().find(|(name, _)| *name == host) else {
            return Err(unfit("it does not lead to this machine"));
        };
        let port = uri.port_u16();
        if port.is_none() && authority != host || port == Some(0) {
            return Err(unfit("its port is invalid"));
        }
        Ok(Self {
            host: host.to_owned(),
            addresses,
            port,
            path: path.to_owned(),
        })
    }

    /// Listens at this port, or at any port if it is 0.
    pub(super) fn bind(self, port: u16) -> io::Result<BoundRedirect> {
        let (listeners, port) = at_some_port(port, || listen(self.addresses, port))?;
        let Self { host, path, .. } = self;
        let hosts = hosts(&host, port);
        let uri = format!("http://{host}:{port}{path}");
        let path = match path.as_str() {
            "" => "/".to_owned(),
            _ => path,
        };
        Ok(BoundRedirect {
            listeners,
            uri,
            hosts,
            path,
        })
    }
}

/// The values of `Host` that browsers send.
fn hosts(host: &str, port: u16) -> Vec<String> {
    let mut hosts = vec![format!("{host}:{port}")];
    if port == 80 {
        // Browsers leave this port out.
        hosts.push(host.to_owned());
    }
    hosts
}

/// Tries another port if any is possible, because a port that is free at the first address may be
/// taken at the second.
fn at_some_port<T>(port: u16, mut listen: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut tries = 0;
    loop {
        match listen() {
            Err(error) if is_taken(&error) && port == 0 && tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

/// Listens at one port of all these addresses that the machine has.
fn listen(addresses: &[IpAddr], mut port: u16) -> io::Result<(Vec<TcpListener>, u16)> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    for address in addresses {
        match listen_at(SocketAddr::new(*address, port)) {
            Ok(listener) => {
                port = listener.local_addr()?.port();
                listeners.push(listener);
            }
            // A machine may have only one of the address families.
            Err(error) if !listeners.is_empty() && !is_taken(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((listeners, port))
}

fn is_taken(error: &io::Error) -> bool {
    error.kind() == ErrorKind::AddrInUse
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Unix, this allows a port that still has connections of the previous login, but no port
    // with a listener. On Windows, it would share the port with another listener.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_that_the_machine_lacks_is_done_without_after_another() {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        // An address for documentation, which no machine has (RFC 5737).
        let nowhere = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        let (listeners, port) = listen(&[here, nowhere], 0).unwrap();
        let listen_at: Vec<_> = listeners
            .iter()
            .map(|it| it.local_addr().unwrap())
            .collect();
        assert_eq!(listen_at, [SocketAddr::new(here, port)]);
        for lacking in [&[nowhere, here][..], &[nowhere]] {
            let error = listen(lacking, 0).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AddrNotAvailable);
        }
    }

    #[test]
    fn the_port_of_http_itself_may_be_left_out() {
        assert_eq!(hosts("localhost", 80), ["localhost:80", "localhost"]);
        assert_eq!(hosts("localhost", 8080), ["localhost:8080"]);
    }

    #[test]
    fn another_port_is_tried_where_any_will_do_and_only_so_often() {
        for (port, kind, tries) in [
            (0, ErrorKind::AddrInUse, 1 + TRIES),
            (0, ErrorKind::PermissionDenied, 1),
            (8765, ErrorKind::AddrInUse, 1),
        ] {
            let mut tried = 0;
            let listened = at_some_port(port, || {
                tried += 1;
                Err::<(), _>(kind.into())
            });
            assert_eq!(listened.unwrap_err().kind(), kind, "{port}");
            assert_eq!(tried, tries, "{port} {kind}");
        }
        let mut left = TRIES;
        let listened = at_some_port(0, || match left {
            0 => Ok("free"),
            _ => {
                left -= 1;
                Err(ErrorKind::AddrInUse.into())
            }
        });
        assert_eq!(listened.unwrap(), "free");
    }
}
