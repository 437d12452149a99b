//! The network of an address, and its depth inside. A server that names addresses must not make its
//! clients send requests that the server itself can't send.
//!
//! This is one table over parsed addresses, never over text, which can spell an address in many
//! ways. Its rows are those of IANA's registries of special-purpose addresses, and the metadata
//! addresses of clouds.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The depth of an address inside a network: a smaller value is further inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Zone {
    /// The addresses where clouds give secrets to their machines. No server may name these.
    Metadata,
    /// This machine.
    Loopback,
    /// A separate network: a company's, a home's, a provider's. Special addresses are here too.
    Private,
    /// The internet.
    Public,
}

/// The network of an address or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Network {
    /// The depth of the network.
    pub zone: Zone,
    /// The description of the network, such as "a loopback address".
    pub name: &'static str,
}

/// The way in which the zone of an address is determined.
#[derive(Clone, Copy)]
enum Rule {
    /// All addresses in this network are in one zone.
    All(Zone),
    /// The zone of the IPv4 address inside, after the bits were shifted to the right by this
    /// number, but at most this zone.
    Inside(u32, Zone),
    /// The innermost zone of the two IPv4 addresses inside (RFC 4380, 4): the server's, and the
    /// client's, whose bits are inverted.
    Teredo,
}

const LOOPBACK: &str = "a loopback address";
const PRIVATE: &str = "a private address";
const CLOUD: &str = "a cloud's metadata address";
const RESERVED: &str = "a reserved address";
const DOCUMENTATION: &str = "an address for documentation";
const MULTICAST: &str = "a multicast address";
const LINK_LOCAL: &str = "a link-local address";
const PUBLIC: &str = "a public address";
const TUNNELLED: &str = "an address of a tunnel";
const TRANSLATED: &str = "an address that is translated";

/// The networks of IPv4 that are not public. The first matching row counts.
const V4: &[([u8; 4], u32, Zone, &str)] = &[
    // A connection to such an address reaches this machine.
    ([0, 0, 0, 0], 8, Zone::Loopback, "an unspecified address"),
    ([10, 0, 0, 0], 8, Zone::Private, PRIVATE),
    // Alibaba's, inside the providers' addresses.
    ([100, 100, 100, 200], 32, Zone::Metadata, CLOUD),
    ([100, 64, 0, 0], 10, Zone::Private, "a provider's address"),
    ([127, 0, 0, 0], 8, Zone::Loopback, LOOPBACK),
    // Azure's, inside the public addresses.
    ([168, 63, 129, 16], 32, Zone::Metadata, CLOUD),
    ([169, 254, 0, 0], 16, Zone::Metadata, CLOUD),
    ([172, 16, 0, 0], 12, Zone::Private, PRIVATE),
    // Oracle's, inside the reserved addresses.
    ([192, 0, 0, 192], 32, Zone::Metadata, CLOUD),
    ([192, 0, 0, 0], 24, Zone::Private, RESERVED),
    ([192, 0, 2, 0], 24, Zone::Private, DOCUMENTATION),
    ([192, 88, 99, 0], 24, Zone::Private, TUNNELLED),
    ([192, 168, 0, 0], 16, Zone::Private, PRIVATE),
    ([198, 18, 0, 0], 15, Zone::Private, "an address for tests"),
    ([198, 51, 100, 0], 24, Zone::Private, DOCUMENTATION),
    ([203, 0, 113, 0], 24, Zone::Private, DOCUMENTATION),
    ([224, 0, 0, 0], 4, Zone::Private, MULTICAST),
    ([240, 0, 0, 0], 4, Zone::Private, RESERVED),
];

/// The networks of IPv6. The first matching row counts; addresses without a row are reserved.
const V6: &[([u16; 8], u32, Rule, &str)] = &[
    (
        [0, 0, 0, 0, 0, 0, 0, 0],
        128,
        Rule::All(Zone::Loopback),
        "an unspecified address",
    ),
    (
        [0, 0, 0, 0, 0, 0, 0, 1],
        128,
        Rule::All(Zone::Loopback),
        LOOPBACK,
    ),
    (
        [0, 0, 0, 0, 0, 0xffff, 0, 0],
        96,
        Rule::Inside(0, Zone::Public),
        PUBLIC,
    ),
    // In networks without IPv4, every public IPv4 address is mapped to one of these (RFC 6052).
    (
        [0x64, 0xff9b, 0, 0, 0, 0, 0, 0],
        96,
        Rule::Inside(0, Zone::Public),
        PUBLIC,
    ),
    (
        [0x64, 0xff9b, 1, 0, 0, 0, 0, 0],
        48,
        Rule::Inside(0, Zone::Private),
        TRANSLATED,
    ),
    (
        [0, 0, 0, 0, 0xffff, 0, 0, 0],
        96,
        Rule::Inside(0, Zone::Private),
        TRANSLATED,
    ),
    (
        [0, 0, 0, 0, 0, 0, 0, 0],
        96,
        Rule::Inside(0, Zone::Private),
        RESERVED,
    ),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, Rule::Teredo, TUNNELLED),
    (
        [0x2001, 0, 0, 0, 0, 0, 0, 0],
        23,
        Rule::All(Zone::Private),
        RESERVED,
    ),
    (
        [0x2001, 0xdb8, 0, 0, 0, 0, 0, 0],
        32,
        Rule::All(Zone::Private),
        DOCUMENTATION,
    ),
    (
        [0x2002, 0, 0, 0, 0, 0, 0, 0],
        16,
        Rule::Inside(80, Zone::Private),
        TUNNELLED,
    ),
    (
        [0x3fff, 0, 0, 0, 0, 0, 0, 0],
        20,
        Rule::All(Zone::Private),
        DOCUMENTATION,
    ),
    (
        [0x2000, 0, 0, 0, 0, 0, 0, 0],
        3,
        Rule::All(Zone::Public),
        PUBLIC,
    ),
    // Amazon's and Google's, inside the private addresses.
    (
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0],
        32,
        Rule::All(Zone::Metadata),
        CLOUD,
    ),
    (
        [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254],
        128,
        Rule::All(Zone::Metadata),
        CLOUD,
    ),
    // Scaleway's.
    (
        [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42],
        128,
        Rule::All(Zone::Metadata),
        CLOUD,
    ),
    (
        [0xfc00, 0, 0, 0, 0, 0, 0, 0],
        7,
        Rule::All(Zone::Private),
        PRIVATE,
    ),
    (
        [0xfe80, 0, 0, 0, 0, 0, 0, 0],
        10,
        Rule::All(Zone::Private),
        LINK_LOCAL,
    ),
    (
        [0xfec0, 0, 0, 0, 0, 0, 0, 0],
        10,
        Rule::All(Zone::Private),
        PRIVATE,
    ),
    (
        [0xff00, 0, 0, 0, 0, 0, 0, 0],
        8,
        Rule::All(Zone::Private),
        MULTICAST,
    ),
];

/// The names with a known network. Each row also covers the names below it.
const NAMES: &[(&str, Zone, &str)] = &[
    ("localhost", Zone::Loopback, "a name of this machine"),
    (
        "metadata.google.internal",
        Zone::Metadata,
        "a cloud's metadata name",
    ),
];

impl Network {
    /// The network of an address.
    ///
    /// ```
    /// use plainly_oauth::network::{Network, Zone};
    ///
    /// let network = Network::of("::ffff:127.0.0.1".parse().unwrap());
    /// assert_eq!(network.zone, Zone::Loopback);
    /// assert_eq!(network.to_string(), "a loopback address");
    /// ```
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => Self::of_v4(address.to_bits()),
            IpAddr::V6(address) => Self::of_v6(address.to_bits()),
        }
    }

    /// The network of a host's name, if it is known. Otherwise, use the addresses that the name
    /// resolves to.
    #[must_use]
    pub fn of_name(host: &str) -> Option<Self> {
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let row = NAMES.iter().find(|(name, ..)| {
            let above = host.strip_suffix(name);
            above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
        });
        row.map(|&(_, zone, name)| Self { zone, name })
    }

    fn of_v4(bits: u32) -> Self {
        let row = V4.iter().find(|(network, length, ..)| {
            let network = Ipv4Addr::from_octets(*network).to_bits();
            (bits ^ network).leading_zeros() >= *length
        });
        match row {
            Some(&(.., zone, name)) => Self { zone, name },
            None => Self {
                zone: Zone::Public,
                name: PUBLIC,
            },
        }
    }

    fn of_v6(bits: u128) -> Self {
        let row = V6.iter().find(|(network, length, ..)| {
            let network = Ipv6Addr::from_segments(*network).to_bits();
            (bits ^ network).leading_zeros() >= *length
        });
        let Some(&(_, _, rule, name)) = row else {
            let (zone, name) = (Zone::Private, RESERVED);
            return Self { zone, name };
        };
        match rule {
            Rule::All(zone) => Self { zone, name },
            Rule::Inside(shift, zone) => Self { zone, name }.or_inside(bits >> shift),
            Rule::Teredo => {
                let zone = Zone::Private;
                let server = Self { zone, name }.or_inside(bits >> 64);
                server.or_inside(!bits)
            }
        }
    }

    /// This network, or that of the IPv4 address in the last bits if it is further inside.
    fn or_inside(self, bits: u128) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the last 32 bits are the address"
        )]
        let inside = Self::of_v4(bits as u32);
        if inside.zone < self.zone {
            inside
        } else {
            self
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use url::{Host, Url};

    use super::*;

    /// Hosts as they may be spelled in a URL.
    const HOSTS: &[(&str, Zone)] = &[
        ("169.254.169.254", Zone::Metadata),
        ("169.254.170.2", Zone::Metadata),
        ("2852039166", Zone::Metadata),
        ("0xa9fea9fe", Zone::Metadata),
        ("0251.0376.0251.0376", Zone::Metadata),
        ("100.100.100.200", Zone::Metadata),
        ("168.63.129.16", Zone::Metadata),
        ("192.0.0.192", Zone::Metadata),
        ("[fd00:ec2::254]", Zone::Metadata),
        ("[fd00:42::42]", Zone::Metadata),
        ("[fd20:ce::254]", Zone::Metadata),
        ("[::ffff:169.254.169.254]", Zone::Metadata),
        ("[::169.254.169.254]", Zone::Metadata),
        ("[2002:a9fe:a9fe::]", Zone::Metadata),
        ("[64:ff9b::a9fe:a9fe]", Zone::Metadata),
        ("[64:ff9b:1::a9fe:a9fe]", Zone::Metadata),
        ("metadata.google.internal", Zone::Metadata),
        ("METADATA.google.internal.", Zone::Metadata),
        ("127.0.0.1", Zone::Loopback),
        ("127.1", Zone::Loopback),
        ("127.255.255.255", Zone::Loopback),
        ("2130706433", Zone::Loopback),
        ("0x7f.1", Zone::Loopback),
        ("0177.0.0.1", Zone::Loopback),
        ("%31%32%37.0.0.1", Zone::Loopback),
        ("127.0.0.1.", Zone::Loopback),
        ("①②⑦.0.0.1", Zone::Loopback),
        ("0", Zone::Loopback),
        ("0.0.0.0", Zone::Loopback),
        ("[::]", Zone::Loopback),
        ("[::1]", Zone::Loopback),
        ("[0:0:0:0:0:0:0:1]", Zone::Loopback),
        ("[::ffff:7f00:1]", Zone::Loopback),
        ("[::ffff:0:7f00:1]", Zone::Loopback),
        ("[::7f00:1]", Zone::Loopback),
        ("[2002:7f00:1::]", Zone::Loopback),
        ("[64:ff9b::7f00:1]", Zone::Loopback),
        // Teredo with a server, and with a client, at 127.0.0.1.
        ("[2001:0:7f00:1::ffff:ffff]", Zone::Loopback),
        ("[2001:0:808:808::80ff:fffe]", Zone::Loopback),
        ("localhost", Zone::Loopback),
        ("LocalHost.", Zone::Loopback),
        ("a.localhost", Zone::Loopback),
        ("10.0.0.1", Zone::Private),
        ("172.16.0.1", Zone::Private),
        ("172.31.255.255", Zone::Private),
        ("192.168.1.1", Zone::Private),
        ("100.64.0.1", Zone::Private),
        ("100.127.255.255", Zone::Private),
        ("192.0.2.1", Zone::Private),
        ("198.18.0.1", Zone::Private),
        ("198.19.255.255", Zone::Private),
        ("198.51.100.1", Zone::Private),
        ("203.0.113.1", Zone::Private),
        ("192.88.99.1", Zone::Private),
        ("224.0.0.1", Zone::Private),
        ("255.255.255.255", Zone::Private),
        ("[::ffff:10.0.0.1]", Zone::Private),
        ("[64:ff9b::10.0.0.1]", Zone::Private),
        ("[64:ff9b:1::8.8.8.8]", Zone::Private),
        ("[2002:808:808::]", Zone::Private),
        ("[2001:0:808:808::f7f7:f7f7]", Zone::Private),
        ("[2001:db8::1]", Zone::Private),
        ("[3fff::1]", Zone::Private),
        ("[100::1]", Zone::Private),
        ("[5f00::1]", Zone::Private),
        ("[4000::1]", Zone::Private),
        ("[fc00::1]", Zone::Private),
        ("[fdff::1]", Zone::Private),
        ("[fe80::1]", Zone::Private),
        ("[fec0::1]", Zone::Private),
        ("[ff02::1]", Zone::Private),
        ("8.8.8.8", Zone::Public),
        ("172.15.255.255", Zone::Public),
        ("172.32.0.0", Zone::Public),
        ("100.63.255.255", Zone::Public),
        ("100.128.0.0", Zone::Public),
        ("126.255.255.255", Zone::Public),
        ("128.0.0.0", Zone::Public),
        ("[::ffff:8.8.8.8]", Zone::Public),
        ("[64:ff9b::8.8.8.8]", Zone::Public),
        ("[2606:4700::1111]", Zone::Public),
        ("[2001:4860:4860::8888]", Zone::Public),
    ];

    #[test]
    fn an_address_is_judged_by_what_it_is_and_not_by_how_it_is_spelled() {
        for (host, expected) in HOSTS {
            let url = Url::parse(&format!("https://{host}/")).unwrap();
            let network = match url.host() {
                Some(Host::Ipv4(address)) => Network::of(address.into()),
                Some(Host::Ipv6(address)) => Network::of(address.into()),
                Some(Host::Domain(name)) => Network::of_name(name).unwrap(),
                None => panic!("{host} is no host"),
            };
            assert_eq!(network.zone, *expected, "{host} is {network}");
        }
    }

    #[test]
    fn an_address_is_called_by_what_it_is_unless_what_is_inside_lies_further_inside() {
        for (address, expected) in [
            ("2002:a00:1::", TUNNELLED),
            ("2002:7f00:1::", LOOPBACK),
            ("::ffff:10.0.0.1", PRIVATE),
            ("64:ff9b:1::a00:1", TRANSLATED),
        ] {
            let network = Network::of(address.parse().unwrap());
            assert_eq!(network.to_string(), expected, "{address}");
        }
    }

    #[test]
    fn a_name_says_where_it_leads_only_if_it_always_leads_there() {
        for name in ["example.com", "notlocalhost", "localhost.example", ""] {
            assert_eq!(Network::of_name(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_inside_another_address_never_makes_it_lie_further_out() {
        for bits in (0..=u32::MAX).step_by(65_521) {
            let own = Network::of(Ipv4Addr::from_bits(bits).into()).zone;
            let mapped = Ipv4Addr::from_bits(bits).to_ipv6_mapped();
            assert_eq!(Network::of(mapped.into()).zone, own, "{mapped}");
            let tunnelled = Ipv6Addr::from_bits(0x2002 << 112 | u128::from(bits) << 80);
            let expected = own.min(Zone::Private);
            assert_eq!(Network::of(tunnelled.into()).zone, expected, "{tunnelled}");
        }
    }
}
