//! The address of a client behind a proxy, as trusted proxies report it.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, Version};

use super::HttpLimits;
use plainly_transport::quota::{Holder, Quota, QuotaExhausted, QuotaPart};

/// The addresses of a network, such as `10.0.0.0/8`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyNetwork {
    address: IpAddr,
    /// The number of leading bits that its addresses share.
    bits: u32,
}

/// A text that is not a network.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid network {0:?}: expected an address or CIDR block, such as 10.0.0.1, 10.0.0.0/8 or \
     fd00::/8"
)]
pub struct InvalidNetwork(String);

plainly_errors::debug_with_causes!(InvalidNetwork);

impl FromStr for ProxyNetwork {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let invalid = || InvalidNetwork(text.to_owned());
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_invalid| invalid())?;
        let address = address.to_canonical();
        let all = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(all), str::parse);
        let bits = bits.map_err(|_invalid| invalid())?;
        let found = Self { address, bits };
        // With further bits set, the meaning of the network would be unclear.
        let is_first = bits <= all && found.rest_of(address) == 0;
        is_first.then_some(found).ok_or_else(invalid)
    }
}

impl ProxyNetwork {
    fn contains(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4()
            && self.prefix_of(address) == self.prefix_of(self.address)
    }

    fn prefix_of(self, address: IpAddr) -> u128 {
        let unshared = self.all() - self.bits;
        number(address).checked_shr(unshared).unwrap_or_default()
    }

    /// The bits of an address that are not part of the network prefix.
    fn rest_of(self, address: IpAddr) -> u128 {
        let unshared = self.all() - self.bits;
        let own = !u128::MAX.checked_shl(unshared).unwrap_or_default();
        number(address) & own
    }

    fn all(self) -> u32 {
        if self.address.is_ipv4() { 32 } else { 128 }
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

impl fmt::Display for ProxyNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// The trusted proxies, and the clients behind them.
#[derive(Debug)]
pub(super) struct TrustedProxies {
    networks: Vec<ProxyNetwork>,
    /// The quota of requests: each client may have as many requests at the same time, behind
    /// proxies or over HTTP/2, as it may have connections.
    clients: Quota,
}

impl TrustedProxies {
    pub(super) fn new(networks: Vec<ProxyNetwork>, limits: &HttpLimits) -> Self {
        Self {
            networks,
            clients: Quota::with_share(usize::MAX, limits.connections_per_peer),
        }
    }

    pub(super) fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|it| it.contains(address))
    }

    /// The client that the headers name. Each proxy appends the address from which its request
    /// came. The last address that is not a trusted proxy is the client's; the client itself may
    /// have written all addresses before it.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let listed = addresses(headers, &X_FORWARDED_FOR, |value, all| {
            all.extend(value.split(',').map(address));
        });
        let standard = addresses(headers, &FORWARDED, forwarded);
        let found = [listed, standard].map(|all| all.map(|all| self.outermost(peer, &all)));
        match found {
            [Some(one), None] | [None, Some(one)] => one,
            [Some(one), Some(other)] if one == other => one,
            // The two headers disagree. One of them may come from the client, and its proxy passed
            // it on.
            [..] => peer,
        }
    }

    fn outermost(&self, peer: IpAddr, addresses: &[Option<IpAddr>]) -> IpAddr {
        let mut known = peer;
        for address in addresses.iter().rev() {
            let Some(address) = address else { break };
            known = *address;
            if !self.contain(known) {
                break;
            }
        }
        known
    }
}

/// The peer of a connection.
#[derive(Clone, Debug)]
pub(super) struct ConnectionPeer {
    peer: IpAddr,
    is_proxy: bool,
    proxies: Arc<TrustedProxies>,
}

/// The share of a request in the quota of its client.
pub(super) type ClientShare = Option<Box<QuotaPart>>;

impl ConnectionPeer {
    pub(super) fn new(peer: IpAddr, proxies: &Arc<TrustedProxies>) -> Self {
        let peer = peer.to_canonical();
        Self {
            peer,
            is_proxy: proxies.contain(peer),
            proxies: Arc::clone(proxies),
        }
    }

    /// The client of a request, and the request's share in the quota of that client. A client's own
    /// HTTP/1.1 connection needs no share, because it carries one request at a time.
    pub(super) fn client(
        &self,
        version: Version,
        headers: &HeaderMap,
    ) -> (IpAddr, Result<ClientShare, QuotaExhausted>) {
        let client = match self.is_proxy {
            true => self.proxies.client(self.peer, headers),
            false if version <= Version::HTTP_11 => return (self.peer, Ok(None)),
            false => self.peer,
        };
        let share = self.proxies.clients.take(Holder::of(None, Some(client)), 1);
        (client, share.map(|share| Some(Box::new(share))))
    }
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED: HeaderName = http::header::FORWARDED;

/// All addresses in the headers with this name, in order; `None` without such headers. An invalid
/// address becomes `None`.
fn addresses(
    headers: &HeaderMap,
    name: &HeaderName,
    read: impl Fn(&str, &mut Vec<Option<IpAddr>>),
) -> Option<Vec<Option<IpAddr>>> {
    let mut all = None::<Vec<_>>;
    for value in headers.get_all(name) {
        let all = all.get_or_insert_default();
        match value.to_str() {
            Ok(value) => read(value, all),
            Err(_not_ascii) => all.push(None),
        }
    }
    all
}

/// An address with an optional port, as proxies write it.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let own = text.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let alone = own.unwrap_or(text).parse::<IpAddr>().ok();
    let found = alone.or_else(|| text.parse::<SocketAddr>().ok().map(|it| it.ip()));
    found.map(|it| it.to_canonical())
}

/// The addresses in a value of `Forwarded` (RFC 7239, 4): the `for` of each element.
fn forwarded(value: &str, all: &mut Vec<Option<IpAddr>>) {
    for element in split(value, ',') {
        let pairs = split(element, ';');
        let found = pairs.into_iter().find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            name.trim().eq_ignore_ascii_case("for").then_some(value)
        });
        all.push(found.and_then(|value| {
            let value = value.trim();
            let quoted = value.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
            address(quoted.unwrap_or(value))
        }));
    }
}

/// The parts of a text between separators outside quotes.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(|character| {
        if is_escaped {
            is_escaped = false;
            return false;
        }
        is_quoted ^= character == '"';
        is_escaped = is_quoted && character == '\\';
        !is_quoted && character == separator
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_network_is_read_as_it_is_meant_or_not_at_all() {
        for (text, inside, outside) in [
            ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"),
            ("10.0.0.1", "10.0.0.1", "10.0.0.2"),
            ("192.168.4.0/22", "192.168.7.255", "192.168.8.0"),
            ("fd00::/8", "fdff::1", "fe00::"),
            ("::1", "::1", "::2"),
            ("::ffff:10.0.0.1", "10.0.0.1", "::1"),
            ("0.0.0.0/0", "8.8.8.8", "::1"),
            ("::/0", "2606::1", "10.0.0.1"),
        ] {
            let network: ProxyNetwork = text.parse().unwrap();
            assert!(network.contains(inside.parse().unwrap()), "{text}");
            assert!(!network.contains(outside.parse().unwrap()), "{text}");
        }
        for text in [
            "",
            "10",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10.0.0.1/8",
            "10.0.0.0/-1",
            "::/129",
            "::1/64",
            "proxy",
            "10.0.0.0/8/8",
        ] {
            let error = text.parse::<ProxyNetwork>().unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with(&format!("invalid network {text:?}"))
            );
        }
    }

    /// The peer is 10.0.0.1, and all addresses in 10.0.0.0/8 are trusted.
    const HEADERS: &[(&[(&str, &str)], &str)] = &[
        (&[], "10.0.0.1"),
        (&[("x-forwarded-for", "203.0.113.7")], "203.0.113.7"),
        (
            &[("x-forwarded-for", "1.1.1.1, 203.0.113.7")],
            "203.0.113.7",
        ),
        (
            &[("x-forwarded-for", "1.1.1.1, 203.0.113.7, 10.0.0.9")],
            "203.0.113.7",
        ),
        (
            &[
                ("x-forwarded-for", "1.1.1.1"),
                ("x-forwarded-for", "203.0.113.7"),
            ],
            "203.0.113.7",
        ),
        (&[("x-forwarded-for", "10.0.0.8, 10.0.0.9")], "10.0.0.8"),
        (&[("x-forwarded-for", "203.0.113.7:4711")], "203.0.113.7"),
        (&[("x-forwarded-for", "[2001:db8::1]:4711")], "2001:db8::1"),
        (&[("x-forwarded-for", "[2001:db8::1]")], "2001:db8::1"),
        (&[("x-forwarded-for", "::ffff:203.0.113.7")], "203.0.113.7"),
        (&[("x-forwarded-for", "1.1.1.1, unknown")], "10.0.0.1"),
        (&[("x-forwarded-for", "1.1.1.1, , 10.0.0.9")], "10.0.0.9"),
        (&[("x-forwarded-for", "")], "10.0.0.1"),
        (&[("x-forwarded-for", "\u{fc}")], "10.0.0.1"),
        (
            &[("forwarded", "for=203.0.113.7;proto=https")],
            "203.0.113.7",
        ),
        (
            &[("forwarded", "for=1.1.1.1, proto=https; For=\"203.0.113.7\"")],
            "203.0.113.7",
        ),
        (
            &[("forwarded", "for=\"[2001:db8::1]:4711\"")],
            "2001:db8::1",
        ),
        (
            &[("forwarded", "for=1.1.1.1;by=\"a,b\\\",c;for=2.2.2.2\"")],
            "1.1.1.1",
        ),
        (&[("forwarded", "for=_hidden")], "10.0.0.1"),
        // An open quote from the client makes the address that the proxy appends invalid, but can't
        // replace it.
        (
            &[("forwarded", "for=\"1.1.1.1, for=203.0.113.7")],
            "10.0.0.1",
        ),
        (
            &[
                ("x-forwarded-for", "203.0.113.7"),
                ("forwarded", "for=203.0.113.7"),
            ],
            "203.0.113.7",
        ),
        (
            &[
                ("x-forwarded-for", "203.0.113.7"),
                ("forwarded", "for=1.1.1.1"),
            ],
            "10.0.0.1",
        ),
        (&[("x-real-ip", "1.1.1.1")], "10.0.0.1"),
    ];

    #[test]
    fn the_last_address_that_is_no_proxy_is_the_client() {
        let network = "10.0.0.0/8".parse().unwrap();
        let proxies = Arc::new(TrustedProxies::new(vec![network], &HttpLimits::default()));
        let client = |peer: &str, rows: &[(&str, &str)]| {
            let headers = rows.iter().map(|(name, value)| {
                let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
                (name.parse::<HeaderName>().unwrap(), value)
            });
            let mut all = HeaderMap::new();
            for (name, value) in headers {
                all.append(name, value);
            }
            ConnectionPeer::new(peer.parse().unwrap(), &proxies)
                .client(Version::HTTP_11, &all)
                .0
        };
        for (rows, expected) in HEADERS {
            assert_eq!(client("10.0.0.1", rows).to_string(), *expected, "{rows:?}");
            assert_eq!(client("203.0.113.9", rows).to_string(), "203.0.113.9");
        }
    }
}
