//! The URI that a browser comes back to: which of this machine's own it is, and what is bound for it.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::Uri;
use plainly_errors::mistake::printable;
use tokio::net::{TcpListener, TcpSocket};

use super::ConsentError;

/// The path, unless a registration has another.
const PATH: &str = "/callback";

/// How many connections may wait to be accepted.
const QUEUE: u32 = 1_024;

/// How often another port is tried, if one is free in one family of addresses only.
const TRIES: usize = 16;

/// A URI that leads to this machine.
#[derive(Debug)]
pub(super) struct Redirect {
    host: String,
    addresses: &'static [IpAddr],
    /// The port that it names.
    pub(super) port: Option<u16>,
    /// All that follows host and port.
    path: String,
}

/// The names of this machine, and where a browser looks for each.
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

/// A URI whose port is this program's alone.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) listeners: Vec<TcpListener>,
    /// The whole URI.
    pub(super) uri: String,
    /// The values of `Host` that a browser sends which was sent there.
    pub(super) hosts: Vec<String>,
    pub(super) path: String,
}

impl Default for Redirect {
    /// The one that is registered if nothing else is wanted. A name would have to be resolved, and could lead elsewhere (RFC
    /// 8252, 8.3).
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
        let uri: Uri = text.parse().map_err(|_invalid| unfit("it is no URL"))?;
        let authority = uri.authority().map_or("", |it| it.as_str());
        let Some(path) = text
            .strip_prefix("http://")
            .and_then(|rest| rest.strip_prefix(authority))
        else {
            return Err(unfit("it does not begin with http://"));
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
            return Err(unfit("its port is none"));
        }
        Ok(Self {
            host: host.to_owned(),
            addresses,
            port,
            path: path.to_owned(),
        })
    }

    /// Listens at this port, or at any if it is 0.
    pub(super) fn bind(self, port: u16) -> io::Result<Bound> {
        let mut tries = 0;
        let (listeners, port) = loop {
            match listen(self.addresses, port) {
                Err(error) if is_taken(&error) && port == 0 && tries < TRIES => tries += 1,
                done => break done?,
            }
        };
        let Self { host, path, .. } = self;
        let mut hosts = vec![format!("{host}:{port}")];
        if port == 80 {
            // Which browsers leave out.
            hosts.push(host.clone());
        }
        let uri = format!("http://{host}:{port}{path}");
        let path = match path.as_str() {
            "" => "/".to_owned(),
            _ => path,
        };
        Ok(Bound {
            listeners,
            uri,
            hosts,
            path,
        })
    }
}

/// Listens at all of these addresses that the machine has, at one port.
fn listen(addresses: &[IpAddr], mut port: u16) -> io::Result<(Vec<TcpListener>, u16)> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    for address in addresses {
        match listen_at(SocketAddr::new(*address, port)) {
            Ok(listener) => {
                port = listener.local_addr()?.port();
                listeners.push(listener);
            }
            // One family is enough for a machine that has no other.
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
    // On Unix this takes a port that still remembers connections of the login before, and none where somebody listens. On
    // Windows it would share the port with whoever listens there.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(QUEUE)
}
