//! The fence: the network zones that may be requested, by scheme.

use std::ops::RangeInclusive;

use plainly_oauth::network::{Network, Zone};
use reqwest::Url;
use url::Host;

use super::error::Outside;

/// The zones that are open, by scheme.
#[derive(Clone, Debug)]
pub(super) struct Fence {
    /// The open zones for https.
    pub(super) tls: OpenZones,
    /// The open zones for http, if it is allowed at all.
    pub(super) plain: Option<OpenZones>,
}

/// The open zones of one scheme.
#[derive(Clone, Debug)]
pub(super) struct OpenZones(RangeInclusive<Zone>);

impl Fence {
    /// The fence for URLs that a server in this zone names.
    #[cfg(feature = "client")]
    pub(super) fn around(server: Zone, trusts_private_networks: bool) -> Self {
        let innermost = match trusts_private_networks {
            true => server.min(Zone::Private),
            false => server,
        };
        let here = OpenZones(Zone::Loopback..=Zone::Loopback);
        Self {
            tls: OpenZones(innermost..=Zone::Public),
            plain: (server == Zone::Loopback).then_some(here),
        }
    }

    /// The fence for URLs that an operator configures, and for those that these servers name.
    pub(super) fn for_operator() -> Self {
        let open = OpenZones(Zone::Loopback..=Zone::Public);
        Self {
            tls: open.clone(),
            plain: Some(open),
        }
    }
}

impl OpenZones {
    /// Checks that the zone of `network` is open. `what` is a host, or one of its addresses.
    pub(super) fn check(&self, what: &str, network: Network) -> Result<(), Outside> {
        let zone = network.zone;
        Err(Outside(if self.0.contains(&zone) {
            return Ok(());
        } else if zone == Zone::Metadata {
            format!("{what} is {network}")
        } else if zone > *self.0.end() {
            format!("http is allowed within this machine only, and {what} is {network}")
        } else {
            format!("{what} is {network}, further inside than the server that named it")
        }))
    }
}

/// The network of a URL's host, if it follows from the URL alone.
pub(super) fn network(url: &Url) -> Option<Network> {
    match url.host()? {
        Host::Ipv4(address) => Some(Network::of(address.into())),
        Host::Ipv6(address) => Some(Network::of(address.into())),
        Host::Domain(name) => Network::of_name(name),
    }
}
